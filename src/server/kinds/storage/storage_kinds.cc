// SPDX-License-Identifier: Apache-2.0
// The small kinds of storage.k8s.io: classes, capacities and attachments.
#include <map>
#include <set>

#include "api/parts/selector.h"
#include "base/ascii.h"
#include "server/kinds/immutable.h"
#include "server/kinds/kinds.h"
#include "server/kinds/storage/persistent_volume.h"
#include "server/model/checks.h"
#include "server/model/label_selector.h"

namespace berth::server {
namespace {

constexpr size_t kParametersMax = 512;
constexpr size_t kParameterBytesMax = size_t{256} << 10;
constexpr size_t kErrorBytesMax = 1024;
constexpr FieldPath kRoot("");

void ValidateProvisioner(const Json& object, std::string_view name, FieldErrors& errors) {
  const std::string& provisioner = object[name].text();
  if (!provisioner.empty()) {
    const std::string lower = Lower(provisioner);
    CheckQualifiedName(errors, kRoot / name, lower);
  }
}

void ValidateParameters(const Json& parameters, FieldErrors& errors) {
  static constexpr FieldPath kPath("parameters");
  if (parameters.size() > kParametersMax) return errors.TooLong(kPath, kParametersMax);
  size_t bytes = 0;
  for (const auto& [key, value] : parameters.members()) {
    if (key.empty()) errors.Invalid(kPath, key, "field can not be empty.");
    bytes += key.size() + value.text().size();
  }
  if (bytes > kParameterBytesMax) errors.TooLong(kPath, kParameterBytesMax);
}

class StorageClassStrategy final : public Strategy {
 public:
  void Default(Json& object, bool /*is_create*/) const override {
    object.SetDefault("reclaimPolicy", Json::String("Delete"));
    object.SetDefault("volumeBindingMode", Json::String("Immediate"));
  }

  void Validate(const Json& object, FieldErrors& errors) const override {
    ValidateProvisioner(object, "provisioner", errors);
    ValidateParameters(object["parameters"], errors);
    if (const std::string& policy = object["reclaimPolicy"].text(); !policy.empty()) {
      CheckOneOf(errors, FieldPath("reclaimPolicy"), policy, {"Delete", "Retain"});
    }
    CheckMemberOneOf(errors, kRoot, object, "volumeBindingMode", {"Immediate", "WaitForFirstConsumer"});
    ValidateTopologies(object["allowedTopologies"], errors);
    Require(errors, kRoot, object, "provisioner");
  }

  void ValidateUpdate(const Json& object, const Json& old, FieldErrors& errors) const override {
    for (const std::string_view name : {"provisioner", "parameters", "reclaimPolicy", "volumeBindingMode"}) {
      CheckUnchanged(errors, FieldPath(name), object[name], old[name]);
    }
  }

 private:
  using Term = std::map<std::string, std::set<std::string>>;

  static Term ValidateTerm(const Json& expressions, const FieldPath& path, FieldErrors& errors) {
    Term term;
    for (size_t i = 0; i < expressions.size(); ++i) {
      const FieldPath at = path[i];
      const FieldPath values_path = at / "values";
      const Json& values = expressions[i]["values"];
      std::set<std::string> seen;
      if (values.empty()) errors.Required(values_path);
      for (size_t j = 0; j < values.size(); ++j) {
        if (!seen.insert(values[j].text()).second) errors.Duplicate(values_path[j], values[j].text());
      }
      const std::string& key = expressions[i]["key"].text();
      CheckQualifiedName(errors, at / "key", key);
      if (!term.emplace(key, std::move(seen)).second) errors.Duplicate(at / "key", key);
    }
    return term;
  }

  static void ValidateTopologies(const Json& topologies, FieldErrors& errors) {
    static constexpr FieldPath kPath("allowedTopologies");
    std::set<Term> seen;
    for (size_t i = 0; i < topologies.size(); ++i) {
      const FieldPath at = kPath[i];
      const FieldPath path = at / "matchLabelExpressions";
      if (!seen.insert(ValidateTerm(topologies[i]["matchLabelExpressions"], path, errors)).second) {
        errors.Duplicate(path, "");
      }
    }
  }
};

class VolumeAttributesClassStrategy final : public Strategy {
 public:
  void Validate(const Json& object, FieldErrors& errors) const override {
    ValidateProvisioner(object, "driverName", errors);
    ValidateParameters(object["parameters"], errors);
    if (object["parameters"].empty()) errors.Required("parameters", "must contain at least one key/value pair");
    Require(errors, kRoot, object, "driverName");
  }

