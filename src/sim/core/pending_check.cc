// SPDX-License-Identifier: Apache-2.0
#include "sim/core/pending_check.h"

#include <fmt/format.h>

#include "config/config.h"
#include "plugins/registry.h"
#include "scheduler/rehearsal.h"

namespace berth::sim {

std::string FindPodThatFits(std::span<const api::Object> objects) {
  const framework::FeatureGates gates;
  const auto plain = scheduler::Rehearsal::Create(config::Default(gates), plugins::BuiltIn(), gates,
                                                  std::make_unique<framework::SmallestNameChooser>())
                         .value();
  for (const api::Object& object : objects) plain->Put(object);
  for (const std::string& name : plain->Pending()) {
    const scheduler::Rehearsal::Finding finding = plain->Try(name);
    if (finding.node_name.empty()) continue;
    return fmt::format("pod {} ({}) is pending, although it fits on node {}", name, finding.attempt->pod->uid,
                       finding.node_name);
  }
  return "";
}

}  // namespace berth::sim
