// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/volume_controller.h"

#include <algorithm>

#include "api/quantity.h"
#include "server/controllers/owned_pods.h"
#include "server/label_selector.h"

namespace berth::server {
namespace {

constexpr std::string_view kClaim = "claim:";
constexpr std::string_view kVolume = "volume:";
constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";
constexpr std::string_view kBoundByController = "pv.kubernetes.io/bound-by-controller";
constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
constexpr std::string_view kDriver = "simulated.berth.dev";  // Of what is provisioned, whatever the provisioner.
constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";

api::Quantity Amount(const Json& text) { return api::Quantity::Parse(text.text()).value_or(api::Quantity()); }

bool IsReservedFor(const Json& volume, const StoredObject& claim) {
  const Json& reference = volume["spec"]["claimRef"];
  return reference["name"].text() == claim.name() && reference["namespace"].text() == claim.ns() &&
         (reference["uid"].text().empty() || reference["uid"].text() == claim.uid());
}

// Whether the volume has what the claim asks for; both are of the same class.
bool Suits(const StoredObject& volume, const Json& tree, const Json& claim) {
  const Json& wanted = claim["spec"];
  const Json& spec = tree["spec"];
  if (spec["storageClassName"].text() != wanted["storageClassName"].text()) return false;
  if (Amount(spec["capacity"]["storage"]).Cmp(Amount(wanted["resources"]["requests"]["storage"])) < 0) return false;
  const Json::List& modes = spec["accessModes"].items();
  if (!std::ranges::all_of(wanted["accessModes"].items(),
                           [&](const Json& mode) { return std::ranges::find(modes, mode) != modes.end(); })) {
    return false;
  }
  const auto mode_of = [](const Json& of) {
    return of["volumeMode"].is_null() ? "Filesystem" : of["volumeMode"].text();
  };
  if (mode_of(spec) != mode_of(wanted)) return false;
  if (!wanted.Has("selector")) return true;
  const auto selector = api::Selector::Compile(ReadLabelSelector(wanted["selector"]));
  return selector && selector->Matches(volume.labels());
}

bool IsBound(const StoredObject& claim) { return claim.json()->find("\"phase\":\"Bound\"") != std::string::npos; }

Json ClaimReference(const StoredObject& claim) {
  return Json{{"kind", Json::String("PersistentVolumeClaim")},
              {"apiVersion", Json::String("v1")},
              {"namespace", Json::String(claim.ns())},
              {"name", Json::String(claim.name())},
              {"uid", Json::String(claim.uid())},
              {"resourceVersion", Json::String(std::to_string(claim.revision()))}};
}

}  // namespace

void VolumeController::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  if (&object.resource() == &claims_) {
    enqueue(std::string(kClaim) + object.key(), Duration{});
    if (change.type != Change::Type::kDeleted) return;
    const Json tree = object.Tree();
    enqueue(std::string(kVolume) + tree["spec"]["volumeName"].text(), Duration{});
  } else if (&object.resource() == &volumes_) {
    enqueue(std::string(kVolume) + object.key(), Duration{});
    const Json tree = object.Tree();
    const Json& reference = tree["spec"]["claimRef"];
    if (!reference.is_null()) {
      enqueue(std::string(kClaim) + ObjectKey(reference["namespace"].text(), reference["name"].text()), Duration{});
    } else if (change.type != Change::Type::kDeleted) {
      // It may be what claims wait for.
      for (const auto& [key, claim] : cluster_.store().All(claims_)) {
        if (!IsBound(*claim)) enqueue(std::string(kClaim) + key, Duration{});
      }
    }
  } else if (&object.resource() == &classes_ && change.type != Change::Type::kDeleted) {
    for (const auto& [key, claim] : cluster_.store().All(claims_)) {
      if (!IsBound(*claim)) enqueue(std::string(kClaim) + key, Duration{});
    }
  }
}

