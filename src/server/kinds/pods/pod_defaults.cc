// SPDX-License-Identifier: Apache-2.0
// The defaults of a pod's spec.
#include "server/kinds/pods/container_defaults.h"
#include "server/kinds/pods/pod_spec.h"
#include "server/kinds/pods/pod_volume_defaults.h"

namespace berth::server {
namespace {

constexpr int64_t kGraceSeconds = 30;

// The older name of the field is kept equal to the newer.
void DefaultServiceAccount(Json& spec) {
  const Json& name = spec["serviceAccountName"].text().empty() ? spec["serviceAccount"] : spec["serviceAccountName"];
  if (name.text().empty()) return;
  const Json account = name;
  spec.Set("serviceAccountName", account);
  spec.Set("serviceAccount", account);
}

void DropFromHandler(Json* handler) {
  if (handler == nullptr) return;
  if (Json* http = handler->Find("httpGet")) http->Erase("protocol");
  if (Json* grpc = handler->Find("grpc")) grpc->Erase("mode");
}

void DropFromContainer(Json& container) {
  for (const std::string_view probe : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    DropFromHandler(container.Find(probe));
  }
  if (Json* lifecycle = container.Find("lifecycle")) {
    DropFromHandler(lifecycle->Find("postStart"));
    DropFromHandler(lifecycle->Find("preStop"));
    if (lifecycle->Erase("stopSignal") && lifecycle->empty()) container.Erase("lifecycle");
  }
  if (Json* mounts = container.Find("volumeMounts")) {
    for (Json& mount : mounts->mutable_items()) mount.Erase("bindMountOptions");
  }
}

// Who owns the files of a volume.
void DropUsers(Json& source) {
  source.Erase("defaultUser");
  source.Erase("user");
  for (const std::string_view list : {"items", "sources"}) {
    Json* items = source.Find(list);
    if (items == nullptr || !items->is_list()) continue;
    for (Json& item : items->mutable_items()) {
      item.Erase("user");
      if (list == "items" || !item.is_map()) continue;
      for (Json::Member& projected : item.mutable_members()) DropUsers(projected.value);
    }
  }
}

void DropFromVolume(Json& volume) {
  if (Json* directory = volume.Find("emptyDir")) directory->Erase("mode");
  for (const std::string_view type : {"secret", "configMap", "downwardAPI", "projected"}) {
    if (Json* source = volume.Find(type)) DropUsers(*source);
  }
}

}  // namespace

void DefaultPodSpec(Json& spec) {
  DefaultServiceAccount(spec);
  DefaultText(spec, "dnsPolicy", "ClusterFirst");
  DefaultText(spec, "restartPolicy", "Always");
  spec.SetDefault("securityContext", Json::MakeMap());
  spec.SetDefault("terminationGracePeriodSeconds", Json::Int(kGraceSeconds));
  DefaultText(spec, "schedulerName", "default-scheduler");
  if (Json* volumes = spec.Find("volumes")) {
    for (Json& volume : volumes->mutable_items()) DefaultVolume(volume);
  }
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    Json* containers = spec.Find(list);
    if (containers == nullptr || !containers->is_list()) continue;
    for (Json& container : containers->mutable_items()) DefaultContainer(container);
  }
  RoundResourceList(spec.Find("overhead"));
  if (Json* resources = spec.Find("resources")) {
    RoundResourceList(resources->Find("limits"));
    RoundResourceList(resources->Find("requests"));
  }
}

void DropDisabledFields(Json& spec, const Json& old, const framework::FeatureGates& gates) {
  if (!gates.Enabled(framework::Gate::kGenericWorkload) && !old.Has("schedulingGroup")) spec.Erase("schedulingGroup");
  spec.Erase("evictionResponders");
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    Json* containers = spec.Find(list);
    if (containers == nullptr || !containers->is_list()) continue;
    for (Json& container : containers->mutable_items()) DropFromContainer(container);
  }
  if (Json* volumes = spec.Find("volumes")) {
    for (Json& volume : volumes->mutable_items()) DropFromVolume(volume);
  }
}

}  // namespace berth::server
