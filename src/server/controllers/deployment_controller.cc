// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/deployment_controller.h"

#include <algorithm>
#include <charconv>

#include "server/controllers/owned_pods.h"

namespace berth::server {
namespace {

constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";
constexpr std::string_view kHash = "pod-template-hash";
constexpr std::string_view kManager = "kube-controller-manager";

// A number, or a percentage of `total`.
int64_t Scaled(const Json& value, int64_t total, bool rounds_up) {
  if (const std::optional<int64_t> number = value.AsInt()) return *number;
  int64_t percent = 0;
  const std::string& text = value.text();
  std::from_chars(text.data(), text.data() + text.size(), percent);
  return (percent * total + (rounds_up ? 99 : 0)) / 100;
}

struct Limits {
  int64_t surge = 0;        // Pods beyond the wanted ones while rolling.
  int64_t unavailable = 0;  // Pods that may be missing while rolling.
};

Limits LimitsOf(const Json& spec, int64_t replicas) {
  if (spec["strategy"]["type"].text() == "Recreate") return {.surge = 0, .unavailable = replicas};
  const Json& rolling = spec["strategy"]["rollingUpdate"];
  Limits limits{.surge = Scaled(rolling["maxSurge"], replicas, true),
                .unavailable = Scaled(rolling["maxUnavailable"], replicas, false)};
  if (limits.surge == 0 && limits.unavailable == 0) limits.unavailable = 1;
  return limits;
}

// The template without the label that tells sets apart.
Json Plain(Json pod_template) {
  Json& metadata = pod_template.Make("metadata");
  if (Json* labels = metadata.Find("labels"); labels != nullptr) {
    labels->Erase(kHash);
    if (labels->empty()) metadata.Erase("labels");
  }
  return pod_template;
}

Json Condition(const Json& present, std::string_view type, bool is_true, std::string_view reason,
               std::string_view message, const std::string& now) {
  Json condition{{"type", Json::String(type)},
                 {"status", Json::String(is_true ? "True" : "False")},
                 {"reason", Json::String(reason)},
                 {"message", Json::String(message)},
                 {"lastUpdateTime", Json::String(now)},
                 {"lastTransitionTime", Json::String(now)}};
  for (const Json& old : present.items()) {
    if (old["type"].text() != type) continue;
    if (old["status"] == condition["status"]) condition.Set("lastTransitionTime", old["lastTransitionTime"]);
    if (old["reason"] == condition["reason"]) condition.Set("lastUpdateTime", old["lastUpdateTime"]);
  }
  return condition;
}

}  // namespace

int64_t DeploymentController::Set::revision() const {
  int64_t number = 0;
  const std::string& text = tree["metadata"]["annotations"][kRevision].text();
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void DeploymentController::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  if (&object.resource() == &deployments_ && change.type != Change::Type::kDeleted) enqueue(object.key(), Duration{});
  if (&object.resource() != &sets_) return;
  const Json tree = object.Tree();
  for (const Json& owner : tree["metadata"]["ownerReferences"].items()) {
    if (owner["kind"].text() == "Deployment") enqueue(ObjectKey(object.ns(), owner["name"].text()), Duration{});
  }
}

std::vector<DeploymentController::Set> DeploymentController::SetsOf(const StoredObject& deployment,
                                                                    const Json& tree) const {
  std::vector<Set> sets;
  const Json wanted = Plain(tree["spec"]["template"]);
  const std::string prefix = std::string(deployment.ns()) + "/";
  const Store::Objects& all = cluster_.store().All(sets_);
  for (auto at = all.lower_bound(prefix); at != all.end() && at->first.starts_with(prefix); ++at) {
    Set set{.object = at->second, .tree = at->second->Tree()};
    const Json& owner = set.tree["metadata"]["ownerReferences"][size_t{0}];
    if (owner["uid"].text() != deployment.uid()) continue;
    set.is_new = Plain(set.tree["spec"]["template"]) == wanted;
    sets.push_back(std::move(set));
  }
  std::ranges::sort(sets, {}, &Set::revision);
  return sets;
}

std::optional<Duration> DeploymentController::Sync(const std::string& key) {
  const Store::Objects& all = cluster_.store().All(deployments_);
  const auto found = all.find(key);
  if (found == all.end()) return std::nullopt;
  const ObjectPtr deployment = found->second;
  const Json tree = deployment->Tree();
  if (tree["metadata"].Has("deletionTimestamp")) return std::nullopt;
  const std::vector<Set> sets = SetsOf(*deployment, tree);
  const bool has_new = std::ranges::any_of(sets, &Set::is_new);
  const bool is_paused = tree["spec"]["paused"].AsBool();
  bool is_done = true;
  if (!has_new && !is_paused) {
    const int64_t newest = sets.empty() ? 0 : sets.back().revision();
    is_done = Create(*deployment, tree, newest + 1, sets.empty() ? tree["spec"]["replicas"].IntOr(1) : 0);
  } else {
    is_done = Roll(tree, sets) && Prune(tree, sets);
  }
  is_done = Report(*deployment, tree, SetsOf(*deployment, tree)) && is_done;
  return is_done ? std::nullopt : std::optional(kRetry);
}

bool DeploymentController::Create(const StoredObject& deployment, const Json& tree, int64_t revision,
                                  int64_t replicas) {
  const std::string hash = TemplateHash(Plain(tree["spec"]["template"]));
  Json set{{"apiVersion", Json::String("apps/v1")}, {"kind", Json::String("ReplicaSet")}};
  Json& metadata = set.Make("metadata");
  metadata.Set("name", std::string(deployment.name()) + "-" + hash);
  metadata.Set("namespace", deployment.ns());
  metadata.Set("ownerReferences", Json::MakeList({ControllerReference(deployment)}));
  metadata.Set("labels", tree["spec"]["template"]["metadata"]["labels"]);
  metadata.Make("labels").Set(kHash, hash);
  metadata.Make("annotations").Set(kRevision, std::to_string(revision));
  metadata.Make("annotations").Set("deployment.kubernetes.io/desired-replicas",
                                   std::to_string(tree["spec"]["replicas"].IntOr(1)));
  Json& spec = set.Make("spec");
  spec.Set("replicas", Json::Int(replicas));
  spec.Set("selector", tree["spec"]["selector"]);
  spec.Make({"selector", "matchLabels"}).Set(kHash, hash);
  spec.Set("template", tree["spec"]["template"]);
  spec.Make({"template", "metadata", "labels"}).Set(kHash, hash);
  const auto created =
      cluster_.objects.Create(sets_, deployment.ns(), std::move(set), {.manager = std::string(kManager)});
  return (!created && created.error().reason == "AlreadyExists") || Succeeded(*this, created);
}

bool DeploymentController::Scale(const Set& set, int64_t replicas) {
  if (set.wanted() == replicas) return true;
  const auto written = cluster_.objects.Update(sets_, set.object->ns(), set.object->name(),
                                               {.manager = std::string(kManager)},
                                               [&](const Json& current) -> Outcome<Json> {
                                                 Json changed = current;
                                                 changed.Make("spec").Set("replicas", Json::Int(replicas));
                                                 return changed;
                                               });
  return written.has_value();
}

// Grows the new set and shrinks the old ones, within the limits of the strategy.
bool DeploymentController::Roll(const Json& tree, const std::vector<Set>& sets) {
  const int64_t replicas = tree["spec"]["replicas"].IntOr(1);
  const Limits limits = LimitsOf(tree["spec"], replicas);
  const auto newest = std::ranges::find_if(sets, &Set::is_new);
  if (newest == sets.end()) return true;
  int64_t total = 0;
  int64_t available = 0;
  int64_t old_present = 0;
  for (const Set& set : sets) {
    total += set.wanted();
    available += std::min(set.available(), set.wanted());
    if (!set.is_new) old_present += std::max(set.wanted(), set.present());
  }
  const bool recreates = tree["spec"]["strategy"]["type"].text() == "Recreate";
  bool is_done = true;
  if (newest->wanted() > replicas) {
    is_done = Scale(*newest, replicas);
  } else if (!recreates || old_present == 0) {
    const int64_t room = std::max<int64_t>(0, replicas + limits.surge - total);
    is_done = Scale(*newest, std::min(replicas, newest->wanted() + room));
  }
  // What may go: pods that are not available anyhow, and as many others as may be missing.
  int64_t spare = available - (replicas - limits.unavailable);
  for (const Set& set : sets) {
    if (set.is_new || set.wanted() == 0) continue;
    const int64_t broken = set.wanted() - std::min(set.available(), set.wanted());
    const int64_t removed = std::min(set.wanted(), broken + std::max<int64_t>(0, spare));
    spare -= std::max<int64_t>(0, removed - broken);
    is_done = Scale(set, set.wanted() - removed) && is_done;
  }
  return is_done;
}

// Old sets are kept for going back, but not for ever.
bool DeploymentController::Prune(const Json& tree, const std::vector<Set>& sets) {
  const int64_t limit = tree["spec"]["revisionHistoryLimit"].IntOr(10);
  auto old = std::ranges::count_if(sets, [](const Set& set) { return !set.is_new && set.wanted() == 0; });
  for (const Set& set : sets) {
    if (old <= limit) break;
    if (set.is_new || set.wanted() > 0 || set.present() > 0) continue;
    (void)cluster_.objects.Delete(sets_, set.object->ns(), set.object->name(), {});
    --old;
  }
  return true;
}

bool DeploymentController::Report(const StoredObject& deployment, const Json& tree, const std::vector<Set>& sets) {
  const int64_t replicas = tree["spec"]["replicas"].IntOr(1);
  int64_t present = 0;
  int64_t updated = 0;
  int64_t ready = 0;
  int64_t available = 0;
  int64_t revision = 0;
  std::string_view newest = deployment.name();
  for (const Set& set : sets) {
    present += set.present();
    ready += set.tree["status"]["readyReplicas"].IntOr(0);
    available += set.available();
    if (!set.is_new) continue;
    updated = set.present();
    revision = set.revision();
    newest = set.object->name();
  }
  const bool is_available = available >= replicas - LimitsOf(tree["spec"], replicas).unavailable;
  const bool is_complete = updated == replicas && present == replicas && available == replicas;
  const std::string now = FormatTime(cluster_.objects.now());
  bool is_done = WriteStatus(cluster_, deployment, [&](Json& status) {
    const Json conditions = status["conditions"];
    const auto set_count = [&](std::string_view name, int64_t count) {
      status.Set(name, Json::Int(count));
      if (count == 0) status.Erase(name);
    };
    set_count("replicas", present);
    set_count("updatedReplicas", updated);
    set_count("readyReplicas", ready);
    set_count("availableReplicas", available);
    set_count("unavailableReplicas", std::max<int64_t>(0, replicas - available));
    status.Set("observedGeneration", tree["metadata"]["generation"]);
    const std::string set_name(newest);
    status.Set("conditions",
               Json::MakeList(
                   {is_available ? Condition(conditions, "Available", true, "MinimumReplicasAvailable",
                                             "Deployment has minimum availability.", now)
                                 : Condition(conditions, "Available", false, "MinimumReplicasUnavailable",
                                             "Deployment does not have minimum availability.", now),
                    is_complete ? Condition(conditions, "Progressing", true, "NewReplicaSetAvailable",
                                            "ReplicaSet \"" + set_name + "\" has successfully progressed.", now)
                                : Condition(conditions, "Progressing", true, "ReplicaSetUpdated",
                                            "ReplicaSet \"" + set_name + "\" is progressing.", now)}));
  });
  const std::string text = std::to_string(revision);
  if (revision == 0 || tree["metadata"]["annotations"][kRevision].text() == text) return is_done;
  const auto annotated = cluster_.objects.Update(deployments_, deployment.ns(), deployment.name(),
                                                 {.manager = std::string(kManager)},
                                                 [&](const Json& current) -> Outcome<Json> {
                                                   Json changed = current;
                                                   changed.Make({"metadata", "annotations"}).Set(kRevision, text);
                                                   return changed;
                                                 });
  return annotated.has_value() && is_done;
}

}  // namespace berth::server