std::optional<Duration> VolumeController::Sync(const std::string& key) {
  const bool is_claim = key.starts_with(kClaim);
  const Store::Objects& all = cluster_.store().All(is_claim ? claims_ : volumes_);
  const auto found = all.find(key.substr(is_claim ? kClaim.size() : kVolume.size()));
  if (found == all.end()) return std::nullopt;
  const ObjectPtr object = found->second;
  const bool is_done = is_claim ? SyncClaim(*object) : SyncVolume(*object);
  return is_done ? std::nullopt : std::optional(kRetry);
}

bool VolumeController::SyncClaim(const StoredObject& claim) {
  const Json tree = claim.Tree();
  if (tree["metadata"].Has("deletionTimestamp")) return true;
  if (const std::string& name = tree["spec"]["volumeName"].text(); !name.empty()) return SyncNamed(claim, tree, name);
  const std::string& class_name = tree["spec"]["storageClassName"].text();
  const ObjectPtr found = class_name.empty() ? nullptr : cluster_.store().Find(classes_, "", class_name);
  const Json storage_class = found == nullptr ? Json() : found->Tree();
  const bool waits = storage_class["volumeBindingMode"].text() == "WaitForFirstConsumer";
  const bool has_node = !tree["metadata"]["annotations"][kSelectedNode].text().empty();
  if (const ObjectPtr volume = Choose(claim, tree, waits)) return Bind(claim, *volume);
  const std::string& provisioner = storage_class["provisioner"].text();
  if (provisioner.empty() || provisioner == kNoProvisioner || (waits && !has_node)) return true;
  return Provision(claim, tree, storage_class);
}

// A claim that names its volume: the user did, or it was bound.
bool VolumeController::SyncNamed(const StoredObject& claim, const Json& tree, std::string_view name) {
  const ObjectPtr volume = cluster_.store().Find(volumes_, "", name);
  const Json found = volume == nullptr ? Json() : volume->Tree();
  const std::string& phase = tree["status"]["phase"].text();
  const bool is_its_own = volume != nullptr && (!found["spec"].Has("claimRef") || IsReservedFor(found, claim));
  if (is_its_own) return phase == "Bound" || Bind(claim, *volume);
  const bool was_bound = tree["metadata"]["annotations"].Has(kBindCompleted);
  if (!was_bound || phase == "Lost") return true;  // The volume may come, or come free.
  return WriteStatus(cluster_, claim, [](Json& status) { status.Set("phase", "Lost"); });
}

ObjectPtr VolumeController::Choose(const StoredObject& claim, const Json& tree, bool only_reserved) const {
  ObjectPtr best;
  api::Quantity smallest;
  for (const auto& [name, volume] : cluster_.store().All(volumes_)) {
    const Json candidate = volume->Tree();
    if (candidate["metadata"].Has("deletionTimestamp")) continue;
    if (candidate["spec"].Has("claimRef")) {
      if (IsReservedFor(candidate, claim)) return volume;
      continue;
    }
    if (only_reserved || !Suits(*volume, candidate, tree)) continue;
    const api::Quantity size = Amount(candidate["spec"]["capacity"]["storage"]);
    if (best != nullptr && size.Cmp(smallest) >= 0) continue;
    best = volume;
    smallest = size;
  }
  return best;
}

