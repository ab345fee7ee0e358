// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/volumes/volume_controller.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/parts/quantity.h"
#include "server/controllers/owned_pods.h"
#include "server/model/label_selector.h"
#include "server/store/storage_class.h"

namespace berth::server {
namespace {

constexpr std::string_view kClaim = "claim:";
constexpr std::string_view kVolume = "volume:";
constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";
constexpr std::string_view kBoundByController = "pv.kubernetes.io/bound-by-controller";
constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";
// Whose name is on the events, and how often it looks at claims that wait.
constexpr std::string_view kReporter = "persistentvolume-controller";
constexpr Duration kLookAgain = Seconds(15);

api::Quantity Amount(const Json& text) { return api::Quantity::Parse(text.text()).value_or(api::Quantity()); }

bool IsReservedFor(const Json& volume, const StoredObject& claim) {
  const Json& reference = volume["spec"]["claimRef"];
  return reference["name"].text() == claim.name() && reference["namespace"].text() == claim.ns() &&
         (reference["uid"].text().empty() || reference["uid"].text() == claim.uid());
}

// Why the volume is not what the claim asks for, in upstream's words; "" if it is.
std::string Mismatch(const Json& volume, const Json& claim) {
  const Json& wanted = claim["spec"];
  const Json& spec = volume["spec"];
  if (volume["metadata"].Has("deletionTimestamp")) {
    return fmt::format("the volume is marked for deletion \"{}\"", volume["metadata"]["name"].text());
  }
  if (Amount(spec["capacity"]["storage"]).Cmp(Amount(wanted["resources"]["requests"]["storage"])) < 0) {
    return "requested PV is too small";
  }
  if (ClassOf(volume) != ClassOf(claim)) return "storageClassName does not match";
  if (spec["volumeAttributesClassName"].text() != wanted["volumeAttributesClassName"].text()) {
    return "volumeAttributesClassName does not match";
  }
  const auto mode_of = [](const Json& of) {
    return of["volumeMode"].is_null() ? "Filesystem" : of["volumeMode"].text();
  };
  if (mode_of(spec) != mode_of(wanted)) return "incompatible volumeMode";
  const Json::List& modes = spec["accessModes"].items();
  const bool has_modes = std::ranges::all_of(
      wanted["accessModes"].items(), [&](const Json& mode) { return std::ranges::find(modes, mode) != modes.end(); });
  return has_modes ? "" : "incompatible accessMode";
}

// Whether the volume will do for a claim that names none.
bool Suits(const StoredObject& volume, const Json& tree, const Json& claim) {
  if (!Mismatch(tree, claim).empty()) return false;
  const Json& wanted = claim["spec"];
  if (!wanted.Has("selector")) return true;
  const auto selector = api::Selector::Compile(ReadLabelSelector(wanted["selector"]));
  return selector && selector->Matches(volume.labels());
}

std::optional<Duration> RetryUnless(bool is_done) { return is_done ? std::nullopt : std::optional(kRetry); }

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
    const std::string claim_key = Index(change);
    if (!claim_key.empty()) {
      enqueue(std::string(kClaim) + claim_key, Duration{});
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
  return is_claim ? SyncClaim(*object) : RetryUnless(SyncVolume(*object));
}

std::optional<Duration> VolumeController::SyncClaim(const StoredObject& claim) {
  if (claim.is_being_deleted()) return std::nullopt;
  const TreePtr kept = claim.tree();
  const Json& tree = *kept;
  if (const std::string& name = tree["spec"]["volumeName"].text(); !name.empty()) return SyncNamed(claim, tree, name);
  const std::string& class_name = ClassOf(tree);
  const ObjectPtr found = class_name.empty() ? nullptr : cluster_.store().Find(classes_, "", class_name);
  const Json storage_class = found == nullptr ? Json() : found->Tree();
  const bool waits = storage_class["volumeBindingMode"].text() == "WaitForFirstConsumer";
  const bool has_node = tree["metadata"]["annotations"].Has(kSelectedNode);
  if (const ObjectPtr volume = Choose(claim, tree, waits)) return RetryUnless(Bind(claim, *volume));
  if (!NamesClass(tree)) {
    const std::string usual = DefaultStorageClass(cluster_.store(), cluster_.objects.catalog());
    if (!usual.empty()) return RetryUnless(SetClass(claim, usual));
  }
  if (waits && !has_node) return Wait(claim, ConsumerNotice(claim));
  if (class_name.empty()) {
    return Wait(claim, {.type = "Normal",
                        .reason = "FailedBinding",
                        .message = "no persistent volumes available for this claim and no storage class is set"});
  }
  if (found == nullptr) {
    return Wait(claim, {.type = "Warning",
                        .reason = "ProvisioningFailed",
                        .message = fmt::format("storageclass.storage.k8s.io \"{}\" not found", class_name)});
  }
  const std::string& provisioner = storage_class["provisioner"].text();
  if (provisioner == kNoProvisioner) {
    return Wait(claim, {.type = "Warning",
                        .reason = "ProvisioningFailed",
                        .message = fmt::format("no volume plugin matched name: {}", provisioner)});
  }
  return RetryUnless(Provision(claim, tree, storage_class));
}

// A claim that names its volume: the user did, or it was bound.
std::optional<Duration> VolumeController::SyncNamed(const StoredObject& claim, const Json& tree,
                                                    std::string_view name) {
  const ObjectPtr volume = cluster_.store().Find(volumes_, "", name);
  const Json found = volume == nullptr ? Json() : volume->Tree();
  const std::string& phase = tree["status"]["phase"].text();
  const bool was_bound = tree["metadata"]["annotations"].Has(kBindCompleted);
  const bool is_free = volume != nullptr && !found["spec"].Has("claimRef");
  if (is_free && !was_bound) {
    if (const std::string why = Mismatch(found, tree); !why.empty()) {
      return Wait(claim, {.type = "Warning",
                          .reason = "VolumeMismatch",
                          .message = fmt::format("Cannot bind to requested volume \"{}\": {}", name, why)});
    }
  }
  if (is_free || IsReservedFor(found, claim)) return RetryUnless(phase == "Bound" || Bind(claim, *volume));
  if (was_bound) return RetryUnless(phase == "Lost" || Lose(claim, volume != nullptr));
  if (volume == nullptr) return std::nullopt;  // It may come.
  return Wait(claim, {.type = "Warning",
                      .reason = "FailedBinding",
                      .message = fmt::format("volume \"{}\" already bound to a different claim.", name)});
}

Duration VolumeController::Wait(const StoredObject& claim, const Notice& why) const {
  ReportEvent(cluster_, claim, kReporter, why);
  return kLookAgain;
}

Notice VolumeController::ConsumerNotice(const StoredObject& claim) const {
  std::string pods;
  size_t count = 0;
  for (const std::string& key : cluster_.pods.UsingClaim(claim.key())) {
    const PodInfo& pod = *cluster_.pods.Find(key);
    if (pod.has_ended() || !pod.node.empty()) continue;
    pods += fmt::format("{}{}", pods.empty() ? "" : ",", pod.object->name());
    ++count;
  }
  if (count == 0) {
    return {.type = "Normal",
            .reason = "WaitForFirstConsumer",
            .message = "waiting for first consumer to be created before binding"};
  }
  return {.type = "Normal",
          .reason = "WaitForPodScheduled",
          .message = fmt::format("waiting for {} {} to be scheduled", count == 1 ? "pod" : "pods", pods)};
}

bool VolumeController::SetClass(const StoredObject& claim, std::string_view name) {
  const auto written =
      cluster_.objects.Update(claims_, claim.ns(), claim.name(), {.manager = std::string(kControllerManager)},
                              [&](const Json& current) -> Outcome<Json> {
                                Json changed = current;
                                changed.Make("spec").Set("storageClassName", name);
                                return changed;
                              });
  return Succeeded(*this, written);
}

// What it was bound to is gone, or another claim's.
bool VolumeController::Lose(const StoredObject& claim, bool is_taken) {
  const bool is_written = WriteStatus(cluster_, claim, [](Json& status) { status.Set("phase", "Lost"); });
  if (!is_written) return false;
  ReportEvent(cluster_, claim, kReporter,
              {.type = "Warning",
               .reason = is_taken ? "ClaimMisbound" : "ClaimLost",
               .message = is_taken ? "Two claims are bound to the same volume, this one is bound incorrectly"
                                   : "Bound claim has lost its PersistentVolume. Data on the volume is lost!"});
  return true;
}

std::string VolumeController::Index(const Change& change) {
  const std::string& name = change.object->key();
  const TreePtr tree = change.object->tree();
  const Json& reference = (*tree)["spec"]["claimRef"];
  std::string claim = reference.is_null() ? "" : ObjectKey(reference["namespace"].text(), reference["name"].text());
  if (const auto before = claim_of_.find(name); before != claim_of_.end()) {
    const auto group = volumes_of_.find(before->second);
    group->second.erase(name);
    if (group->second.empty()) volumes_of_.erase(group);
    claim_of_.erase(before);
  }
  if (change.type != Change::Type::kDeleted) {
    volumes_of_[claim].insert(name);
    claim_of_.emplace(name, claim);
  }
  return claim;
}

std::vector<ObjectPtr> VolumeController::VolumesOf(const std::string& claim) const {
  std::vector<ObjectPtr> volumes;
  const auto found = volumes_of_.find(claim);
  if (found == volumes_of_.end()) return volumes;
  for (const std::string& name : found->second) {
    const ObjectPtr volume = cluster_.store().Find(volumes_, "", name);
    if (volume != nullptr && !volume->is_being_deleted()) volumes.push_back(volume);
  }
  return volumes;
}

ObjectPtr VolumeController::Choose(const StoredObject& claim, const Json& tree, bool only_reserved) const {
  for (const ObjectPtr& volume : VolumesOf(claim.key())) {
    if (IsReservedFor(*volume->tree(), claim)) return volume;
  }
  ObjectPtr best;
  if (only_reserved) return best;
  api::Quantity smallest;
  for (const ObjectPtr& volume : VolumesOf("")) {
    const TreePtr candidate = volume->tree();
    if (!Suits(*volume, *candidate, tree)) continue;
    const api::Quantity size = Amount((*candidate)["spec"]["capacity"]["storage"]);
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
  ReportEvent(cluster_, claim, kReporter,
              {.type = "Normal",
               .reason = "ExternalProvisioning",
               .message = fmt::format("Waiting for a volume to be created either by the external provisioner '{}' or "
                                      "manually by the system administrator. If volume creation is delayed, please "
                                      "verify that the provisioner is running and correctly registered.",
                                      storage_class["provisioner"].text())});
  const Json& wanted = tree["spec"];
  Json volume{{"apiVersion", Json::String("v1")}, {"kind", Json::String("PersistentVolume")}};
  Json& metadata = volume.Make("metadata");
  metadata.Set("name", name);
  metadata.Make("annotations").Set("pv.kubernetes.io/provisioned-by", storage_class["provisioner"]);
  Json& spec = volume.Make("spec");
  spec.Set("accessModes", wanted["accessModes"]);
  spec.Make("capacity").Set("storage", wanted["resources"]["requests"]["storage"]);
  spec.Set("claimRef", ClaimReference(claim));
  spec.Set("storageClassName", storage_class["metadata"]["name"]);
  const std::string& policy = storage_class["reclaimPolicy"].text();
  spec.Set("persistentVolumeReclaimPolicy", policy.empty() ? "Delete" : policy);
  if (wanted.Has("volumeMode")) spec.Set("volumeMode", wanted["volumeMode"]);
  spec.Set("csi", Json{{"driver", Json::String(kSimulatedDriver)}, {"volumeHandle", Json::String(name)}});
  const std::string provisioner = storage_class["provisioner"].text();
  const auto note = [&](std::string_view reason, std::string message) {
    ReportEvent(cluster_, claim, provisioner, {.type = "Normal", .reason = reason, .message = std::move(message)});
  };
  note("Provisioning", fmt::format("External provisioner is provisioning volume for claim \"{}\"", claim.key()));
  const auto made =
      cluster_.objects.Create(volumes_, "", std::move(volume), {.manager = std::string(kControllerManager)});
  if (made) note("ProvisioningSucceeded", fmt::format("Successfully provisioned volume {}", name));
  return Succeeded(*this, made);
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
