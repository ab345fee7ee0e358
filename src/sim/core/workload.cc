// SPDX-License-Identifier: Apache-2.0
#include "sim/core/workload.h"

#include <array>
#include <utility>

#include "cluster/test_builders.h"

namespace berth::sim {
namespace {

using cluster::MatchLabels;
using cluster::NodeBuilder;
using cluster::PodBuilder;
using cluster::Term;

constexpr const char* kNamespace = "default";
constexpr std::array kZones = {"a", "b", "c"};
constexpr std::array kApps = {"web", "db", "batch"};
constexpr std::array kTopologies = {"kubernetes.io/hostname", "topology.kubernetes.io/zone"};
constexpr std::array kCpus = {"0", "100m", "250m", "500m", "1", "2"};
constexpr std::array kSizes = {"1", "2", "4", "8"};
constexpr std::array kPriorities = {0, 0, 0, 10, 100, 1000};
constexpr const char* kDriver = "gpu.example.com";
constexpr std::array kClasses = {"now", "late", "local"};

}  // namespace

void Workload::Start(int64_t events, Time end) {
  MakeStorage();
  api::DeviceClass device_class;
  device_class.meta.name = kDeviceClass;
  device_class.extended_resource_name = kDeviceResource;
  server_.Write(std::move(device_class));
  for (int64_t i = dice_.Between(1, 12); i > 0; --i) CreateNode("n" + std::to_string(i));
  for (int64_t i = dice_.Between(5, 40); i > 0; --i) CreatePod();
  const Duration span = end - agenda_.now();
  for (int64_t i = 0; i < events; ++i) agenda_.After(dice_.UpTo(span), [this] { Change(); });
}

void Workload::MakeStorage() {
  for (const char* name : kClasses) {
    api::StorageClass storage_class;
    storage_class.meta.name = name;
    storage_class.provisioner = name == std::string("local") ? "kubernetes.io/no-provisioner" : "example.com/disk";
    storage_class.volume_binding_mode = name == std::string("now") ? "Immediate" : "WaitForFirstConsumer";
    agenda_.After(dice_.UpTo(Seconds(20)), [this, storage_class] { server_.Write(storage_class); });
  }
}

void Workload::Change() {
  const int64_t what = dice_.Between(0, 99);
  if (what < 35) return CreatePod();
  if (what < 65) return ChangePod();
  if (what < 90) return ChangeNode();
  if (what < 93) return CreateBudget();
  if (what < 96) return MakeDevices("n" + std::to_string(dice_.Between(1, 12)));
  server_.Remove(ApiModel::Key("PersistentVolumeClaim", kNamespace, "c" + std::to_string(dice_.Between(1, 8))));
}

void Workload::CreateNode(const std::string& name) {
  NodeBuilder node(name);
  const char* const pods = dice_.Pick(std::array{"3", "5", "110"});
  node.Capacity(dice_.Pick(kSizes), "8Gi", pods).Label("disk", dice_.Percent(50) ? "ssd" : "hdd");
  if (dice_.Percent(90)) node.Zone(dice_.Pick(kZones));
  if (dice_.Percent(30)) node.Allocatable("example.com/gpu", "2");
  if (dice_.Percent(20)) node.Taint("dedicated", "x", dice_.Percent(70) ? "NoSchedule" : "PreferNoSchedule");
  api::Node made = node.Build();
  made.meta.uid.clear();
  server_.Write(std::move(made));
  if (dice_.Percent(60)) MakeDevices(name);
  if (dice_.Percent(30)) MakeParts(name);
}

// Devices that a node has, in a new generation of its pool. Some can be shared.
void Workload::MakeDevices(const std::string& node) {
  api::ResourceSlice slice;
  slice.meta.name = "slice-" + node;
  const api::ResourceSlice* old = server_.Find<api::ResourceSlice>("", slice.meta.name);
  slice.driver = kDriver;
  slice.pool = {node, old == nullptr ? 1 : old->pool.generation + 1, 1};
  slice.nodes.node_name = node;
  for (int64_t i = dice_.Between(1, 3); i > 0; --i) {
    api::Device& device = slice.devices.emplace_back();
    device.name = "gpu-" + std::to_string(i);
    if (i > 1) continue;  // The first one, whatever the generation.
    device.allow_multiple_allocations = true;
    device.capacity = {{"memory", {.value = api::Quantity::FromInt(2), .request_policy = {}}}};
  }
  server_.Write(std::move(slice));
}

// Parts of one device, of which some exclude each other. They stay as they are.
void Workload::MakeParts(const std::string& node) {
  api::ResourceSlice counters;
  counters.meta.name = "counters-" + node;
  if (server_.Find<api::ResourceSlice>("", counters.meta.name) != nullptr) return;
  counters.driver = kDriver;
  counters.pool = {kPartsPool + node, 1, 2};
  counters.nodes.node_name = node;
  api::ResourceSlice parts = counters;
  parts.meta.name = "parts-" + node;
  api::ResourceList units;
  units.Set("units", api::Quantity::FromInt(kPartUnits));
  counters.shared_counters = {{.name = "all", .counters = std::move(units)}};
  for (int64_t size = 1; size <= 4; ++size) {
    api::Device& device = parts.devices.emplace_back();
    device.name = std::to_string(size);
    api::ResourceList taken;
    taken.Set("units", api::Quantity::FromInt(size));
    device.consumes_counters = {{.counter_set = "all", .counters = std::move(taken), .compatibility_groups = {}}};
  }
  server_.Write(std::move(counters));
  server_.Write(std::move(parts));
}

api::ResourceClaim DeviceClaim(const std::string& name, int64_t count) {
  api::ResourceClaim claim;
  claim.meta.ns = kNamespace;
  claim.meta.name = name;
  api::DeviceRequest& request = claim.requests.emplace_back();
  request.name = "req";
  request.exactly.emplace();
  request.exactly->name = request.name;
  request.exactly->device_class_name = kDeviceClass;
  request.exactly->allocation_mode = "ExactCount";
  request.exactly->count = count;
  return claim;
}

void Workload::CreateResourceClaim(const std::string& name) {
  if (server_.Find<api::ResourceClaim>(kNamespace, name) != nullptr) return;
  api::ResourceClaim claim = DeviceClaim(name, dice_.Between(1, 2));
  if (dice_.Percent(30)) claim.requests[0].exactly->capacity_requests = cluster::Amounts({{"memory", "1"}});
  server_.Write(std::move(claim));
}

void Workload::ChangeNode() {
  const std::string name = "n" + std::to_string(dice_.Between(1, 12));
  if (server_.Find<api::Node>("", name) == nullptr) return CreateNode(name);
  if (dice_.Percent(25)) {
    server_.Remove(ApiModel::Key("Node", "", name));
    if (dice_.Percent(30)) CreateNode(name);
    return;
  }
  server_.Update<api::Node>("", name, [&](api::Node& node) {
    switch (dice_.Between(0, 3)) {
      case 0: node.unschedulable = !node.unschedulable; break;
      case 1: node.meta.labels.Set("topology.kubernetes.io/zone", dice_.Pick(kZones)); break;
      case 2: node.allocatable.Set("cpu", api::Quantity::Parse(dice_.Pick(kSizes)).value()); break;
      default:
        if (node.taints.empty()) {
          node.taints.push_back({"dedicated", "x", "NoSchedule"});
        } else {
          node.taints.clear();
        }
    }
  });
}

void Workload::CreatePod() { server_.Write(MakePod("p" + std::to_string(++made_))); }

api::Pod Workload::MakePod(const std::string& name) {
  PodBuilder pod(name);
  pod.Request("cpu", dice_.Pick(kCpus)).Label("app", dice_.Pick(kApps)).Priority(dice_.Pick(kPriorities));
  pod.SchedulerName(dice_.Percent(90) ? "default-scheduler" : "foreign").raw().meta.uid.clear();
  if (dice_.Percent(20)) pod.Request("memory", "1Gi");
  if (dice_.Percent(10)) pod.Request("example.com/gpu", "1");
  if (dice_.Percent(8)) pod.Request(kDeviceResource, "1");
  const bool is_ours = pod.raw().spec.scheduler_name == "default-scheduler";
  // Foreign pods are placed without regard to ports.
  if (is_ours && dice_.Percent(10)) pod.HostPort(static_cast<int32_t>(dice_.Between(8080, 8082)));
  if (dice_.Percent(30)) pod.Toleration("dedicated");
  if (dice_.Percent(30)) pod.Owner("ReplicaSet", "rs" + std::to_string(dice_.Between(1, 3)));
  if (dice_.Percent(8)) pod.Gate("example.com/wait");
  if (dice_.Percent(5)) pod.PreemptionPolicy("Never");
  api::Pod made = pod.Build();
  AddConstraints(made);
  if (dice_.Percent(15)) {
    const std::string claim = "c" + std::to_string(dice_.Between(1, 8));
    api::Volume volume;
    volume.name = "data";
    volume.source = api::Volume::Source::kPersistentVolumeClaim;
    volume.id = claim;
    made.spec.volumes.push_back(std::move(volume));
    agenda_.After(dice_.UpTo(Seconds(15)), [this, claim] { CreateClaim(claim); });
  }
  if (dice_.Percent(20)) {
    const std::string claim = "rc" + std::to_string(dice_.Between(1, 10));
    made.spec.resource_claims = {{.name = "gpu", .claim_name = claim, .template_name = {}}};
    agenda_.After(dice_.UpTo(Seconds(15)), [this, claim] { CreateResourceClaim(claim); });
  }
  return made;
}

void Workload::AddConstraints(api::Pod& made) {
  PodBuilder pod("");
  pod.raw() = std::move(made);
  if (dice_.Percent(10)) pod.NodeSelector("disk", "ssd");
  if (dice_.Percent(10))
    pod.NodeAffinity("topology.kubernetes.io/zone", "In", {dice_.Pick(kZones), dice_.Pick(kZones)});
  if (dice_.Percent(10)) pod.Affinity(MakeTerm());
  if (dice_.Percent(15)) pod.AntiAffinity(MakeTerm());
  if (dice_.Percent(10)) pod.PreferredAntiAffinity(10, MakeTerm());
  if (dice_.Percent(20)) {
    const std::string app = dice_.Pick(kApps);
    const char* const otherwise = dice_.Percent(60) ? "DoNotSchedule" : "ScheduleAnyway";
    const std::string topology = dice_.Pick(kTopologies);
    pod.Spread(static_cast<int32_t>(dice_.Between(1, 2)), topology, otherwise, {{"app", app}});
  }
  made = std::move(pod.raw());
}

api::PodAffinityTerm Workload::MakeTerm() {
  const std::string app = dice_.Pick(kApps);
  return Term(dice_.Pick(kTopologies), {{"app", app}});
}

void Workload::ChangePod() {
  const std::vector<std::string> names = Names("Pod");
  if (names.empty()) return;
  const std::string name = dice_.Pick(names);
  if (dice_.Percent(40)) return server_.DeletePod(kNamespace, name, dice_.Percent(50));
  if (dice_.Percent(15)) {
    server_.DeletePod(kNamespace, name, false);
    return server_.Write(MakePod(name));
  }
  server_.Update<api::Pod>(kNamespace, name, [&](api::Pod& pod) {
    switch (dice_.Between(0, 4)) {
      case 0: pod.meta.labels.Set("app", dice_.Pick(kApps)); break;
      case 1: pod.spec.tolerations.push_back({"dedicated", "Exists", "", ""}); break;
      case 2: pod.spec.scheduling_gates.clear(); break;
      case 3: BindElsewhere(pod); break;
      default:
        if (!pod.node_name.empty()) pod.status.phase = dice_.Percent(50) ? "Succeeded" : "Running";
    }
  });
}

// Somebody else binds a pod that may be in the scheduler's hands.
void Workload::BindElsewhere(api::Pod& pod) {
  const std::vector<std::string> nodes = Names("Node");
  const bool can_bind =
      pod.node_name.empty() && !pod.meta.deletion_timestamp && pod.spec.containers[0].host_ports.empty();
  if (can_bind && !nodes.empty() && dice_.Percent(30)) pod.node_name = dice_.Pick(nodes);
}

void Workload::CreateClaim(const std::string& name) {
  if (server_.Find<api::PersistentVolumeClaim>(kNamespace, name) != nullptr) return;
  api::PersistentVolumeClaim claim;
  claim.meta.ns = kNamespace;
  claim.meta.name = name;
  claim.access_modes = {dice_.Percent(20) ? "ReadWriteOncePod" : "ReadWriteOnce"};
  claim.storage_class_name = dice_.Pick(kClasses);
  claim.requests = cluster::Amounts({{"storage", "1Gi"}});
  if (claim.storage_class_name == "local") {
    api::PersistentVolume volume;
    volume.meta.name = "local-" + std::to_string(++made_);
    volume.access_modes = claim.access_modes;
    volume.storage_class_name = "local";
    volume.capacity = claim.requests;
    volume.phase = "Available";
    volume.node_affinity.emplace().terms.push_back({{{"disk", "In", {"ssd"}}}, {}});
    server_.Write(std::move(volume));
  }
  server_.Write(std::move(claim));
}

void Workload::CreateBudget() {
  api::PodDisruptionBudget budget;
  budget.meta.ns = kNamespace;
  budget.meta.name = "budget" + std::to_string(dice_.Between(1, 3));
  budget.selector = MatchLabels({{"app", dice_.Pick(kApps)}});
  budget.disruptions_allowed = static_cast<int32_t>(dice_.Between(0, 1));
  server_.Write(std::move(budget));
}

std::vector<std::string> Workload::Names(std::string_view kind) const {
  std::vector<std::string> names;
  for (const auto& [key, object] : server_.objects()) {
    if (api::KindOf(object) == kind) names.push_back(api::MetaOf(object).name);
  }
  return names;
}

void Workload::RemoveEverything() {
  while (!server_.objects().empty()) server_.Remove(std::string(server_.objects().begin()->first));
}

}  // namespace berth::sim
