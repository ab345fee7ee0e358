// SPDX-License-Identifier: Apache-2.0
#include "sim/protocol/cluster_life.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "api/parts/quantity.h"
#include "plugins/helpers/volume_claims.h"

namespace berth::sim {
namespace {

using server::Json;
using server::ObjectPtr;

constexpr int64_t kNodes = 5;
constexpr std::array<int64_t, 3> kMilliCpus = {1000, 2000, 4000};
constexpr std::array<int64_t, 3> kPodLimits = {110, 3, 5};
constexpr std::array kPodPriorities = {0, 10, 100};
constexpr std::array kAppNames = {"web", "db"};

int64_t NumberOf(std::string_view node) { return node.back() - '0'; }

bool IsBound(const Json& claim) { return !claim["spec"]["volumeName"].text().empty(); }

bool IsBoundVolume(const Json& volume) { return volume["status"]["phase"].text() == "Bound"; }

}  // namespace

int64_t ClusterLife::MilliCpuOf(std::string_view node) {
  return kMilliCpus[static_cast<size_t>(NumberOf(node)) % kMilliCpus.size()];
}

int64_t ClusterLife::PodsOf(std::string_view node) {
  return kPodLimits[static_cast<size_t>(NumberOf(node)) % kPodLimits.size()];
}

int64_t ClusterLife::MilliCpuOf(const server::StoredObject& pod) {
  const server::TreePtr tree = pod.tree();
  const Json& requests = (*tree)["spec"]["containers"][size_t{0}]["resources"]["requests"];
  return api::Quantity::Parse(requests["cpu"].text()).value().MilliValue();
}

ClusterLife::ClusterLife(runtime::Agenda& agenda, Dice& dice, ServedCluster& cluster)
    : agenda_(agenda), dice_(dice), cluster_(cluster) {
  cluster_.Listen([this](const server::Change& change) { OnChange(change); });
}

void ClusterLife::Start(int64_t changes, Time end) {
  for (const auto& [name, provisioner] :
       {std::pair("local", "kubernetes.io/no-provisioner"), std::pair("late", "example.com/disk")}) {
    cluster_.Create(
        fmt::format(R"({{"kind":"StorageClass","apiVersion":"storage.k8s.io/v1","metadata":{{"name":"{}"}},)"
                    R"("provisioner":"{}","volumeBindingMode":"WaitForFirstConsumer"}})",
                    name, provisioner));
  }
  for (const int value : kPodPriorities) {
    cluster_.Create(fmt::format(
        R"({{"kind":"PriorityClass","apiVersion":"scheduling.k8s.io/v1","metadata":{{"name":"p{0}"}},"value":{0}}})",
        value));
  }
  cluster_.Create(R"({"kind":"DeviceClass","apiVersion":"resource.k8s.io/v1","metadata":{"name":"gpu"},"spec":{}})");
  for (int64_t i = dice_.Between(1, kNodes); i > 0; --i) CreateNode(fmt::format("n{}", i));
  for (int64_t i = dice_.Between(2, 15); i > 0; --i) CreatePod(fmt::format("p{}", ++made_));
  const Duration span = end - agenda_.now();
  for (int64_t i = 0; i < changes; ++i) agenda_.After(dice_.UpTo(span), [this] { Change(); });
}

void ClusterLife::Change() {
  const int64_t what = dice_.Between(0, 99);
  if (what < 45) return CreatePod(fmt::format("p{}", ++made_));
  if (what < 80) return ChangePod();
  ChangeNode();
}

void ClusterLife::CreateNode(const std::string& name) {
  const ObjectPtr node = cluster_.Create(fmt::format(
      R"({{"kind":"Node","apiVersion":"v1","metadata":{{"name":"{0}","labels":{{"kubernetes.io/hostname":"{0}"}}}},)"
      R"("spec":{{}},"status":{{"allocatable":{{"cpu":"{1}m","memory":"8Gi","pods":"{2}"}},)"
      R"("capacity":{{"cpu":"{1}m","memory":"8Gi","pods":"{2}"}}}}}})",
      name, MilliCpuOf(name), PodsOf(name)));
  // Its kubelet is ready at once.
  cluster_.Edit(*node, "", [](Json& next) { next.Make("spec").Erase("taints"); });
  CreateDevices(name);
}

// Two of them, the same ones for ever.
void ClusterLife::CreateDevices(const std::string& node) {
  if (cluster_.Find("ResourceSlice", "slice-" + node) != nullptr) return;
  cluster_.Create(fmt::format(
      R"({{"kind":"ResourceSlice","apiVersion":"resource.k8s.io/v1","metadata":{{"name":"slice-{0}"}},"spec":{{)"
      R"("driver":"gpu.example.com","nodeName":"{0}","pool":{{"name":"{0}","generation":1,"resourceSliceCount":1}},)"
      R"("devices":[{{"name":"a"}},{{"name":"b"}}]}}}})",
      node));
}

void ClusterLife::CreateResourceClaim(const std::string& name) {
  if (cluster_.Find("ResourceClaim", "default/" + name) != nullptr) return;
  cluster_.Create(fmt::format(
      R"({{"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1","metadata":{{"name":"{}","namespace":"default"}},)"
      R"("spec":{{"devices":{{"requests":[{{"name":"req","exactly":{{"deviceClassName":"gpu",)"
      R"("allocationMode":"ExactCount","count":{}}}}}]}}}}}})",
      name, dice_.Percent(80) ? 1 : 2));
}

void ClusterLife::ChangeNode() {
  const std::string name = fmt::format("n{}", dice_.Between(1, kNodes));
  const ObjectPtr node = cluster_.Find("Node", name);
  if (node == nullptr) return CreateNode(name);
  if (dice_.Percent(30)) return cluster_.Remove(*node);
  cluster_.Edit(*node, "", [](Json& next) {
    const bool is_closed = next["spec"]["unschedulable"].AsBool();
    next.Make("spec").Set("unschedulable", Json::Bool(!is_closed));
  });
}

void ClusterLife::CreatePod(const std::string& name) {
  const int milli_cpu = dice_.Pick(std::array{100, 250, 500, 1000});
  std::string spec = fmt::format(
      R"("schedulerName":"default-scheduler","priorityClassName":"p{}","containers":[{{"name":"c","image":"i",)"
      R"("resources":{{"requests":{{"cpu":"{}m"}}}}}}])",
      dice_.Pick(std::array{0, 0, 0, 10, 100}), milli_cpu);
  const std::string app = dice_.Pick(kAppNames);
  if (dice_.Percent(15)) {
    spec += fmt::format(
        R"(,"affinity":{{"podAntiAffinity":{{"requiredDuringSchedulingIgnoredDuringExecution":[)"
        R"({{"topologyKey":"kubernetes.io/hostname","labelSelector":{{"matchLabels":{{"app":"{}"}}}}}}]}}}})",
        app);
  }
  if (dice_.Percent(20)) {
    const std::string claim = fmt::format("c{}", dice_.Between(1, 6));
    spec += fmt::format(R"(,"volumes":[{{"name":"v","persistentVolumeClaim":{{"claimName":"{}"}}}}])", claim);
    agenda_.After(dice_.UpTo(Seconds(10)), [this, claim] { CreateClaim(claim); });
  }
  if (dice_.Percent(25)) {
    const std::string claim = fmt::format("rc{}", dice_.Between(1, 8));
    spec += fmt::format(R"(,"resourceClaims":[{{"name":"gpu","resourceClaimName":"{}"}}])", claim);
    agenda_.After(dice_.UpTo(Seconds(10)), [this, claim] { CreateResourceClaim(claim); });
  }
  cluster_.Create(fmt::format(R"({{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"{}","namespace":"default",)"
                              R"("labels":{{"app":"{}"}}}},"spec":{{{}}}}})",
                              name, app, spec));
}

void ClusterLife::ChangePod() {
  const server::Store::Objects& pods = cluster_.All("Pod");
  if (pods.empty()) return;
  const ObjectPtr pod =
      std::next(pods.begin(), static_cast<std::ptrdiff_t>(dice_.Between(0, static_cast<int64_t>(pods.size()) - 1)))
          ->second;
  const std::string name(pod->name());
  switch (dice_.Between(0, 3)) {
    case 0:
      cluster_.Edit(*pod, "", [&](Json& next) {
        next.Make({"metadata", "labels", "app"}) = Json::String(dice_.Pick(kAppNames));
      });
      break;
    case 1:
      if (pod->Field("spec.nodeName").empty()) break;
      cluster_.Edit(*pod, "status", [](Json& next) { next.Make({"status", "phase"}) = Json::String("Succeeded"); });
      break;
    case 2: cluster_.Remove(*pod); break;
    default: cluster_.Remove(*pod); CreatePod(name);
  }
}

ObjectPtr ClusterLife::CreateVolume(const std::string& name, std::string_view storage_class, std::string_view node,
                                    const std::string& claim_ref) {
  return cluster_.Create(fmt::format(
      R"({{"kind":"PersistentVolume","apiVersion":"v1","metadata":{{"name":"{}"}},"spec":{{"capacity":{{"storage":"1Gi"}},)"
      R"("hostPath":{{"path":"/data"}},"accessModes":["ReadWriteOnce"],"storageClassName":"{}","nodeAffinity":{{"required":{{)"
      R"("nodeSelectorTerms":[{{"matchExpressions":[{{"key":"kubernetes.io/hostname","operator":"In","values":["{}"]}}]}}]}}}})"
      R"({}}}}})",
      name, storage_class, node, claim_ref.empty() ? "" : ",\"claimRef\":" + claim_ref));
}

void ClusterLife::CreateClaim(const std::string& name) {
  if (cluster_.Find("PersistentVolumeClaim", "default/" + name) != nullptr) return;
  const std::string storage_class = dice_.Percent(50) ? "local" : "late";
  if (storage_class == "local") {
    const std::string node = fmt::format("n{}", dice_.Between(1, kNodes));
    const ObjectPtr volume = CreateVolume(fmt::format("local-{}", ++made_), storage_class, node);
    cluster_.Edit(*volume, "status", [](Json& next) { next.Make({"status", "phase"}) = Json::String("Available"); });
  }
  cluster_.Create(fmt::format(
      R"({{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{{"name":"{}","namespace":"default"}},)"
      R"("spec":{{"accessModes":["ReadWriteOnce"],"storageClassName":"{}","resources":{{"requests":{{"storage":"1Gi"}}}}}}}})",
      name, storage_class));
}

void ClusterLife::OnChange(const server::Change& change) {
  const server::StoredObject& object = *change.object;
  const std::string_view kind = object.resource().kind;
  const std::string& key = object.key();
  const bool is_removal = change.type == server::Change::Type::kDeleted;
  const server::TreePtr tree = object.tree();
  const Duration soon = dice_.UpTo(Seconds(3));
  if (kind == "Pod" && (is_removal || !IsWatched(object))) {
    const std::string& claim = (*tree)["spec"]["resourceClaims"][size_t{0}]["resourceClaimName"].text();
    agenda_.After(soon, [this, claim_key = fmt::format("default/{}", claim)] { SettleResourceClaim(claim_key); });
  }
  if (is_removal) return;
  if (kind == "Pod" && object.is_being_deleted()) {
    agenda_.After(soon, [this, pod = change.object] { EndPod(*pod); });
  } else if (kind == "PersistentVolume" && (*tree)["spec"]["claimRef"].is_map()) {
    if (!IsBoundVolume(*tree)) agenda_.After(soon, [this, key] { BindVolume(key); });
  } else if (kind == "PersistentVolumeClaim" && !IsBound(*tree)) {
    if (!(*tree)["metadata"]["annotations"][plugins::kSelectedNodeAnnotation].is_null()) {
      agenda_.After(soon, [this, key] { Provision(key); });
    }
  } else if (kind == "ResourceClaim" && (*tree)["status"]["allocation"].is_map()) {
    agenda_.After(soon, [this, key] { SettleResourceClaim(key); });
  }
}

void ClusterLife::EndPod(const server::StoredObject& pod) {
  const ObjectPtr now = cluster_.Find("Pod", pod.key());
  if (now != nullptr && now->uid() == pod.uid()) cluster_.Remove(*now);
}

void ClusterLife::BindVolume(const std::string& volume_key) {
  const ObjectPtr volume = cluster_.Find("PersistentVolume", volume_key);
  if (volume == nullptr || IsBoundVolume(*volume->tree())) return;
  const server::TreePtr tree = volume->tree();
  const Json& wanted = (*tree)["spec"]["claimRef"];
  const ObjectPtr claim =
      cluster_.Find("PersistentVolumeClaim", server::ObjectKey(wanted["namespace"].text(), wanted["name"].text()));
  if (claim == nullptr || claim->uid() != wanted["uid"].text() || IsBound(*claim->tree())) return;
  cluster_.Edit(*volume, "status", [](Json& next) { next.Make({"status", "phase"}) = Json::String("Bound"); });
  cluster_.Edit(*claim, "", [&](Json& next) {
    next.Make({"metadata", "annotations", plugins::kBindCompletedAnnotation}) = Json::String("yes");
    next.Make({"spec", "volumeName"}) = Json::String(volume->name());
  });
  cluster_.Edit(*claim, "status", [](Json& next) { next.Make({"status", "phase"}) = Json::String("Bound"); });
}

void ClusterLife::Provision(const std::string& claim_key) {
  const ObjectPtr claim = cluster_.Find("PersistentVolumeClaim", claim_key);
  if (claim == nullptr) return;
  const server::TreePtr tree = claim->tree();
  if (IsBound(*tree) || (*tree)["spec"]["storageClassName"].text() != "late") return;
  const std::string name = "pvc-" + claim->uid();
  if (cluster_.Find("PersistentVolume", name) != nullptr) return;
  const std::string& node = (*tree)["metadata"]["annotations"][plugins::kSelectedNodeAnnotation].text();
  CreateVolume(
      name, "late", node,
      fmt::format(R"({{"kind":"PersistentVolumeClaim","apiVersion":"v1","namespace":"{}","name":"{}","uid":"{}"}})",
                  claim->ns(), claim->name(), claim->uid()));
}

void ClusterLife::SettleResourceClaim(const std::string& claim_key) {
  const ObjectPtr claim = cluster_.Find("ResourceClaim", claim_key);
  if (claim == nullptr) return;
  const server::TreePtr tree = claim->tree();
  if (!(*tree)["status"]["allocation"].is_map()) return;
  const Json& consumers = (*tree)["status"]["reservedFor"];
  Json left = Json::MakeList();
  for (const Json& consumer : consumers.items()) {
    const ObjectPtr pod = cluster_.Find("Pod", "default/" + consumer["name"].text());
    if (pod != nullptr && pod->uid() == consumer["uid"].text() && IsWatched(*pod)) left.Append(consumer);
  }
  if (!left.empty() && left.size() == consumers.size()) return;
  cluster_.Edit(*claim, "status", [&](Json& next) {
    if (!left.empty()) return next.Make("status").Set("reservedFor", left);
    next.Make("status").Erase("reservedFor");
    next.Make("status").Erase("allocation");
  });
}

}  // namespace berth::sim
