// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/pod_volume_sources.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>

#include "api/parts/selector.h"
#include "base/ascii.h"
#include "server/kinds/pods/pod_claim_template.h"
#include "server/model/checks.h"
#include "server/model/metadata.h"

namespace berth::server {
namespace {

constexpr size_t kDriverLengthMax = 63;

// Members that must be there, which for most types is all there is to check.
struct Needs {
  std::string_view type;
  std::array<std::string_view, 3> members;
};
constexpr std::array kNeeds = {
    Needs{"awsElasticBlockStore", {"volumeID"}},
    Needs{"azureDisk", {"diskName", "diskURI"}},
    Needs{"azureFile", {"secretName", "shareName"}},
    Needs{"cephfs", {"monitors"}},
    Needs{"cinder", {"volumeID"}},
    Needs{"flexVolume", {"driver"}},
    Needs{"gcePersistentDisk", {"pdName"}},
    Needs{"gitRepo", {"repository"}},
    Needs{"glusterfs", {"endpoints", "path"}},
    Needs{"image", {"reference"}},
    Needs{"iscsi", {"targetPortal", "iqn"}},
    Needs{"nfs", {"server", "path"}},
    Needs{"persistentVolumeClaim", {"claimName"}},
    Needs{"photonPersistentDisk", {"pdID"}},
    Needs{"portworxVolume", {"volumeID"}},
    Needs{"rbd", {"monitors", "image"}},
    Needs{"scaleIO", {"gateway", "system", "volumeName"}},
    Needs{"vsphereVolume", {"volumePath"}},
};

void ValidateHostPath(const Json& source, const FieldPath& path, FieldErrors& errors) {
  if (!Require(errors, path, source, "path")) return;
  CheckNoBacksteps(errors, path / "path", source["path"].text());
  CheckMemberOneOf(
      errors, path, source, "type",
      {"", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"});
}

void ValidateFibreChannel(const Json& source, const FieldPath& path, FieldErrors& errors) {
  const Json& targets = source["targetWWNs"];
  const FieldPath at = path / "targetWWNs";
  if (targets.empty() && source["wwids"].empty()) {
    errors.Required(at, "must specify either targetWWNs or wwids, but not both");
  }
  if (targets.empty()) return;
  if (!source["wwids"].empty()) {
    errors.Invalid(at, targets, "targetWWNs and wwids can not be specified simultaneously");
  }
  const Json* lun = source.Find("lun");
  if (lun == nullptr) {
    errors.Required(path / "lun", "lun is required if targetWWNs is specified");
  } else if (lun->IntOr(-1) < 0 || lun->IntOr(-1) > 255) {
    errors.Invalid(path / "lun", *lun, RangeText(0, 255));
  }
}

void ValidateIscsi(const Json& source, const FieldPath& path, FieldErrors& errors) {
  const std::string& name = source["iqn"].text();
  if (!name.empty() && !name.starts_with("iqn") && !name.starts_with("eui") && !name.starts_with("naa")) {
    errors.Invalid(path / "iqn", name, "must be valid format starting with iqn, eui, or naa");
  }
  if (const int64_t lun = source["lun"].IntOr(0); lun < 0 || lun > 255) {
    errors.Invalid(path / "lun", source["lun"], RangeText(0, 255));
  }
  const bool needs_secret = source["chapAuthDiscovery"].AsBool() || source["chapAuthSession"].AsBool();
  if (needs_secret && !source.Has("secretRef")) errors.Required(path / "secretRef");
}

void ValidateAzureDisk(const Json& source, const FieldPath& path, FieldErrors& errors) {
  CheckMemberOneOf(errors, path, source, "cachingMode", {"None", "ReadOnly", "ReadWrite"});
  CheckMemberOneOf(errors, path, source, "kind", {"Dedicated", "Managed", "Shared"});
  const std::string& uri = source["diskURI"].text();
  const bool is_managed = source["kind"].text() == "Managed";
  if (is_managed && !uri.starts_with("/subscriptions/")) {
    errors.NotSupported(
        path / "diskURI", uri,
        {"/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"});
  } else if (!is_managed && !uri.starts_with("https://")) {
    errors.NotSupported(path / "diskURI", uri,
                        {"https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"});
  }
}

void ValidateFlocker(const Json& source, const FieldPath& path, FieldErrors& errors) {
  const std::string& name = source["datasetName"].text();
  const bool has_uuid = !source["datasetUUID"].text().empty();
  if (name.empty() && !has_uuid) errors.Required(path, "one of datasetName and datasetUUID is required");
  if (!name.empty() && has_uuid) {
    errors.Invalid(path, "resource", "datasetName and datasetUUID can not be specified simultaneously");
  }
  if (name.find('/') != name.npos) errors.Invalid(path / "datasetName", name, "must not contain '/'");
}

void ValidateQuobyte(const Json& source, const FieldPath& path, FieldErrors& errors) {
  constexpr size_t kTenantLengthMax = 64;
  constexpr std::string_view kRegistry = "must be a host:port pair or multiple pairs separated by commas";
  std::string_view registry = source["registry"].text();
  if (registry.empty()) {
    errors.Required(path / "registry", kRegistry);
  } else if (source["tenant"].text().size() > kTenantLengthMax) {
    errors.Required(path / "tenant", "must be a UUID and may not exceed a length of 64 characters");
  } else {
    for (size_t comma = 0; comma != registry.npos; registry.remove_prefix(std::min(registry.size(), comma + 1))) {
      comma = registry.find(',');
      const std::string_view pair = registry.substr(0, comma);
      if (std::ranges::count(pair, ':') != 1) errors.Invalid(path / "registry", source["registry"], kRegistry);
    }
  }
  Require(errors, path, source, "volume");
}

void ValidateFlexOptions(const Json& source, const FieldPath& path, FieldErrors& errors) {
  const FieldPath options = path / "options";
  for (const Json::Member& option : source["options"].members()) {
    const std::string domain = "." + Lower(std::string_view(option.name).substr(0, option.name.text().find('/')));
    if (!domain.ends_with(".kubernetes.io") && !domain.ends_with(".k8s.io")) continue;
    errors.Invalid(options.Key(option.name), option.name, "kubernetes.io and k8s.io namespaces are reserved");
  }
}

void ValidateStorageOs(const Json& source, const FieldPath& path, FieldErrors& errors) {
  CheckRequiredDnsLabel(errors, path, source, "volumeName");
  const std::string& ns = source["volumeNamespace"].text();
  if (!ns.empty()) Report(errors, path / "volumeNamespace", ns, CheckDnsLabel(ns));
}

void ValidateCsi(const Json& source, const FieldPath& path, FieldErrors& errors) {
  const std::string& driver = source["driver"].text();
  if (Require(errors, path, source, "driver")) {
    if (driver.size() > kDriverLengthMax) errors.TooLong(path / "driver", kDriverLengthMax);
    Report(errors, path / "driver", driver, api::ValidateDnsSubdomain(Lower(driver)));
  }
  const Json* secret = source.Find("nodePublishSecretRef");
  if (secret == nullptr) return;
  const std::string& name = (*secret)["name"].text();
  if (name.empty()) {
    errors.Required(path / "nodePublishSecretRef.name");
  } else {
    Report(errors, path / "name", name, api::ValidateDnsSubdomain(name));
  }
}

void ValidatePartition(const Json& source, const FieldPath& path, FieldErrors& errors) {
  const int64_t partition = source["partition"].IntOr(0);
  if (partition < 0 || partition > 255) errors.Invalid(path / "partition", source["partition"], RangeText(1, 255));
}

void ValidateSecretRef(const Json& source, const FieldPath& path, FieldErrors& errors) {
  const Json* secret = source.Find("secretRef");
  if (secret != nullptr && (*secret)["name"].text().empty()) errors.Required(path / "secretRef.name");
}

void ValidateEphemeral(const Json& source, const FieldPath& path, FieldErrors& errors) {
  const FieldPath at = path / "volumeClaimTemplate";
  const Json* claim = source.Find("volumeClaimTemplate");
  if (claim == nullptr) return errors.Required(at);
  ValidateTemplateMetadata((*claim)["metadata"], at / "metadata", errors);
  ValidateClaimTemplateSpec((*claim)["spec"], at / "spec", errors);
}

void ValidateEmptyDir(const Json& source, const FieldPath& path, FieldErrors& errors) {
  if (!source["sizeLimit"].text().starts_with('-')) return;
  errors.Forbidden(path / "sizeLimit", "SizeLimit field must be a valid resource quantity");
}

void RequireMembers(std::string_view type, const Json& source, const FieldPath& path, FieldErrors& errors) {
  const auto* needs = std::ranges::find(kNeeds, type, &Needs::type);
  if (needs == kNeeds.end()) return;
  for (const std::string_view member : needs->members) {
    if (!member.empty()) Require(errors, path, source, member);
  }
}

}  // namespace

void ValidateVolumeSource(std::string_view type, const Json& source, const FieldPath& path, FieldErrors& errors) {
  RequireMembers(type, source, path, errors);
  if (type == "emptyDir") return ValidateEmptyDir(source, path, errors);
  if (type == "hostPath") return ValidateHostPath(source, path, errors);
  if (type == "ephemeral") return ValidateEphemeral(source, path, errors);
  if (type == "csi") return ValidateCsi(source, path, errors);
  if (type == "fc") return ValidateFibreChannel(source, path, errors);
  if (type == "iscsi") return ValidateIscsi(source, path, errors);
  if (type == "azureDisk") return ValidateAzureDisk(source, path, errors);
  if (type == "flocker") return ValidateFlocker(source, path, errors);
  if (type == "quobyte") return ValidateQuobyte(source, path, errors);
  if (type == "flexVolume") return ValidateFlexOptions(source, path, errors);
  if (type == "cinder") return ValidateSecretRef(source, path, errors);
  if (type == "gitRepo") return CheckRelativePath(errors, path / "directory", source["directory"].text());
  if (type == "image") return CheckEnum(errors, path, source, "pullPolicy", {"Always", "IfNotPresent", "Never"});
  if (type == "storageos") {
    ValidateStorageOs(source, path, errors);
    return ValidateSecretRef(source, path, errors);
  }
  if (type == "gcePersistentDisk" || type == "awsElasticBlockStore") return ValidatePartition(source, path, errors);
  if (type == "nfs") {
    const std::string& target = source["path"].text();
    if (!target.starts_with('/')) errors.Invalid(path / "path", target, "must be an absolute path");
    return;
  }
  ValidateFilesVolume(type, source, path, errors);
}

}  // namespace berth::server
