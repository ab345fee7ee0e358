// SPDX-License-Identifier: Apache-2.0
// What must be true once the world has come to rest.

#include <fmt/format.h>

#include "config/config.h"
#include "plugins/registry.h"
#include "scheduler/scheduler.h"
#include "sim/checker.h"

namespace berth::sim {

std::string Checker::CheckAtRest() const {
  if (server_.unanswered() != 0) return fmt::format("{} effects have no answer", server_.unanswered());
  if (core_.bindings().size() != 0) return fmt::format("{} bindings do not end", core_.bindings().size());
  if (!core_.cluster().running_preemptions.empty()) return "a preemption does not end";
  if (!core_.cluster().assumed_uids().empty()) return "a pod stays assumed";
  const framework::FeatureGates gates;
  const auto plain = scheduler::Scheduler::Create(config::Default(gates), plugins::BuiltIn(), gates,
                                                  std::make_unique<framework::SmallestNameChooser>())
                         .value();
  for (const auto& [key, object] : server_.objects()) plain->Put(object);
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
