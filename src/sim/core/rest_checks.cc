// SPDX-License-Identifier: Apache-2.0
// What must be true once the world has come to rest.

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "sim/core/checker.h"
#include "sim/core/pending_check.h"

namespace berth::sim {

std::string Checker::CheckAtRest() const {
  if (server_.unanswered() != 0) return fmt::format("{} effects have no answer", server_.unanswered());
  if (core_.bindings().size() != 0) return fmt::format("{} bindings do not end", core_.bindings().size());
  if (const auto& running = core_.cluster().running_preemptions; !running.empty()) {
    return fmt::format("the preemption for {} does not end", *running.begin());
  }
  if (!core_.cluster().assumed_uids().empty()) return "a pod stays assumed";
  for (const cluster::TableSize& size : core_.Sizes()) {
    if (size.table == "claims in flight" && size.size != 0) return fmt::format("{} claims stay in flight", size.size);
  }
  std::vector<api::Object> objects;
  for (const auto& [key, object] : server_.objects()) objects.push_back(object);
  return FindWhatFits(core_, std::move(objects));
}

}  // namespace berth::sim