  void ValidateUpdate(const Json& object, const Json& old, FieldErrors& errors) const override {
    if (object["driverName"] != old["driverName"]) {
      errors.Forbidden("driverName", "updates to driverName are forbidden.");
    }
    if (object["parameters"] != old["parameters"]) {
      errors.Forbidden("parameters", "updates to parameters are forbidden.");
    }
  }
};

class StorageCapacityStrategy final : public Strategy {
 public:
  void Validate(const Json& object, FieldErrors& errors) const override {
    ValidateLabelSelector(object["nodeTopology"], FieldPath("nodeTopology"), errors);
    const std::string& name = object["storageClassName"].text();
    Report(errors, FieldPath("storageClassName"), name, api::ValidateDnsSubdomain(name));
    if (ToQuantity(object["capacity"]).Sign() < 0) {
      errors.Invalid("capacity", object["capacity"], "must be greater than or equal to 0");
    }
  }

  void ValidateUpdate(const Json& object, const Json& old, FieldErrors& errors) const override {
    for (const std::string_view name : {"nodeTopology", "storageClassName"}) {
      CheckImmutable(errors, FieldPath(name), object[name], old[name]);
    }
  }

  bool allows_unconditional_update() const override { return false; }
};

class VolumeAttachmentStrategy final : public Strategy {
 public:
  void Validate(const Json& object, FieldErrors& errors) const override {
    const Json& spec = object["spec"];
    ValidateSource(spec["source"], kSpec / "source", errors);
    Report(errors, kSpec / "nodeName", spec["nodeName"].text(), api::ValidateDnsSubdomain(spec["nodeName"].text()));
    if (const Json* volume = spec["source"].Find("persistentVolumeName")) {
      Report(errors, FieldPath("spec.source.persistentVolumeName"), volume->text(),
             api::ValidateDnsSubdomain(volume->text()));
    }
    CheckDriverName(errors, kSpec / "attacher", spec["attacher"].text(), DriverCase::kAny);
  }

  void ValidateUpdate(const Json& object, const Json& old, FieldErrors& errors) const override {
    CheckUnchanged(errors, FieldPath("spec"), object["spec"], old["spec"]);
  }

  void ValidateStatusUpdate(const Json& object, const Json& /*old*/, FieldErrors& errors) const override {
    for (const std::string_view name : {"attachError", "detachError"}) {
      const FieldPath path = kStatus / name;
      const Json& error = object["status"][name];
      if (error["message"].text().size() > kErrorBytesMax) errors.TooLong(path / "message", kErrorBytesMax);
      if (error["errorCode"].IntOr(0) < 0) {
        errors.Invalid(path / "errorCode", error["errorCode"], RangeText(0, 2147483647));
      }
    }
  }

  bool has_status() const override { return true; }
  bool allows_unconditional_update() const override { return false; }

 private:
  static void ValidateSource(const Json& source, const FieldPath& path, FieldErrors& errors) {
    constexpr std::string_view kOne = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
    const bool is_inline = source.Has("inlineVolumeSpec");
    const bool is_named = source.Has("persistentVolumeName");
    if (is_inline && is_named) return errors.Forbidden(path, kOne);
    if (is_inline) return ValidateInlineVolumeSpec(source["inlineVolumeSpec"], path / "inlineVolumeSpec", errors);
    if (!is_named) return errors.Required(path, kOne);
    if (source["persistentVolumeName"].text().empty()) {
      errors.Required(path / "persistentVolumeName", "must specify non empty persistentVolumeName");
    }
  }
};

}  // namespace

std::unique_ptr<Strategy> MakeStorageClassStrategy() { return std::make_unique<StorageClassStrategy>(); }
std::unique_ptr<Strategy> MakeVolumeAttributesClassStrategy() {
  return std::make_unique<VolumeAttributesClassStrategy>();
}
std::unique_ptr<Strategy> MakeCsiStorageCapacityStrategy() { return std::make_unique<StorageCapacityStrategy>(); }
std::unique_ptr<Strategy> MakeVolumeAttachmentStrategy() { return std::make_unique<VolumeAttachmentStrategy>(); }

}  // namespace berth::server
