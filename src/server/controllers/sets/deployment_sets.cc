// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/sets/deployment_sets.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <tuple>
#include <utility>

#include "server/controllers/owned_pods.h"

namespace berth::server {
namespace {

constexpr std::string_view kHash = "pod-template-hash";
constexpr std::string_view kRevisionHistory = "deployment.kubernetes.io/revision-history";
constexpr std::string_view kReplicasThen = "deployment.kubernetes.io/desired-replicas";
constexpr std::string_view kMostThen = "deployment.kubernetes.io/max-replicas";
constexpr size_t kHistoryMax = 2000;
// So long a name leaves room for a hash.
constexpr size_t kNameMax = 253;

// The template without the label that tells sets apart.
Json Plain(Json pod_template) {
  Json& metadata = pod_template.Make("metadata");
  if (Json* labels = metadata.Find("labels"); labels != nullptr) {
    labels->Erase(kHash);
    if (labels->empty()) metadata.Erase("labels");
  }
  return pod_template;
}

// Nothing if the note is no number, a negative one or the largest that there is.
template <class Number>
std::optional<int64_t> NumberIn(const Json& annotations, std::string_view note) {
  const std::string& text = annotations[note].text();
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (number < 0 || number == std::numeric_limits<Number>::max()) return std::nullopt;
  return number;
}

// What the user noted on the Deployment is kept with each version of it.
void CopyNotes(const Json& from, Json& to) {
  for (const Json::Member& note : from.members()) {
    const std::string_view name = note.name;
    const bool is_ours = name == kDeploymentRevision || name == kRevisionHistory || name == kReplicasThen ||
                         name == kMostThen || name == "deprecated.deployment.rollback.to" ||
                         name == "kubectl.kubernetes.io/last-applied-configuration";
    if (!is_ours) to.Set(name, note.value);
  }
}

// Numbers that the set had before, the oldest first; those that find no room are forgotten.
std::string AddToHistory(std::string history, std::string_view number) {
  if (!history.empty()) history += ',';
  history += number;
  while (history.size() > kHistoryMax) {
    const size_t comma = history.find(',');
    history.erase(0, comma == history.npos ? history.size() : comma + 1);
  }
  return history;
}

}  // namespace

int64_t DeploymentSet::revision() const {
  return NumberIn<int64_t>(tree["metadata"]["annotations"], kDeploymentRevision).value_or(0);
}

RolloutSet DeploymentSet::counts() const {
  const Json& notes = tree["metadata"]["annotations"];
  return {.wanted = wanted(),
          .present = present(),
          .available = available(),
          .replicas_then = NumberIn<int32_t>(notes, kReplicasThen).value_or(0),
          .most_then = NumberIn<int32_t>(notes, kMostThen).value_or(0)};
}

bool DeploymentSet::HasOtherScale(const RolloutPlan& plan) const {
  return NumberIn<int32_t>(tree["metadata"]["annotations"], kReplicasThen).value_or(plan.replicas) != plan.replicas;
}

std::vector<DeploymentSet> SetsOf(const Cluster& cluster, const StoredObject& deployment, const Json& tree) {
  std::vector<DeploymentSet> sets;
  const std::string prefix = ObjectKey(deployment.ns(), "");
  const Store::Objects& all = cluster.store().All(cluster.Get("apps", "replicasets"));
  for (auto at = all.lower_bound(prefix); at != all.end() && at->first.starts_with(prefix); ++at) {
    if (ControllerAmong(at->second->owners())["uid"].text() != deployment.uid()) continue;
    sets.push_back({.object = at->second, .tree = at->second->Tree()});
  }
  std::ranges::sort(sets, {}, [](const DeploymentSet& set) {
    return std::make_tuple(std::string_view(set.tree["metadata"]["creationTimestamp"].text()), set.object->name());
  });
  const auto newest = std::ranges::find_if(sets, [&](const auto& set) { return HasTemplateOf(set.tree, tree); });
  if (newest != sets.end()) newest->is_newest = true;
  return sets;
}

int64_t LastRevision(const std::vector<DeploymentSet>& sets) {
  int64_t last = 0;
  for (const DeploymentSet& set : sets) {
    if (!set.is_newest) last = std::max(last, set.revision());
  }
  return last;
}

Json MakeDeploymentSet(const StoredObject& deployment, const Json& tree, int64_t revision, int64_t collisions) {
  const std::string hash = TemplateHash(Plain(tree["spec"]["template"]), collisions);
  Json set{{"apiVersion", Json::String("apps/v1")}, {"kind", Json::String("ReplicaSet")}};
  Json& metadata = set.Make("metadata");
  metadata.Set("name", std::string(deployment.name().substr(0, kNameMax - 1 - hash.size())) + "-" + hash);
  metadata.Set("namespace", deployment.ns());
  metadata.Set("ownerReferences", Json::MakeList({ControllerReference(deployment)}));
  metadata.Set("labels", tree["spec"]["template"]["metadata"]["labels"]);
  metadata.Make("labels").Set(kHash, hash);
  Json& spec = set.Make("spec");
  spec.Set("selector", tree["spec"]["selector"]);
  spec.Make({"selector", "matchLabels"}).Set(kHash, hash);
  spec.Set("template", tree["spec"]["template"]);
  spec.Make({"template", "metadata", "labels"}).Set(kHash, hash);
  RefreshSet(set, tree, revision);
  return set;
}

void RefreshSet(Json& set, const Json& deployment, int64_t revision) {
  Json& notes = set.Make({"metadata", "annotations"});
  CopyNotes(deployment["metadata"]["annotations"], notes);
  const bool had_one = !notes[kDeploymentRevision].text().empty();
  const std::optional<int64_t> before = NumberIn<int64_t>(notes, kDeploymentRevision);
  // One that cannot be read is left alone.
  if (before.has_value() == had_one && before.value_or(0) < revision) {
    if (had_one) {
      notes.Set(kRevisionHistory, AddToHistory(notes[kRevisionHistory].text(), notes[kDeploymentRevision].text()));
    }
    notes.Set(kDeploymentRevision, std::to_string(revision));
  }
  const int64_t min_ready = deployment["spec"]["minReadySeconds"].IntOr(0);
  if (min_ready == set["spec"]["minReadySeconds"].IntOr(0)) return;
  set.Make("spec").Set("minReadySeconds", Json::Int(min_ready));
  if (min_ready == 0) set.Make("spec").Erase("minReadySeconds");
}

void ResizeSet(Json& set, int64_t size, const RolloutPlan& plan) {
  set.Make("spec").Set("replicas", Json::Int(size));
  Json& notes = set.Make({"metadata", "annotations"});
  notes.Set(kReplicasThen, std::to_string(plan.replicas));
  notes.Set(kMostThen, std::to_string(plan.most()));
}

bool HasTemplateOf(const Json& set, const Json& deployment) {
  return Plain(set["spec"]["template"]) == Plain(deployment["spec"]["template"]);
}

}  // namespace berth::server
