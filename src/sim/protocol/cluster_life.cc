// SPDX-License-Identifier: Apache-2.0
#include "sim/protocol/cluster_life.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "api/json_writer.h"
#include "plugins/helpers/volume_claims.h"

namespace berth::sim {
namespace {

using client::JsonMember;

constexpr int64_t kNodes = 5;
constexpr std::array<int64_t, 3> kMilliCpus = {1000, 2000, 4000};
constexpr std::array<int64_t, 3> kPodLimits = {110, 3, 5};
constexpr std::array kApps = {"web", "db"};

int64_t NumberOf(std::string_view node) { return node.back() - '0'; }

std::string VolumeJson(const std::string& name, std::string_view storage_class, const std::string& node) {
  return fmt::format(
      R"({{"kind":"PersistentVolume","apiVersion":"v1","metadata":{{"name":"{}"}},"spec":{{"capacity":{{"storage":"1Gi"}},)"
      R"("accessModes":["ReadWriteOnce"],"storageClassName":"{}","nodeAffinity":{{"required":{{"nodeSelectorTerms":[)"
      R"({{"matchExpressions":[{{"key":"kubernetes.io/hostname","operator":"In","values":["{}"]}}]}}]}}}}}},)"
      R"("status":{{"phase":"Available"}}}})",
      name, storage_class, node);
}

std::string ReferenceJson(const StoredObject& claim) {
  return fmt::format(R"({{"kind":"PersistentVolumeClaim","apiVersion":"v1","namespace":"{}","name":"{}","uid":"{}"}})",
                     claim.ns, claim.name, claim.uid);
}

bool IsBound(const StoredObject& claim) { return !claim.root()["spec"]["volumeName"].text().empty(); }

}  // namespace

int64_t ClusterLife::MilliCpuOf(std::string_view node) {
  return kMilliCpus[static_cast<size_t>(NumberOf(node)) % kMilliCpus.size()];
}

int64_t ClusterLife::PodsOf(std::string_view node) {
  return kPodLimits[static_cast<size_t>(NumberOf(node)) % kPodLimits.size()];
}

int64_t ClusterLife::MilliCpuOf(const StoredObject& pod) {
  const std::string_view text = pod.root()["spec"]["containers"][size_t{0}]["resources"]["requests"]["cpu"].text();
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;  // Always written in thousandths.
}

ClusterLife::ClusterLife(runtime::Agenda& agenda, Dice& dice, ObjectStore& store)
    : agenda_(agenda), dice_(dice), store_(store) {
  store_.Listen([this](const StoreChange& change) { OnChange(change); });
}

void ClusterLife::Start(int64_t changes, Time end) {
  store_.Write(R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":"default"}})");
  for (const auto& [name, provisioner] :
       {std::pair("local", "kubernetes.io/no-provisioner"), std::pair("late", "example.com/disk")}) {
    store_.Write(fmt::format(R"({{"kind":"StorageClass","apiVersion":"storage.k8s.io/v1","metadata":{{"name":"{}"}},)"
                             R"("provisioner":"{}","volumeBindingMode":"WaitForFirstConsumer"}})",
                             name, provisioner));
  }
  store_.Write(R"({"kind":"DeviceClass","apiVersion":"resource.k8s.io/v1","metadata":{"name":"gpu"},"spec":{}})");
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
  store_.Write(fmt::format(
      R"({{"kind":"Node","apiVersion":"v1","metadata":{{"name":"{0}","labels":{{"kubernetes.io/hostname":"{0}"}}}},)"
      R"("spec":{{}},"status":{{"allocatable":{{"cpu":"{1}m","memory":"8Gi","pods":"{2}"}},)"
      R"("capacity":{{"cpu":"{1}m","memory":"8Gi","pods":"{2}"}}}}}})",
      name, MilliCpuOf(name), PodsOf(name)));
  CreateDevices(name);
}

// Two of them, the same ones for ever.
void ClusterLife::CreateDevices(const std::string& node) {
  if (store_.Find("ResourceSlice", "/slice-" + node) != nullptr) return;
  store_.Write(fmt::format(
      R"({{"kind":"ResourceSlice","apiVersion":"resource.k8s.io/v1","metadata":{{"name":"slice-{0}"}},"spec":{{)"
      R"("driver":"gpu.example.com","nodeName":"{0}","pool":{{"name":"{0}","generation":1,"resourceSliceCount":1}},)"
      R"("devices":[{{"name":"a"}},{{"name":"b"}}]}}}})",
      node));
}

void ClusterLife::CreateResourceClaim(const std::string& name) {
  if (store_.Find("ResourceClaim", "default/" + name) != nullptr) return;
  store_.Write(fmt::format(
      R"({{"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1","metadata":{{"name":"{}","namespace":"default"}},)"
      R"("spec":{{"devices":{{"requests":[{{"name":"req","exactly":{{"deviceClassName":"gpu",)"
      R"("allocationMode":"ExactCount","count":{}}}}}]}}}}}})",
      name, dice_.Percent(80) ? 1 : 2));
}

void ClusterLife::ChangeNode() {
  const std::string name = fmt::format("n{}", dice_.Between(1, kNodes));
  const StoredPtr node = store_.Find("Node", "/" + name);
  if (node == nullptr) return CreateNode(name);
  if (dice_.Percent(30)) return store_.Remove("Node", "/" + name);
  const bool is_closed = node->root()["spec"]["unschedulable"].text() == "true";
  store_.Edit(*node, std::vector<JsonMember>{{{"spec", "unschedulable"}, is_closed ? "false" : "true"}});
}

void ClusterLife::CreatePod(const std::string& name) {
  std::string spec =
      fmt::format(R"("schedulerName":"default-scheduler","priority":{},"containers":[{{"name":"c","image":"i",)"
                  R"("resources":{{"requests":{{"cpu":"{}m"}}}}}}])",
                  dice_.Pick(std::array{0, 0, 0, 10, 100}), dice_.Pick(std::array{100, 250, 500, 1000}));
  const std::string app = dice_.Pick(kApps);
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
  store_.Write(fmt::format(R"({{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"{}","namespace":"default",)"
                           R"("labels":{{"app":"{}"}}}},"spec":{{{}}},"status":{{"phase":"Pending"}}}})",
                           name, app, spec));
}

void ClusterLife::ChangePod() {
  const ObjectStore::Objects& pods = store_.All("Pod");
  if (pods.empty()) return;
  const StoredPtr pod =
      std::next(pods.begin(), static_cast<std::ptrdiff_t>(dice_.Between(0, static_cast<int64_t>(pods.size()) - 1)))
          ->second;
  const bool is_bound = !pod->root()["spec"]["nodeName"].text().empty();
  switch (dice_.Between(0, 3)) {
    case 0:
      store_.Edit(*pod, std::vector<JsonMember>{{{"metadata", "labels", "app"}, Quoted(dice_.Pick(kApps))}});
      break;
    case 1:
      if (is_bound) store_.Edit(*pod, std::vector<JsonMember>{{{"status", "phase"}, Quoted("Succeeded")}});
      break;
    case 2: store_.Remove("Pod", pod->Key()); break;
    default: store_.Remove("Pod", pod->Key()); CreatePod(pod->name);
  }
}

void ClusterLife::CreateClaim(const std::string& name) {
  if (store_.Find("PersistentVolumeClaim", "default/" + name) != nullptr) return;
  const std::string storage_class = dice_.Percent(50) ? "local" : "late";
  if (storage_class == "local") {
    const std::string node = fmt::format("n{}", dice_.Between(1, kNodes));
    store_.Write(VolumeJson(fmt::format("local-{}", ++made_), storage_class, node));
  }
  store_.Write(fmt::format(
      R"({{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{{"name":"{}","namespace":"default"}},)"
      R"("spec":{{"accessModes":["ReadWriteOnce"],"storageClassName":"{}","resources":{{"requests":{{"storage":"1Gi"}}}}}},)"
      R"("status":{{"phase":"Pending"}}}})",
      name, storage_class));
}

void ClusterLife::OnChange(const StoreChange& change) {
  const StoredObject& object = *change.after;
  const std::string key = object.Key();
  const Duration soon = dice_.UpTo(Seconds(3));
  if (object.kind == "Pod" && (change.is_removal || !object.is_selected)) {
    const std::string_view claim = object.root()["spec"]["resourceClaims"][size_t{0}]["resourceClaimName"].text();
    agenda_.After(soon, [this, claim_key = fmt::format("default/{}", claim)] { SettleResourceClaim(claim_key); });
  }
  if (change.is_removal) return;
  if (object.kind == "Pod" && !object.root()["metadata"]["deletionTimestamp"].is_null()) {
    agenda_.After(soon, [this, pod = change.after] { EndPod(*pod); });
  } else if (object.kind == "PersistentVolume" && object.root()["spec"]["claimRef"].is_map()) {
    if (object.root()["status"]["phase"].text() != "Bound") agenda_.After(soon, [this, key] { BindVolume(key); });
  } else if (object.kind == "PersistentVolumeClaim" && !IsBound(object)) {
    if (!object.root()["metadata"]["annotations"][plugins::kSelectedNodeAnnotation].is_null()) {
      agenda_.After(soon, [this, key] { Provision(key); });
    }
  } else if (object.kind == "ResourceClaim" && object.root()["status"]["allocation"].is_map()) {
    agenda_.After(soon, [this, key] { SettleResourceClaim(key); });
  }
}

void ClusterLife::EndPod(const StoredObject& pod) {
  const StoredPtr now = store_.Find("Pod", pod.Key());
  if (now != nullptr && now->uid == pod.uid) store_.Remove("Pod", pod.Key());
}

void ClusterLife::BindVolume(const std::string& volume_key) {
  const StoredPtr volume = store_.Find("PersistentVolume", volume_key);
  if (volume == nullptr || volume->root()["status"]["phase"].text() == "Bound") return;
  const api::Value wanted = volume->root()["spec"]["claimRef"];
  const StoredPtr claim =
      store_.Find("PersistentVolumeClaim", fmt::format("{}/{}", wanted["namespace"].text(), wanted["name"].text()));
  if (claim == nullptr || claim->uid != wanted["uid"].text() || IsBound(*claim)) return;
  store_.Edit(*volume, std::vector<JsonMember>{{{"status", "phase"}, Quoted("Bound")}});
  store_.Edit(*claim, std::vector<JsonMember>{
                          {{"metadata", "annotations", std::string(plugins::kBindCompletedAnnotation)}, Quoted("yes")},
                          {{"spec", "volumeName"}, Quoted(volume->name)},
                          {{"status", "phase"}, Quoted("Bound")}});
}

void ClusterLife::Provision(const std::string& claim_key) {
  const StoredPtr claim = store_.Find("PersistentVolumeClaim", claim_key);
  if (claim == nullptr || IsBound(*claim) || claim->root()["spec"]["storageClassName"].text() != "late") return;
  const std::string name = "pvc-" + claim->uid;
  if (store_.Find("PersistentVolume", "/" + name) != nullptr) return;
  const std::string_view node = claim->root()["metadata"]["annotations"][plugins::kSelectedNodeAnnotation].text();
  const api::Document volume = api::ParseJson(VolumeJson(name, "late", std::string(node))).value();
  store_.Write(
      client::WithMembers(volume.root(), std::vector<JsonMember>{{{"spec", "claimRef"}, ReferenceJson(*claim)}}));
}

void ClusterLife::SettleResourceClaim(const std::string& claim_key) {
  const StoredPtr claim = store_.Find("ResourceClaim", claim_key);
  if (claim == nullptr || !claim->root()["status"]["allocation"].is_map()) return;
  const api::Value consumers = claim->root()["status"]["reservedFor"];
  api::JsonWriter left;
  left.BeginArray();
  size_t count = 0;
  for (size_t i = 0; i < consumers.size(); ++i) {
    const StoredPtr pod = store_.Find("Pod", fmt::format("default/{}", consumers[i]["name"].text()));
    if (pod == nullptr || pod->uid != consumers[i]["uid"].text() || !pod->is_selected) continue;
    left.Raw(consumers[i].ToJson());
    ++count;
  }
  std::vector<JsonMember> members = {{{"status", "reservedFor"}, left.EndArray().Take()}};
  if (count == 0) members.push_back({{"status", "allocation"}, "null"});
  if (count == 0 || count != consumers.size()) store_.Edit(*claim, members);
}

}  // namespace berth::sim
