// SPDX-License-Identifier: Apache-2.0
// The filter of NodeResourcesFit.

#include <boost/container/small_vector.hpp>

#include "plugins/node_resources_fit/node_resources_fit.h"

namespace berth::plugins {
namespace {

using framework::NodeSlot;
using framework::StatusCode;
using framework::Verdict;

// One requested resource against two columns.
struct Demand {
  std::string reason;
  int64_t request = 0;
  const int64_t* allocatable = nullptr;  // nullptr: no node has it.
  const int64_t* requested = nullptr;

  int64_t capacity(NodeSlot slot) const { return allocatable == nullptr ? 0 : allocatable[slot.index]; }
  bool Short(NodeSlot slot) const {
    return request > capacity(slot) - (requested == nullptr ? 0 : requested[slot.index]);
  }
};

}  // namespace

void NodeResourcesFit::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  const cluster::NodeTable& nodes = cycle.nodes();
  const cluster::Resources& wanted = cycle.pod().pod_template->requests;

  boost::container::small_vector<Demand, 4> demands;
  if (wanted.cpu_milli > 0) {
    demands.push_back({"Insufficient cpu", wanted.cpu_milli, nodes.allocatable_cpu.data(), nodes.requested_cpu.data()});
  }
  if (wanted.memory_bytes > 0) {
    demands.push_back(
        {"Insufficient memory", wanted.memory_bytes, nodes.allocatable_memory.data(), nodes.requested_memory.data()});
  }
  if (wanted.ephemeral_bytes > 0) {
    demands.push_back({"Insufficient ephemeral-storage", wanted.ephemeral_bytes, nodes.allocatable_ephemeral.data(),
                       nodes.requested_ephemeral.data()});
  }
  for (const auto& [id, amount] : wanted.scalars) {
    const std::string& name = cycle.cluster().resource_names().Name(id);
    if (amount <= 0 || Ignores(name)) continue;
    const cluster::ScalarColumn* column = nodes.Scalar(id);
    demands.push_back({"Insufficient " + name, amount, column == nullptr ? nullptr : column->allocatable.data(),
                       column == nullptr ? nullptr : column->requested.data()});
  }

  std::vector<std::string> reasons;
  candidates.RejectEach([&](NodeSlot slot) -> Verdict {
    const bool crowded = nodes.pod_count[slot.index] + 1 > nodes.allocatable_pods[slot.index];
    bool is_short = false;
    for (const Demand& demand : demands) is_short |= demand.Short(slot);
    if (!crowded && !is_short) [[likely]]
      return {};

    StatusCode code = StatusCode::kUnschedulable;
    reasons.clear();
    if (crowded) reasons.emplace_back("Too many pods");
    for (const Demand& demand : demands) {
      if (!demand.Short(slot)) continue;
      reasons.push_back(demand.reason);
      if (demand.request > demand.capacity(slot)) code = StatusCode::kUnschedulableAndUnresolvable;
    }
    return {.code = code, .reason = candidates.reasons().Intern(reasons)};
  });
}

}  // namespace berth::plugins
