// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/storage/persistent_volume.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>

#include "api/parts/selector.h"
#include "base/ascii.h"
#include "server/kinds/pods/pod_affinity.h"
#include "server/kinds/pods/pod_claim_template.h"
#include "server/kinds/pods/pod_volume_defaults.h"
#include "server/kinds/pods/pod_volume_sources.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr size_t kDriverNameLengthMax = 63;

// In the order in which upstream looks at them.
constexpr std::array<std::string_view, 22> kSources = {"hostPath",
                                                       "gcePersistentDisk",
                                                       "awsElasticBlockStore",
                                                       "glusterfs",
                                                       "flocker",
                                                       "nfs",
                                                       "rbd",
                                                       "quobyte",
                                                       "cephfs",
                                                       "iscsi",
                                                       "cinder",
                                                       "fc",
                                                       "flexVolume",
                                                       "azureFile",
                                                       "vsphereVolume",
                                                       "photonPersistentDisk",
                                                       "portworxVolume",
                                                       "azureDisk",
                                                       "scaleIO",
                                                       "local",
                                                       "storageos",
                                                       "csi"};

void ValidateCapacity(const Json& capacity, const FieldPath& path, FieldErrors& errors) {
  if (capacity.empty()) errors.Required(path);
  if (!capacity.Has("storage") || capacity.size() > 1) {
    const std::string text = capacity.is_map() ? capacity.ToText() : "null";
    errors.Add({"FieldValueNotSupported", "Unsupported value: " + text + ": supported values: \"storage\"", path});
  }
  for (const auto& [resource, text] : capacity.members()) {
    const api::Quantity amount = ToQuantity(text);
    if (amount.Value() < 0) {
      errors.Invalid(path.Key(resource), Json::Int(amount.Value()), "must be a valid resource quantity");
    }
    if (amount.Sign() <= 0) errors.Invalid(path.Key(resource), text, "must be greater than zero");
  }
}

void ValidateSecretReference(const Json& source, std::string_view name, const FieldPath& path, FieldErrors& errors) {
  const Json* reference = source.Find(name);
  if (reference == nullptr) return;
  const FieldPath at = path / name;
  if (Require(errors, at, *reference, "name")) {
    Report(errors, at / "name", (*reference)["name"].text(), api::ValidateDnsSubdomain((*reference)["name"].text()));
  }
  CheckRequiredDnsLabel(errors, at, *reference, "namespace");
}

void ValidateCsiVolume(const Json& source, const FieldPath& path, FieldErrors& errors) {
  CheckDriverName(errors, path / "driver", source["driver"].text());
  Require(errors, path, source, "volumeHandle");
  for (const std::string_view name :
       {"controllerPublishSecretRef", "controllerExpandSecretRef", "nodePublishSecretRef", "nodeExpandSecretRef"}) {
    ValidateSecretReference(source, name, path, errors);
  }
}

// The rules of pods in other words.
void ValidateIscsiVolume(const Json& source, const FieldPath& path, FieldErrors& errors) {
  FieldErrors found;
  ValidateVolumeSource("iscsi", source, path, found);
  for (FieldError& error : found.Take()) {
    constexpr std::string_view kStarting = " starting with iqn, eui, or naa";
    if (error.message.ends_with(kStarting)) error.message.resize(error.message.size() - kStarting.size());
    errors.Add(std::move(error));
  }
}

void ValidateSource(std::string_view type, const Json& spec, const FieldPath& spec_path, FieldErrors& errors) {
  const Json& source = spec[type];
  const FieldPath path = spec_path / type;
  if (type == "csi") return ValidateCsiVolume(source, path, errors);
  if (type == "gcePersistentDisk") return ValidateVolumeSource(type, source, spec_path / "persistentDisk", errors);
  if (type == "iscsi") return ValidateIscsiVolume(source, path, errors);
  if (type != "local") return ValidateVolumeSource(type, source, path, errors);
  if (Require(errors, path, source, "path")) CheckNoBacksteps(errors, path / "path", source["path"].text());
  if (!spec.Has("nodeAffinity")) errors.Required(spec_path / "nodeAffinity", "Local volume requires node affinity");
}

void ValidateSources(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  size_t count = 0;
  for (const std::string_view type : kSources) {
    if (!spec.Has(type)) continue;
    // Upstream does not count flex volumes as a second source.
    if (count++ == 0 || type == "flexVolume") {
      ValidateSource(type, spec, path, errors);
    } else {
      errors.Forbidden(path / (type == "cephfs" ? "cephFS" : type), "may not specify more than 1 volume type");
    }
  }
  if (count == 0) errors.Required(path, "must specify a volume type");
}

