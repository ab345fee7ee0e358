// SPDX-License-Identifier: Apache-2.0
#include "plugins/dynamic_resources/dynamic_resources.h"

#include "plugins/dynamic_resources/pod_claims.h"

namespace berth::plugins {

using framework::Status;

namespace {

// Says that PreFilter has run. Without it every other point fails, even for pods without claims.
struct State : framework::PluginState {};

Status NoState() { return Status::Error("not found"); }

}  // namespace

Result<std::unique_ptr<framework::Plugin>> DynamicResources::Create(const framework::PluginContext&) {
  return std::make_unique<DynamicResources>();
}

Status DynamicResources::PreEnqueue(const cluster::PodInfo& pod, const cluster::Cluster& cluster) const {
  const auto claims = PodClaims(pod, cluster.objects);
  return claims ? Status::Success() : Status::Unresolvable(claims.error().message);
}

framework::PreFilterResult DynamicResources::PreFilter(framework::Cycle& cycle) const {
  cycle.MakeState<State>(index());
  if (cycle.pod().spec().resource_claims.empty()) return {.status = Status::Skip()};
  return {.status = Status::Unresolvable("resource claims are not supported yet")};
}

framework::PostFilterResult DynamicResources::PostFilter(framework::Cycle& cycle, const framework::Profile&,
                                                         const framework::Diagnosis&, framework::Effects&) const {
  if (cycle.state<State>(index()) == nullptr) return {.status = NoState()};
  return {.status = {.code = framework::StatusCode::kUnschedulable, .reasons = {}, .plugin = {}}};
}

Status DynamicResources::Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                               framework::Scores& scores) const {
  if (cycle.state<State>(index()) == nullptr) return NoState();
  scores.SetUniform(nodes.size(), 0);
  return Status::Success();
}

Status DynamicResources::Reserve(framework::Cycle& cycle, cluster::NodeSlot) const {
  return cycle.state<State>(index()) == nullptr ? NoState() : Status::Success();
}

Status DynamicResources::PreBindPreFlight(framework::Cycle& cycle, cluster::NodeSlot) const {
  return cycle.state<State>(index()) == nullptr ? NoState() : Status::Skip();
}

}  // namespace berth::plugins
