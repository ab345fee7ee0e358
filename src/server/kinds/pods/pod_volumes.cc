// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/pod_volumes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "api/document/field_error.h"
#include "api/parts/selector.h"
#include "server/kinds/pods/pod_volume_sources.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

// In the order in which upstream looks for them. Upstream misspells some paths of its errors.
struct SourceType {
  std::string_view name;
  std::string_view path;       // In errors of its fields, if it is not the name.
  std::string_view surplus{};  // In the error that there is more than one source, if it is not the name.
};
constexpr std::array<SourceType, 30> kSourceTypes = {{
    {"emptyDir", {}},
    {"hostPath", {}},
    {"gitRepo", {}},
    {"gcePersistentDisk", "persistentDisk"},
    {"awsElasticBlockStore", {}},
    {"secret", {}},
    {"nfs", {}},
    {"iscsi", {}},
    {"glusterfs", {}},
    {"flocker", {}},
    {"persistentVolumeClaim", {}},
    {"rbd", {}},
    {"cinder", {}},
    {"cephfs", {}, "cephFS"},
    {"quobyte", {}},
    {"downwardAPI", {}, "downwarAPI"},
    {"fc", {}},
    {"flexVolume", {}},
    {"configMap", {}},
    {"azureFile", {}},
    {"vsphereVolume", {}},
    {"photonPersistentDisk", {}},
    {"portworxVolume", {}},
    {"azureDisk", {}},
    {"storageos", {}},
    {"projected", {}},
    {"scaleIO", {}},
    {"csi", {}},
    {"ephemeral", {}},
    {"image", {}},
}};

// The claim that is made for an ephemeral volume is called after the pod and the volume.
void ValidateClaimName(const Json& volume, std::string_view pod_name, const FieldPath& path, FieldErrors& errors) {
  const std::string& name = volume["name"].text();
  if (pod_name.empty() || name.empty()) return;
  const std::string claim = fmt::format("{}-{}", pod_name, name);
  for (const std::string& problem : api::ValidateDnsSubdomain(claim)) {
    errors.Invalid(path / "name", name, fmt::format("PVC name {}: {}", api::GoQuote(claim), problem));
  }
}

void ValidateIscsiNameLength(const Json& volume, const FieldPath& path, FieldErrors& errors) {
  constexpr size_t kLengthMax = 64;
  const Json& iscsi = volume["iscsi"];
  const std::string& name = volume["name"].text();
  if (!iscsi.Has("initiatorName") || name.size() + 1 + iscsi["targetPortal"].text().size() <= kLengthMax) return;
  errors.Invalid(path / "name", name,
                 "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if "
                 "iscsi.initiatorName is specified.");
}

void ValidateSource(const Json& volume, std::string_view pod_name, const FieldPath& path, FieldErrors& errors) {
  bool has_one = false;
  for (const SourceType& type : kSourceTypes) {
    const Json* source = volume.Find(type.name);
    if (source == nullptr) continue;
    if (has_one) {
      errors.Forbidden(path / (type.surplus.empty() ? type.name : type.surplus),
                       "may not specify more than 1 volume type");
    } else {
      has_one = true;
      ValidateVolumeSource(type.name, *source, path / (type.path.empty() ? type.name : type.path), errors);
      if (type.name == "ephemeral") ValidateClaimName(volume, pod_name, path, errors);
    }
    if (type.name == "iscsi") ValidateIscsiNameLength(volume, path, errors);
  }
  if (!has_one) errors.Required(path, "must specify a volume type");
}

std::vector<std::string> CreatedClaims(const Json& volumes, std::string_view pod_name) {
  std::vector<std::string> claims;
  if (pod_name.empty()) return claims;
  for (const Json& volume : volumes.items()) {
    if (volume.Has("ephemeral")) claims.push_back(fmt::format("{}-{}", pod_name, volume["name"].text()));
  }
  return claims;
}

}  // namespace

Volumes ValidateVolumes(const Json& volumes, std::string_view pod_name, const FieldPath& path, FieldErrors& errors) {
  Volumes valid;
  const std::vector<std::string> created = CreatedClaims(volumes, pod_name);
  for (size_t i = 0; i < volumes.size(); ++i) {
    const Json& volume = volumes[i];
    const FieldPath at = path[i];
    const size_t before = errors.all().size();
    ValidateSource(volume, pod_name, at, errors);
    CheckRequiredDnsLabel(errors, at, volume, "name");
    const std::string& name = volume["name"].text();
    if (FindVolume(valid, name) != nullptr) errors.Duplicate(at / "name", name);
    if (errors.all().size() == before) valid.push_back(&volume);
    const Json* claim = volume["persistentVolumeClaim"].Find("claimName");
    if (claim != nullptr && std::ranges::find(created, claim->text()) != created.end()) {
      errors.Invalid(at / "persistentVolumeClaim.claimName", *claim,
                     "must not reference a PVC that gets created for an ephemeral volume");
    }
  }
  return valid;
}

}  // namespace berth::server
