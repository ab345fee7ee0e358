// SPDX-License-Identifier: Apache-2.0

#include "client/informers.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace berth::client {
namespace {

constexpr std::array<std::string_view, 5> kBooked = {"Node", "Pod", "PersistentVolume", "PersistentVolumeClaim",
                                                     "ResourceClaim"};

bool IsBooked(const WatchedResource& resource) { return std::ranges::find(kBooked, resource.kind) != kBooked.end(); }

}  // namespace

std::vector<WatchedResource> SchedulerResources() {
  return {
      {"Pod", "v1", "pods", "status.phase!=Succeeded,status.phase!=Failed"},
      {"Node", "v1", "nodes", ""},
      {"Namespace", "v1", "namespaces", ""},
      {"Service", "v1", "services", ""},
      {"ReplicationController", "v1", "replicationcontrollers", ""},
      {"ReplicaSet", "apps/v1", "replicasets", ""},
      {"StatefulSet", "apps/v1", "statefulsets", ""},
      {"PodDisruptionBudget", "policy/v1", "poddisruptionbudgets", ""},
      {"PersistentVolume", "v1", "persistentvolumes", ""},
      {"PersistentVolumeClaim", "v1", "persistentvolumeclaims", ""},
      {"StorageClass", "storage.k8s.io/v1", "storageclasses", ""},
      {"CSINode", "storage.k8s.io/v1", "csinodes", ""},
      {"CSIDriver", "storage.k8s.io/v1", "csidrivers", ""},
      {"CSIStorageCapacity", "storage.k8s.io/v1", "csistoragecapacities", ""},
      {"VolumeAttachment", "storage.k8s.io/v1", "volumeattachments", ""},
      {"ResourceClaim", "resource.k8s.io/v1", "resourceclaims", ""},
      {"ResourceSlice", "resource.k8s.io/v1", "resourceslices", ""},
      {"DeviceClass", "resource.k8s.io/v1", "deviceclasses", ""},
      {"DeviceTaintRule", "resource.k8s.io/v1", "devicetaintrules", ""},
  };
}

Informers::Informers(RestClient& client, runtime::Timers& timers, ObjectSink& sink, ReflectorObserver& observer,
                     Reflector::Options options, std::vector<WatchedResource> resources)
    : unsynced_(resources.size()) {
  for (WatchedResource& resource : resources) {
    // Not the same delays for all.
    options.seed = Random(options.seed).Next();
    Reflector::Options own = options;
    own.fresh = options.fresh && IsBooked(resource);
    reflectors_.push_back(
        std::make_unique<Reflector>(client, timers, sink, observer, std::move(resource), own, [this] { OnSynced(); }));
  }
}

void Informers::Start(Callback on_synced) {
  on_synced_ = std::move(on_synced);
  for (const auto& reflector : reflectors_) reflector->Start();
}

void Informers::Stop() {
  for (const auto& reflector : reflectors_) reflector->Stop();
}

void Informers::Resume() {
  for (const auto& reflector : reflectors_) reflector->Resume();
}

void Informers::ReadAhead(PodRead read) {
  Reflector* pods = Find("Pod");
  if (pods == nullptr) return;
  if (read.pod) return pods->ReadAhead(scheduler::PutObject{*std::move(read.pod)});
  pods->ReadAhead({"Pod", std::move(read.name.ns), std::move(read.name.name), true}, read.gone);
}

void Informers::ReadAhead(ClaimRead read) {
  if (Reflector* claims = Find("ResourceClaim")) claims->ReadAhead(scheduler::PutObject{std::move(read.claim)});
}

std::vector<std::string> Informers::NodeNames() const {
  const Reflector* nodes = Find("Node");
  return nodes == nullptr ? std::vector<std::string>() : nodes->DeliveredNames();
}

Reflector* Informers::Find(std::string_view kind) const {
  const auto found =
      std::ranges::find_if(reflectors_, [&](const auto& reflector) { return reflector->resource().kind == kind; });
  return found == reflectors_.end() ? nullptr : found->get();
}

void Informers::OnSynced() {
  if (--unsynced_ == 0 && on_synced_) on_synced_();
}

void Informers::Refresh(Callback done) {
  struct Refreshing {
    size_t waiting = 0;
    Callback done;
  };
  auto refreshing = std::make_shared<Refreshing>();
  refreshing->done = std::move(done);
  refreshing->waiting = static_cast<size_t>(
      std::ranges::count_if(reflectors_, [](const auto& reflector) { return IsBooked(reflector->resource()); }));
  for (const auto& reflector : reflectors_) {
    if (!IsBooked(reflector->resource())) continue;
    reflector->Refresh([refreshing] {
      if (--refreshing->waiting == 0) refreshing->done();
    });
  }
}

}  // namespace berth::client
