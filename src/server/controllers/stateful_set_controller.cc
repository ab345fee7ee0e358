// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/stateful_set_controller.h"

#include <algorithm>
#include <charconv>

namespace berth::server {
namespace {

// Of a pod called SET-NUMBER; -1 if it is none.
int64_t OrdinalOf(std::string_view pod, std::string_view set) {
  if (!pod.starts_with(set) || pod.size() <= set.size() + 1) return -1;
  int64_t ordinal = -1;
  std::from_chars(pod.data() + set.size() + 1, pod.data() + pod.size(), ordinal);
  return ordinal;
}

std::string NameOf(const StoredObject& set, int64_t ordinal) {
  return std::string(set.name()) + "-" + std::to_string(ordinal);
}

}  // namespace

void StatefulSetController::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  if (&object.resource() == &sets_ && change.type != Change::Type::kDeleted) enqueue(object.key(), Duration{});
  EnqueueOwner(cluster_, change, sets_.kind, enqueue);
}

std::optional<Duration> StatefulSetController::Sync(const std::string& key) {
  const Store::Objects& all = cluster_.store().All(sets_);
  const auto found = all.find(key);
  if (found == all.end()) return std::nullopt;
  const ObjectPtr set = found->second;
  const Json tree = set->Tree();
  if (tree["metadata"].Has("deletionTimestamp")) return std::nullopt;
  const std::string version = std::string(set->name()) + "-" + TemplateHash(tree["spec"]["template"]);
  const Step step = Act(*set, tree, version);
  if (!Report(*set, tree, version) || step == Step::kRefused) return kRetry;
  return step == Step::kMore ? std::optional(Duration{}) : std::nullopt;
}

// Makes, removes or replaces what is next. Unless pods are managed in parallel, each waits for the one before it.
StatefulSetController::Step StatefulSetController::Act(const StoredObject& set, const Json& tree,
                                                       const std::string& version) {
  const Json& spec = tree["spec"];
  const Range range{.first = spec["ordinals"]["start"].IntOr(0),
                    .end = spec["ordinals"]["start"].IntOr(0) + spec["replicas"].IntOr(1)};
  const bool is_parallel = spec["podManagementPolicy"].text() == "Parallel";
  if (const Step step = Fill(set, tree, range, version); step != Step::kDone) return step;
  // The highest goes first.
  std::vector<PodInfo> pods = PodsOf(cluster_, set);
  std::ranges::sort(pods, std::ranges::greater(),
                    [&](const PodInfo& pod) { return OrdinalOf(pod.object->name(), set.name()); });
  for (const PodInfo& pod : pods) {
    const int64_t ordinal = OrdinalOf(pod.object->name(), set.name());
    if (ordinal >= range.first && ordinal < range.end) continue;
    if (!pod.is_deleting && !DeletePod(cluster_, pod)) return Step::kRefused;
    if (!is_parallel) return Step::kWait;
  }
  if (spec["updateStrategy"]["type"].text() == "OnDelete") return Step::kDone;
  const int64_t partition = spec["updateStrategy"]["rollingUpdate"]["partition"].IntOr(0);
  for (const PodInfo& pod : pods) {
    if (OrdinalOf(pod.object->name(), set.name()) < partition) continue;
    if (pod.is_deleting) return Step::kWait;  // One at a time.
    if (pod.object->labels().Get(kVersionLabel) != version) {
      return DeletePod(cluster_, pod) ? Step::kWait : Step::kRefused;
    }
    if (!pod.is_ready) return Step::kWait;
  }
  return Step::kDone;
}

// Makes the pods that are missing.
StatefulSetController::Step StatefulSetController::Fill(const StoredObject& set, const Json& tree, const Range& range,
                                                        const std::string& version) {
  const bool is_parallel = tree["spec"]["podManagementPolicy"].text() == "Parallel";
  size_t made = 0;
  for (int64_t ordinal = range.first; ordinal < range.end; ++ordinal) {
    const PodInfo* pod = cluster_.pods.Find(ObjectKey(set.ns(), NameOf(set, ordinal)));
    if (pod != nullptr && pod->owner_uid != set.uid()) return Step::kRefused;  // Somebody else's pod has the name.
    if (pod == nullptr) {
      if (!Create(set, tree, ordinal, version)) return Step::kRefused;
      if (++made == kBatch) return Step::kMore;
    } else if (pod->has_ended() && !pod->is_deleting) {
      if (!DeletePod(cluster_, PodInfo(*pod))) return Step::kRefused;
    } else if (pod->is_ready && !pod->is_deleting) {
      continue;
    }
    if (!is_parallel) return Step::kWait;
  }
  return Step::kDone;
}

