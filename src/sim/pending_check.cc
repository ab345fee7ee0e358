// SPDX-License-Identifier: Apache-2.0
#include "sim/pending_check.h"

#include <fmt/format.h>

#include "config/config.h"
#include "plugins/registry.h"
#include "scheduler/scheduler.h"

namespace berth::sim {

std::string FindPodThatFits(std::span<const api::Object> objects) {
  const framework::FeatureGates gates;
  const auto plain = scheduler::Scheduler::Create(config::Default(gates), plugins::BuiltIn(), gates,
                                                  std::make_unique<framework::SmallestNameChooser>())
                         .value();
  for (const api::Object& object : objects) plain->Put(object);
  const auto pending = plain->pending();
  for (const auto& [name, pod] : pending) {
    if (plain->ProfileOf(*pod) == nullptr) continue;
    scheduler::Attempt attempt = plain->Try(pod);
    if (attempt.kind != scheduler::Attempt::Kind::kDecided ||
        attempt.decision.outcome != scheduler::Outcome::kScheduled)
      continue;
    return fmt::format("pod {} ({}) is pending, although it fits on node {}", name, pod->uid,
                       attempt.assumed->node_name);
  }
  return "";
}

}  // namespace berth::sim
