// SPDX-License-Identifier: Apache-2.0
// What VolumeBinding does once a node is chosen: reserve, send the updates, wait.
#include <utility>

#include <fmt/format.h>

#include "plugins/volume_binding/volume_binding.h"
#include "plugins/volume_binding/volume_binding_state.h"

namespace berth::plugins {
namespace {

using framework::Status;
using framework::StatusCode;

Status NoVolumesFor(const framework::Cycle& cycle, cluster::NodeSlot node) {
  return Status::Error(fmt::format("no pod volume found for node \"{}\"", cycle.nodes().name[node.index]));
}

}  // namespace

Status VolumeBinding::Reserve(framework::Cycle& cycle, cluster::NodeSlot node) const {
  auto* state = cycle.state<VolumeBindingState>(index());
  if (state == nullptr) return Status::Error("not found");
  if (!state->delayed.choices(node).empty()) {
    Result<VolumeReservation> made = VolumeReservation::Make(state->delayed, node, cycle.mutable_cluster());
    if (!made) return Status::Error(made.error().message);
    state->reservation = std::move(*made);
  }
  state->is_reserved = true;
  return Status::Success();
}

void VolumeBinding::Unreserve(framework::Cycle& cycle, cluster::NodeSlot, framework::Effects&) const {
  auto* state = cycle.state<VolumeBindingState>(index());
  if (state == nullptr) return;
  if (state->reservation) state->reservation->Restore(cycle.mutable_cluster().assumed_volumes);
  state->reservation.reset();
  state->binding_since.reset();
  state->is_reserved = false;
}

Status VolumeBinding::PreBindPreFlight(framework::Cycle& cycle, cluster::NodeSlot node) const {
  const auto* state = cycle.state<VolumeBindingState>(index());
  if (state == nullptr) return Status::Error("not found");
  if (!state->is_reserved) return NoVolumesFor(cycle, node);
  return state->reservation ? Status::Success() : Status::Skip();
}

Status VolumeBinding::PreBind(framework::Cycle& cycle, cluster::NodeSlot node, Time now,
                              framework::Effects& effects) const {
  auto* state = cycle.state<VolumeBindingState>(index());
  if (state == nullptr) return Status::Error("not found");
  if (!state->is_reserved) return NoVolumesFor(cycle, node);
  if (!state->reservation) return Status::Success();
  if (!state->binding_since) {
    state->reservation->Emit(effects);
    state->binding_since = now;
    return {.code = StatusCode::kWait, .reasons = {}, .plugin = {}};
  }
  const Result<bool> is_bound = state->reservation->Check(cycle);
  if (!is_bound) return Status::Error("binding volumes: " + is_bound.error().message);
  if (*is_bound) return Status::Success();
  if (now - *state->binding_since >= bind_timeout_) return Status::Error("binding volumes: context deadline exceeded");
  return {.code = StatusCode::kWait, .reasons = {}, .plugin = {}};
}

}  // namespace berth::plugins