bool StatefulSetController::Create(const StoredObject& set, const Json& tree, int64_t ordinal,
                                   const std::string& version) {
  Json pod = PodFromTemplate(tree["spec"]["template"], set);
  const std::string name = NameOf(set, ordinal);
  Json& metadata = pod.Make("metadata");
  metadata.Set("name", name);
  Json& labels = metadata.Make("labels");
  labels.Set(kVersionLabel, version);
  labels.Set("statefulset.kubernetes.io/pod-name", name);
  labels.Set("apps.kubernetes.io/pod-index", std::to_string(ordinal));
  pod.Make("spec").Set("hostname", name);
  if (const std::string& service = tree["spec"]["serviceName"].text(); !service.empty()) {
    pod.Make("spec").Set("subdomain", service);
  }
  if (!MakeClaims(set, tree, pod, name)) return false;
  return Succeeded(
      *this, cluster_.objects.Create(pods_, set.ns(), std::move(pod), {.manager = std::string(kControllerManager)}));
}

bool StatefulSetController::MakeClaims(const StoredObject& set, const Json& tree, Json& pod,
                                       const std::string& pod_name) {
  Json::List volumes = pod["spec"]["volumes"].items();
  for (const Json& claim_template : tree["spec"]["volumeClaimTemplates"].items()) {
    const Json& volume = claim_template["metadata"]["name"];
    const std::string claim_name = volume.text() + "-" + pod_name;
    std::erase_if(volumes, [&](const Json& present) { return present["name"] == volume; });
    volumes.push_back(Json{{"name", volume}, {"persistentVolumeClaim", Json{{"claimName", Json::String(claim_name)}}}});
    if (cluster_.store().Find(claims_, set.ns(), claim_name) != nullptr) continue;
    Json claim = claim_template;
    claim.Set("apiVersion", "v1");
    claim.Set("kind", "PersistentVolumeClaim");
    claim.Erase("status");
    claim.Make("metadata").Set("name", claim_name);
    claim.Make("metadata").Set("namespace", set.ns());
    for (const Json::Member& label : tree["spec"]["selector"]["matchLabels"].members()) {
      claim.Make({"metadata", "labels"}).Set(label.name, label.value);
    }
    const auto created =
        cluster_.objects.Create(claims_, set.ns(), std::move(claim), {.manager = std::string(kControllerManager)});
    if (!Succeeded(*this, created)) return false;
  }
  if (!volumes.empty()) pod.Make("spec").Set("volumes", Json::MakeList(std::move(volumes)));
  return true;
}

bool StatefulSetController::Report(const StoredObject& set, const Json& tree, const std::string& version) {
  const std::vector<PodInfo> pods = PodsOf(cluster_, set);
  const auto count = [&](auto predicate) { return static_cast<int64_t>(std::ranges::count_if(pods, predicate)); };
  const int64_t ready = count([](const PodInfo& pod) { return pod.is_ready && pod.is_active(); });
  const int64_t updated =
      count([&](const PodInfo& pod) { return pod.is_active() && pod.object->labels().Get(kVersionLabel) == version; });
  const int64_t present = count([](const PodInfo& pod) { return pod.is_active(); });
  return WriteStatus(cluster_, set, [&](Json& status) {
    // The update is over when no pod is of another version.
    if (status["currentRevision"].text().empty() || (updated == present && ready == present)) {
      status.Set("currentRevision", version);
    }
    const std::string current = status["currentRevision"].text();
    const int64_t of_current = count(
        [&](const PodInfo& pod) { return pod.is_active() && pod.object->labels().Get(kVersionLabel) == current; });
    status.Set("replicas", Json::Int(present));
    status.Set("availableReplicas", Json::Int(ready));
    for (const auto& [name, number] : {std::pair<std::string_view, int64_t>{"readyReplicas", ready},
                                       {"updatedReplicas", updated},
                                       {"currentReplicas", of_current}}) {
      status.Set(name, Json::Int(number));
      if (number == 0) status.Erase(name);
    }
    status.Set("updateRevision", version);
    status.Set("collisionCount", Json::Int(0));
    status.Set("observedGeneration", tree["metadata"]["generation"]);
  });
}

}  // namespace berth::server
