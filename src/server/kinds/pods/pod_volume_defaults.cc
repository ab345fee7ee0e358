// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/pod_volume_defaults.h"

#include "server/kinds/pods/container_defaults.h"
#include "server/kinds/pods/container_image.h"

namespace berth::server {
namespace {

constexpr int64_t kFileMode = 0644;
constexpr int64_t kTokenSeconds = 3600;

void DefaultFiles(Json* source) {
  Json* items = source == nullptr ? nullptr : source->Find("items");
  if (items == nullptr) return;
  for (Json& item : items->mutable_items()) {
    if (Json* field = item.Find("fieldRef")) DefaultText(*field, "apiVersion", "v1");
  }
}

void DefaultProjected(Json& projected) {
  Json* sources = projected.Find("sources");
  if (sources == nullptr || !sources->is_list()) return;
  for (Json& source : sources->mutable_items()) {
    DefaultFiles(source.Find("downwardAPI"));
    if (Json* token = source.Find("serviceAccountToken")) {
      token->SetDefault("expirationSeconds", Json::Int(kTokenSeconds));
    }
  }
}

void DefaultAzureDisk(Json& disk) {
  disk.SetDefault("cachingMode", Json::String("ReadWrite"));
  disk.SetDefault("fsType", Json::String("ext4"));
  disk.SetDefault("readOnly", Json::Bool(false));
  disk.SetDefault("kind", Json::String("Shared"));
}

void DefaultSource(std::string_view type, Json& source) {
  if (type == "secret" || type == "configMap" || type == "downwardAPI" || type == "projected") {
    source.SetDefault("defaultMode", Json::Int(kFileMode));
    if (type == "downwardAPI") DefaultFiles(&source);
    if (type == "projected") DefaultProjected(source);
  } else if (type == "hostPath") {
    source.SetDefault("type", Json::String(""));
  } else if (type == "ephemeral") {
    if (Json* claim = source.Find("volumeClaimTemplate")) DefaultClaimSpec(claim->Make("spec"));
  } else if (type == "image") {
    DefaultText(source, "pullPolicy", DefaultPullPolicy(source["reference"].text()));
  } else if (type == "iscsi") {
    DefaultText(source, "iscsiInterface", "default");
  } else if (type == "rbd") {
    DefaultText(source, "pool", "rbd");
    DefaultText(source, "user", "admin");
    DefaultText(source, "keyring", "/etc/ceph/keyring");
  } else if (type == "azureDisk") {
    DefaultAzureDisk(source);
  } else if (type == "scaleIO") {
    DefaultText(source, "storageMode", "ThinProvisioned");
    DefaultText(source, "fsType", "xfs");
  }
}

}  // namespace

void DefaultVolume(Json& volume) {
  bool has_source = false;
  if (volume.is_map()) {
    for (Json::Member& member : volume.mutable_members()) {
      if (member.name == "name") continue;
      has_source = true;
      DefaultSource(member.name, member.value);
    }
  }
  if (!has_source) volume.Set("emptyDir", Json::MakeMap());
}

void DefaultClaimSpec(Json& spec) {
  spec.SetDefault("volumeMode", Json::String("Filesystem"));
  if (Json* resources = spec.Find("resources")) {
    RoundResourceList(resources->Find("limits"));
    RoundResourceList(resources->Find("requests"));
  }
}

}  // namespace berth::server
