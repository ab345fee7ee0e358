// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_binding/volume_binding.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "plugins/helpers/volume_claims.h"
#include "plugins/volume_binding/volume_binding_state.h"

namespace berth::plugins {
namespace {

using framework::ReasonId;
using framework::Status;
using framework::StatusCode;
using VolumeClaimPtr = std::shared_ptr<const api::PersistentVolumeClaim>;

// Why the pod has to wait for a claim; empty if it does not.
std::string ClaimError(const cluster::PodInfo& pod, const api::Volume& volume, const std::string& claim_name,
                       const cluster::Objects& objects) {
  const bool is_ephemeral = volume.source == api::Volume::Source::kEphemeral;
  const api::PersistentVolumeClaim* claim = objects.persistent_volume_claims.Find(pod.ns(), claim_name);
  if (claim == nullptr && is_ephemeral) {
    return fmt::format("waiting for ephemeral volume controller to create the persistentvolumeclaim \"{}\"",
                       claim_name);
  }
  if (claim == nullptr) return ClaimNotFound(claim_name);
  if (claim->phase == "Lost") {
    return fmt::format("persistentvolumeclaim \"{}\" bound to non-existent persistentvolume \"{}\"", claim_name,
                       claim->volume_name);
  }
  if (claim->meta.deletion_timestamp) return fmt::format("persistentvolumeclaim \"{}\" is being deleted", claim_name);
  return is_ephemeral ? EphemeralClaimError(pod, *claim) : std::string();
}

// The pod's claims in the order of its volumes; or why it has to wait.
Status ReadClaims(const framework::Cycle& cycle, std::vector<VolumeClaimPtr>& claims) {
  const cluster::PodInfo& pod = cycle.pod();
  for (const api::Volume& volume : pod.spec().volumes) {
    const std::optional<std::string> claim_name = ClaimName(pod, volume);
    if (!claim_name) continue;
    std::string error = ClaimError(pod, volume, *claim_name, cycle.cluster().objects);
    if (!error.empty()) return Status::Unresolvable(std::move(error));
    claims.push_back(cycle.cluster().assumed_volumes.claims.Get(pod.ns(), *claim_name));
  }
  return Status::Success();
}

// Whether an unbound claim waits for a pod that uses it.
Result<bool> IsDelayed(const api::PersistentVolumeClaim& claim, const cluster::Objects& objects) {
  const std::string_view class_name = StorageClassName(claim);
  const api::StorageClass* storage_class = class_name.empty() ? nullptr : objects.storage_classes.Find("", class_name);
  if (storage_class == nullptr) return false;
  if (!storage_class->volume_binding_mode) {
    return Invalid(fmt::format("VolumeBindingMode not set for StorageClass \"{}\"", class_name));
  }
  // A claim that names its volume is for the volume controller to bind.
  return *storage_class->volume_binding_mode == kWaitForFirstConsumer && claim.volume_name.empty();
}

// Sorts the claims into the state.
Status SortClaims(const cluster::Cluster& cluster, std::vector<VolumeClaimPtr> claims, VolumeBindingState& state) {
  std::vector<VolumeClaimPtr> delayed;
  bool is_waiting = false;
  for (VolumeClaimPtr& claim : claims) {
    if (IsFullyBound(*claim)) {
      state.bound.Add(cluster.assumed_volumes.volumes.Get("", claim->volume_name), cluster.nodes());
      continue;
    }
    const Result<bool> is_delayed = IsDelayed(*claim, cluster.objects);
    if (!is_delayed) return Status::Error(is_delayed.error().message);
    if (*is_delayed) delayed.push_back(std::move(claim));
    is_waiting |= !*is_delayed;
  }
  if (is_waiting) return Status::Unresolvable("pod has unbound immediate PersistentVolumeClaims");
  if (!delayed.empty()) state.delayed.Init(std::move(delayed), cluster);
  return Status::Success();
}

// The reasons against a node, as bits; they are listed in this order.
enum Reason : uint8_t { kMismatch = 1, kNothingToBind = 2, kFull = 4, kMissing = 8, kReasonCount = 4 };

Result<unsigned> FindReasons(const cluster::Cluster& cluster, cluster::NodeSlot slot, VolumeBindingState& state) {
  unsigned reasons = 0;
  const BoundVolumes::Answer bound = BERTH_TRY(state.bound.Check(cluster, slot));
  if (bound == BoundVolumes::Answer::kNodeMismatch) reasons |= kMismatch;
  if (bound == BoundVolumes::Answer::kVolumeMissing) reasons |= kMissing;
  if (state.delayed.empty()) return reasons;
  const DelayedClaims::Answer delayed = BERTH_TRY(state.delayed.Check(cluster, slot));
  if (delayed == DelayedClaims::Answer::kNoVolume) reasons |= kNothingToBind;
  if (delayed == DelayedClaims::Answer::kNoSpace) reasons |= kFull;
  return reasons;
}

ReasonId InternReasons(unsigned reasons, framework::ReasonTable& table) {
  constexpr std::array kTexts = {VolumeBinding::kNodeMismatch, VolumeBinding::kNoVolume, VolumeBinding::kNoSpace,
                                 VolumeBinding::kVolumeMissing};
  std::vector<std::string> texts;
  for (unsigned i = 0; i < kReasonCount; ++i) {
    if ((reasons & (1U << i)) != 0) texts.emplace_back(kTexts[i]);
  }
  return table.Intern(texts);
}

}  // namespace

void VolumeBinding::Args::Complete(const framework::FeatureGates& gates) {
  if (shape.empty() && gates.Enabled(framework::Gate::kStorageCapacityScoring)) shape = {{0, 10}, {100, 0}};
}

void VolumeBinding::Args::Validate(const framework::ArgsCheck& check) const {
  if (bind_timeout_seconds < 0) {
    check.errors.Invalid(check.At("bindTimeoutSeconds"), bind_timeout_seconds,
                         "invalid BindTimeoutSeconds, should not be a negative value");
  }
  if (check.gates.Enabled(framework::Gate::kStorageCapacityScoring)) {
    framework::ValidateShape(shape, check.At("shape"), check.errors);
  } else if (!shape.empty()) {
    check.errors.Invalid(check.At("shape"), framework::InternalJson(shape),
                         "unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring");
  }
}

Result<std::unique_ptr<framework::Plugin>> VolumeBinding::Create(const framework::PluginContext& context) {
  Args args = context.args.ValueOr<Args>();
  args.Complete(context.gates);
  std::optional<BrokenLinear> shape;
  if (context.gates.Enabled(framework::Gate::kStorageCapacityScoring)) shape = BrokenLinear::FromShape(args.shape);
  return std::make_unique<VolumeBinding>(Seconds(args.bind_timeout_seconds), std::move(shape));
}

framework::PreFilterResult VolumeBinding::PreFilter(framework::Cycle& cycle) const {
  VolumeBindingState& state = cycle.MakeState<VolumeBindingState>(index());
  if (cycle.pod().spec().volumes.empty()) return {Status::Skip()};
  std::vector<VolumeClaimPtr> claims;
  Status status = ReadClaims(cycle, claims);
  if (!status.ok()) return {std::move(status)};
  if (claims.empty()) return {Status::Skip()};
  return {SortClaims(cycle.cluster(), std::move(claims), state)};
}

void VolumeBinding::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  VolumeBindingState& state = *cycle.state<VolumeBindingState>(index());
  std::array<ReasonId, 1U << kReasonCount> ids{};
  candidates.RejectEach([&](cluster::NodeSlot slot) -> framework::Verdict {
    const Result<unsigned> reasons = FindReasons(cycle.cluster(), slot, state);
    if (!reasons) candidates.SetError(Status::Error(reasons.error().message));
    if (!reasons || *reasons == 0) return {};
    ReasonId& id = ids[*reasons];
    if (id == framework::kNoReason) id = InternReasons(*reasons, candidates.reasons());
    return {.code = StatusCode::kUnschedulableAndUnresolvable, .reason = id};
  });
}

}  // namespace berth::plugins
