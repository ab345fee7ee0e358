// SPDX-License-Identifier: Apache-2.0
// CheckVolumeBinding.

#include <fmt/format.h>

#include "plugins/helpers/volume_claims.h"
#include "plugins/legacy/v116/volume_places.h"
#include "plugins/volume_binding/volume_binding_state.h"

namespace berth::plugins::legacy::v116 {
namespace {

using cluster::NodeSlot;
using framework::Status;

// Stands for the state of a pod whose claims are not in order.
struct FailedBinding : VolumeBindingState {
  explicit FailedBinding(std::string text) : error(std::move(text)) {}
  std::string error;
};

// Names the volume that the first of the pod's claims without one is bound to.
std::string MissingVolume(const framework::Cycle& cycle) {
  const cluster::AssumedVolumes& assumed = cycle.cluster().assumed_volumes;
  for (const api::Volume& volume : cycle.pod().spec().volumes) {
    if (volume.source != api::Volume::Source::kPersistentVolumeClaim) continue;
    const auto claim = assumed.claims.Get(cycle.pod().ns(), volume.id);
    if (claim != nullptr && IsFullyBound(*claim) && assumed.volumes.Get("", claim->volume_name) == nullptr) {
      return fmt::format("could not find v1.PersistentVolume \"{}\"", claim->volume_name);
    }
  }
  return "could not find v1.PersistentVolume";
}

Result<void> CheckBound(const framework::Cycle& cycle, VolumeBindingState& state, NodeSlot slot, Reasons& reasons) {
  const BoundVolumes::Answer answer = BERTH_TRY(state.bound.Check(cycle.cluster(), slot));
  if (answer == BoundVolumes::Answer::kVolumeMissing) return Fail(Code::kNotFound, MissingVolume(cycle));
  if (answer == BoundVolumes::Answer::kNodeMismatch) reasons.AddUnresolvable(CheckVolumeBinding::kNodeConflict);
  return {};
}

Result<void> CheckDelayed(const framework::Cycle& cycle, VolumeBindingState& state, NodeSlot slot, Reasons& reasons) {
  if (state.delayed.empty()) return {};
  switch (BERTH_TRY(state.delayed.Check(cycle.cluster(), slot))) {
    case DelayedClaims::Answer::kPossible: break;
    case DelayedClaims::Answer::kNoVolume: reasons.AddUnresolvable(CheckVolumeBinding::kBindConflict); break;
    case DelayedClaims::Answer::kNoSpace: reasons.AddUnresolvable(VolumeBinding::kNoSpace); break;
  }
  return {};
}

Result<void> CheckNode(const framework::Cycle& cycle, VolumeBindingState& state, NodeSlot slot, Reasons& reasons) {
  BERTH_CHECK_OK(CheckBound(cycle, state, slot, reasons));
  return CheckDelayed(cycle, state, slot, reasons);
}

}  // namespace

Result<std::unique_ptr<framework::Plugin>> CheckVolumeBinding::Create(const framework::PluginContext& context) {
  return std::make_unique<CheckVolumeBinding>(Seconds(context.args.ValueOr<Args>().bind_timeout_seconds));
}

framework::PreFilterResult CheckVolumeBinding::PreFilter(framework::Cycle& cycle) const {
  framework::PreFilterResult result = VolumeBinding::PreFilter(cycle);
  if (result.status.ok() || result.status.is_skip()) return result;
  cycle.MakeState<FailedBinding>(index(), result.status.message());
  return {};
}

void CheckVolumeBinding::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  auto* state = cycle.state<VolumeBindingState>(index());
  const auto* failed = dynamic_cast<const FailedBinding*>(state);
  ErrorCounts errors;
  Reasons reasons;
  candidates.RejectEach([&](NodeSlot slot) -> framework::Verdict {
    reasons.Clear();
    const Result<void> checked =
        failed != nullptr ? Fail(Code::kInvalid, failed->error) : CheckNode(cycle, *state, slot, reasons);
    if (!checked) errors.Add(checked.error().message);
    return checked ? reasons.ToVerdict(candidates.reasons()) : framework::Verdict();
  });
  SetErrors(*this, errors, candidates);
}

std::vector<framework::EventRegistration> CheckVolumeBinding::EventsToRegister() const {
  return {{.event = {framework::EventResource::kWildcard, framework::action::kAll}}};
}

}  // namespace berth::plugins::legacy::v116