void ValidateAttributesClass(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const Json* name = spec.Find("volumeAttributesClassName");
  if (name == nullptr) return;
  if (name->text().empty()) {
    errors.Required(path / "volumeAttributesClassName", "an empty string is disallowed");
  } else {
    ValidateClassName(spec, "volumeAttributesClassName", path, errors);
  }
  if (!spec.Has("csi")) {
    errors.Required(path / "csi", "has to be specified when using volumeAttributesClassName");
  }
}

}  // namespace

void DefaultVolumeSource(Json& spec) {
  for (const std::string_view type : {"hostPath", "rbd", "iscsi", "azureDisk", "scaleIO"}) {
    Json* source = spec.Find(type);
    if (source == nullptr) continue;
    Json volume{{std::string(type), std::move(*source)}};
    DefaultVolume(volume);
    *source = volume[type];
  }
}

void ValidateVolumeSpec(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  if (spec["accessModes"].empty()) errors.Required(path / "accessModes");
  ValidateAccessModes(spec["accessModes"], path / "accessModes", errors);
  ValidateCapacity(spec["capacity"], path / "capacity", errors);
  const std::string& policy = spec["persistentVolumeReclaimPolicy"].text();
  if (!policy.empty()) {
    CheckOneOf(errors, path / "persistentVolumeReclaimPolicy", policy, {"Delete", "Recycle", "Retain"});
  }
  if (const Json* affinity = spec.Find("nodeAffinity")) {
    const FieldPath affinity_path = path / "nodeAffinity";
    if (affinity->Has("required")) {
      ValidateNodeSelectorTerms((*affinity)["required"], affinity_path / "required", errors);
    } else {
      errors.Required(affinity_path / "required", "must specify required node constraints");
    }
  }
  ValidateSources(spec, path, errors);
  if (policy == "Recycle" && spec["hostPath"]["path"].text() == "/") {
    errors.Forbidden(path / "persistentVolumeReclaimPolicy", "may not be 'recycle' for a hostPath mount of '/'");
  }
  ValidateClassName(spec, "storageClassName", path, errors);
  CheckMemberOneOf(errors, path, spec, "volumeMode", {"Block", "Filesystem"});
  ValidateAttributesClass(spec, path, errors);
}

void ValidateInlineVolumeSpec(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kNotInline = "may not be specified in the context of inline volumes";
  if (spec.Has("claimRef")) errors.Forbidden(path / "claimRef", kNotInline);
  if (!spec["capacity"].empty()) errors.Forbidden(path / "capacity", kNotInline);
  if (!spec.Has("csi")) errors.Required(path / "csi", "has to be specified in the context of inline volumes");
  if (spec["accessModes"].empty()) errors.Required(path / "accessModes");
  ValidateAccessModes(spec["accessModes"], path / "accessModes", errors);
  const std::string& policy = spec["persistentVolumeReclaimPolicy"].text();
  if (!policy.empty() && policy != "Retain") {
    errors.Forbidden(path / "persistentVolumeReclaimPolicy", "may only be Retain in the context of inline volumes");
  }
  if (spec.Has("nodeAffinity")) errors.Forbidden(path / "nodeAffinity", kNotInline);
  ValidateSources(spec, path, errors);
  if (!spec["storageClassName"].text().empty()) errors.Forbidden(path / "storageClassName", kNotInline);
  if (spec.Has("volumeMode") && spec["volumeMode"].text() != "Filesystem") {
    errors.Forbidden(path / "volumeMode",
                     "may not specify volumeMode other than Filesystem in the context of inline volumes");
  }
}

void ValidateVolumeSourceUnchanged(const Json& spec, const Json& old, FieldErrors& errors) {
  for (const std::string_view type : kSources) {
    Json source = spec[type];
    // A secret for expansion may be added.
    if (type == "csi" && source.is_map() && !old["csi"].Has("controllerExpandSecretRef")) {
      source.Erase("controllerExpandSecretRef");
    }
    if (source == old[type]) continue;
    return errors.Forbidden("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation");
  }
}

void CheckDriverName(FieldErrors& errors, const FieldPath& path, std::string_view name, DriverCase letters) {
  if (name.empty()) return errors.Required(path);
  if (name.size() > kDriverNameLengthMax) errors.TooLong(path, kDriverNameLengthMax);
  const Problems problems = api::ValidateDnsSubdomain(Lower(name));
  if (letters == DriverCase::kLower || problems.empty()) return Report(errors, path, name, problems);
  errors.Invalid(path, name,
                 "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end "
                 "with an alphanumeric character (e.g. 'Example.com', regex used for validation is "
                 "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
}

}  // namespace berth::server
