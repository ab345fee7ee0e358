// SPDX-License-Identifier: Apache-2.0
// Persistent volumes and claims to them.
#include "api/parts/selector.h"
#include "server/kinds/kinds.h"
#include "server/kinds/pods/container_defaults.h"
#include "server/kinds/pods/container_resources.h"
#include "server/kinds/pods/pod_claim_template.h"
#include "server/kinds/pods/pod_volume_defaults.h"
#include "server/kinds/storage/persistent_volume.h"
#include "server/model/checks.h"
#include "server/store/storage_class.h"

namespace berth::server {
namespace {

class PersistentVolumeStrategy final : public Strategy {
 public:
  void Default(Json& volume, bool /*is_create*/) const override {
    Json& spec = volume.Make("spec");
    RoundResourceList(spec.Find("capacity"));
    if (spec["persistentVolumeReclaimPolicy"].text().empty()) spec.Set("persistentVolumeReclaimPolicy", "Retain");
    spec.SetDefault("volumeMode", Json::String("Filesystem"));
    DefaultVolumeSource(spec);
    Json& status = volume.Make("status");
    if (status["phase"].text().empty()) status.Set("phase", "Pending");
  }

  void PrepareCreate(Json& volume) const override {
    volume.Set("status", Json{{"phase", Json::String("Pending")},
                              {"lastPhaseTransitionTime", volume["metadata"]["creationTimestamp"]}});
  }

  void Validate(const Json& volume, FieldErrors& errors) const override {
    ValidateVolumeSpec(volume["spec"], kSpec, errors);
  }

  void ValidateUpdate(const Json& volume, const Json& old, FieldErrors& errors) const override {
    ValidateVolumeSourceUnchanged(volume["spec"], old["spec"], errors);
    CheckImmutable(errors, FieldPath("volumeMode"), volume["spec"]["volumeMode"], old["spec"]["volumeMode"]);
    if (old["spec"].Has("volumeAttributesClassName") && !volume["spec"].Has("volumeAttributesClassName")) {
      errors.Forbidden(kSpec / "volumeAttributesClassName", "update from non-nil value to nil is forbidden");
    }
  }

  bool has_status() const override { return true; }
};

// What a claim said before it said its class in its spec.
const Json& OldClass(const Json& claim) { return claim["metadata"]["annotations"][kClassAnnotation]; }

// The spec of a claim without what may still change.
Json FixedSpec(const Json& claim, const Json& old) {
  Json spec = claim["spec"];
  if (old["spec"]["volumeName"].text().empty()) spec.Erase("volumeName");
  const bool is_upgrade = !old["spec"].Has("storageClassName") && spec.Has("storageClassName") &&
                          (OldClass(old).is_null() || OldClass(old) == spec["storageClassName"]);
  if (is_upgrade) spec.Erase("storageClassName");
  if (claim["status"]["phase"].text() == "Bound") {
    spec.Make({"resources", "requests"}).Erase("storage");
    spec.Erase("volumeAttributesClassName");
  }
  return spec;
}

class VolumeClaimStrategy final : public Strategy {
 public:
  void Default(Json& claim, bool /*is_create*/) const override {
    DefaultClaimSpec(claim.Make("spec"));
    Json& status = claim.Make("status");
    RoundResourceList(status.Find("capacity"));
    if (status["phase"].text().empty()) status.Set("phase", "Pending");
  }

  void PrepareCreate(Json& claim) const override {
    claim.Set("status", Json{{"phase", Json::String("Pending")}});
    NormalizeSources(claim.Make("spec"));
  }
  void PrepareUpdate(Json& claim, const Json& old) const override {
    claim.Set("status", old["status"]);
    NormalizeSources(claim.Make("spec"));
  }

  void Validate(const Json& claim, FieldErrors& errors) const override {
    ValidateClaimTemplateSpec(claim["spec"], kSpec, errors);
  }

  void ValidateUpdate(const Json& claim, const Json& old, FieldErrors& errors) const override {
    if (OldClass(claim) != OldClass(old)) {
      errors.Invalid("metadata.annotations.volume.beta.kubernetes.io/storage-class", OldClass(claim).text(),
                     "field is immutable");
    }
    if (FixedSpec(claim, old) != FixedSpec(old, old)) {
      errors.Forbidden(kSpec,
                       "spec is immutable after creation except resources.requests and volumeAttributesClassName for "
                       "bound claims");
    }
    ValidateSize(claim, old, errors);
    CheckImmutable(errors, FieldPath("volumeMode"), claim["spec"]["volumeMode"], old["spec"]["volumeMode"]);
    ValidateAttributesClass(claim, old, errors);
  }

  void ValidateStatusUpdate(const Json& claim, const Json& /*old*/, FieldErrors& errors) const override {
    static constexpr FieldPath kCapacity("status.capacity");
    for (const auto& [resource, amount] : claim["status"]["capacity"].members()) {
      const int64_t value = ToQuantity(amount).Value();
      if (value < 0) errors.Invalid(kCapacity.Key(resource), Json::Int(value), "must be a valid resource quantity");
    }
  }

  bool has_status() const override { return true; }

 private:
  // What a claim could be filled from before it could be filled from anything.
  static bool IsOldSource(const Json& source) {
    const std::string& group = source["apiGroup"].text();
    const std::string& kind = source["kind"].text();
    return group.empty() ? kind == "PersistentVolumeClaim"
                         : kind == "VolumeSnapshot" && group == "snapshot.storage.k8s.io";
  }

  // The older field and the newer one say the same.
  static void NormalizeSources(Json& spec) {
    if (spec["dataSourceRef"].is_null() && !IsOldSource(spec["dataSource"])) spec.Erase("dataSource");
    const Json source = spec["dataSource"];
    const Json reference = spec["dataSourceRef"];
    if (source.is_map() && reference.is_null()) spec.Set("dataSourceRef", source);
    if (reference.is_map() && source.is_null() && !reference.Has("namespace")) spec.Set("dataSource", reference);
  }

  static void ValidateSize(const Json& claim, const Json& old, FieldErrors& errors) {
    const api::Quantity size = ToQuantity(claim["spec"]["resources"]["requests"]["storage"]);
    const api::Quantity old_size = ToQuantity(old["spec"]["resources"]["requests"]["storage"]);
    const api::Quantity capacity = ToQuantity(old["status"]["capacity"]["storage"]);
    if (size.Cmp(old_size) < 0 && size.Cmp(capacity) <= 0) {
      errors.Forbidden("spec.resources.requests.storage", "field can not be less than status.capacity");
    }
  }

  static void ValidateAttributesClass(const Json& claim, const Json& old, FieldErrors& errors) {
    const Json& name = claim["spec"]["volumeAttributesClassName"];
    const bool has_current = old["status"].Has("currentVolumeAttributesClassName");
    if (!has_current || name == old["spec"]["volumeAttributesClassName"]) return;
    const FieldPath path = kSpec / "volumeAttributesClassName";
    if (name.is_null()) {
      errors.Forbidden(path, "update to nil is forbidden when status.currentVolumeAttributesClassName is not nil");
    } else if (name.text().empty()) {
      errors.Forbidden(path,
                       "update to empty string is forbidden when status.currentVolumeAttributesClassName is not nil");
    }
  }
};

}  // namespace

std::unique_ptr<Strategy> MakePersistentVolumeStrategy() { return std::make_unique<PersistentVolumeStrategy>(); }
std::unique_ptr<Strategy> MakePersistentVolumeClaimStrategy() { return std::make_unique<VolumeClaimStrategy>(); }

}  // namespace berth::server