bool VolumeController::Bind(const StoredObject& claim, const StoredObject& volume) {
  const WriteOptions options{.manager = std::string(kControllerManager)};
  const auto reserved =
      cluster_.objects.Update(volumes_, "", volume.name(), options, [&](const Json& current) -> Outcome<Json> {
        Json changed = current;
        const bool was_reserved = current["spec"].Has("claimRef");
        if (current["spec"]["claimRef"]["uid"].text().empty())
          changed.Make("spec").Set("claimRef", ClaimReference(claim));
        if (!was_reserved) changed.Make({"metadata", "annotations"}).Set(kBoundByController, "yes");
        return changed;
      });
  if (!Succeeded(*this, reserved) || !SetPhase(volume, "Bound")) return false;
  const auto bound =
      cluster_.objects.Update(claims_, claim.ns(), claim.name(), options, [&](const Json& current) -> Outcome<Json> {
        Json changed = current;
        Json& annotations = changed.Make({"metadata", "annotations"});
        annotations.Set(kBindCompleted, "yes");
        if (current["spec"]["volumeName"].text().empty()) annotations.Set(kBoundByController, "yes");
        changed.Make("spec").Set("volumeName", volume.name());
        return changed;
      });
  if (!Succeeded(*this, bound)) return false;
  const Json spec = volume.Tree()["spec"];
  return WriteStatus(cluster_, claim, [&](Json& status) {
    status.Set("phase", "Bound");
    status.Set("accessModes", spec["accessModes"]);
    status.Set("capacity", spec["capacity"]);
  });
}

bool VolumeController::Provision(const StoredObject& claim, const Json& tree, const Json& storage_class) {
  const std::string name = "pvc-" + claim.uid();
  if (cluster_.store().Find(volumes_, "", name) != nullptr) return true;
  const Json& wanted = tree["spec"];
  Json volume{{"apiVersion", Json::String("v1")}, {"kind", Json::String("PersistentVolume")}};
  Json& metadata = volume.Make("metadata");
  metadata.Set("name", name);
  metadata.Make("annotations").Set("pv.kubernetes.io/provisioned-by", storage_class["provisioner"]);
  Json& spec = volume.Make("spec");
  spec.Set("accessModes", wanted["accessModes"]);
  spec.Make("capacity").Set("storage", wanted["resources"]["requests"]["storage"]);
  spec.Set("claimRef", ClaimReference(claim));
  spec.Set("storageClassName", wanted["storageClassName"]);
  const std::string& policy = storage_class["reclaimPolicy"].text();
  spec.Set("persistentVolumeReclaimPolicy", policy.empty() ? "Delete" : policy);
  if (wanted.Has("volumeMode")) spec.Set("volumeMode", wanted["volumeMode"]);
  spec.Set("csi", Json{{"driver", Json::String(kDriver)}, {"volumeHandle", Json::String(name)}});
  return Succeeded(
      *this, cluster_.objects.Create(volumes_, "", std::move(volume), {.manager = std::string(kControllerManager)}));
}

bool VolumeController::SyncVolume(const StoredObject& volume) {
  const Json tree = volume.Tree();
  const Json& reference = tree["spec"]["claimRef"];
  const std::string& phase = tree["status"]["phase"].text();
  const bool is_going = tree["metadata"].Has("deletionTimestamp");
  if (is_going && reference["uid"].text().empty()) return true;
  if (reference.is_null()) return phase == "Available" || SetPhase(volume, "Available");
  const ObjectPtr claim = cluster_.store().Find(claims_, reference["namespace"].text(), reference["name"].text());
  const std::string& uid = reference["uid"].text();
  if (uid.empty()) return phase == "Available" || SetPhase(volume, "Available");
  if (claim != nullptr && claim->uid() == uid) {
    const bool is_bound = claim->Tree()["spec"]["volumeName"].text() == volume.name();
    return !is_bound || phase == "Bound" || SetPhase(volume, "Bound");
  }
  // The claim is gone.
  if (is_going || tree["spec"]["persistentVolumeReclaimPolicy"].text() != "Delete") {
    return phase == "Released" || SetPhase(volume, "Released");
  }
  if (phase == "Bound" && !SetPhase(volume, "Released")) return false;
  const auto deleted = cluster_.objects.Delete(volumes_, "", volume.name(), {});
  return deleted || deleted.error().code == 404;
}

bool VolumeController::SetPhase(const StoredObject& volume, std::string_view phase) {
  return WriteStatus(cluster_, volume, [&](Json& status) {
    if (status["phase"].text() != phase) {
      status.Set("lastPhaseTransitionTime", FormatTime(cluster_.objects.now()));
    }
    status.Set("phase", phase);
  });
}

}  // namespace berth::server
