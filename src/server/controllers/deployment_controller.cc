// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/deployment_controller.h"

#include <algorithm>
#include <charconv>

#include "server/controllers/deployment_status.h"
#include "server/controllers/owned_pods.h"
#include "server/controllers/rollout.h"
#include "server/model/label_selector.h"

namespace berth::server {
namespace {

constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";
constexpr std::string_view kHash = "pod-template-hash";

// The template without the label that tells sets apart.
Json Plain(Json pod_template) {
  Json& metadata = pod_template.Make("metadata");
  if (Json* labels = metadata.Find("labels"); labels != nullptr) {
    labels->Erase(kHash);
    if (labels->empty()) metadata.Erase("labels");
  }
  return pod_template;
}

// What the user noted on the Deployment is kept with each version of it.
void CopyNotes(const Json& from, Json& to) {
  for (const Json::Member& note : from.members()) {
    if (note.name.starts_with("deployment.kubernetes.io/") || note.name.starts_with("kubectl.kubernetes.io/")) continue;
    to.Set(note.name, note.value);
  }
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
    if (ControllerOf(set.tree)["uid"].text() != deployment.uid()) continue;
    set.is_new = Plain(set.tree["spec"]["template"]) == wanted;
    sets.push_back(std::move(set));
  }
  std::ranges::sort(sets, {}, &Set::revision);
  return sets;
}

// Takes over sets that nobody controls, such as those of a deployment that was deleted without them.
bool DeploymentController::Adopt(const StoredObject& deployment, const Json& tree) {
  const auto selector = api::Selector::Compile(ReadLabelSelector(tree["spec"]["selector"]));
  if (!selector) return true;
  std::vector<ObjectPtr> found;
  const std::string prefix = std::string(deployment.ns()) + "/";
  const Store::Objects& all = cluster_.store().All(sets_);
  for (auto at = all.lower_bound(prefix); at != all.end() && at->first.starts_with(prefix); ++at) {
    if (!selector->Matches(at->second->labels()) || at->second->is_being_deleted()) continue;
    if (ControllerOf(at->second->Tree()).is_null()) found.push_back(at->second);
  }
  return std::ranges::all_of(found, [&](const ObjectPtr& set) { return TakeOver(*this, cluster_, deployment, *set); });
}

std::optional<Duration> DeploymentController::Sync(const std::string& key) {
  const Store::Objects& all = cluster_.store().All(deployments_);
  const auto found = all.find(key);
  if (found == all.end()) return std::nullopt;
  const ObjectPtr deployment = found->second;
  const Json tree = deployment->Tree();
  if (tree["metadata"].Has("deletionTimestamp")) return std::nullopt;
  bool is_done = Adopt(*deployment, tree);
  const std::vector<Set> sets = SetsOf(*deployment, tree);
  const bool has_new = std::ranges::any_of(sets, &Set::is_new);
  const int64_t latest = sets.empty() ? 0 : sets.back().revision();
  if (!has_new && !tree["spec"]["paused"].AsBool()) {
    is_done = Create(*deployment, tree, latest + 1, sets.empty() ? tree["spec"]["replicas"].IntOr(1) : 0) && is_done;
  } else {
    is_done = Renumber(sets) && Resize(tree, sets) && Prune(tree, sets) && is_done;
  }
  is_done = Report(*deployment, tree, SetsOf(*deployment, tree)) && is_done;
  if (!is_done) return kRetry;
  return UntilDeadline(*deployment);
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
  Json& notes = metadata.Make("annotations");
  CopyNotes(tree["metadata"]["annotations"], notes);
  notes.Set(kRevision, std::to_string(revision));
  notes.Set("deployment.kubernetes.io/desired-replicas", std::to_string(tree["spec"]["replicas"].IntOr(1)));
  Json& spec = set.Make("spec");
  spec.Set("replicas", Json::Int(replicas));
  spec.Set("selector", tree["spec"]["selector"]);
  spec.Make({"selector", "matchLabels"}).Set(kHash, hash);
  spec.Set("template", tree["spec"]["template"]);
  spec.Make({"template", "metadata", "labels"}).Set(kHash, hash);
  const auto created =
      cluster_.objects.Create(sets_, deployment.ns(), std::move(set), {.manager = std::string(kControllerManager)});
  return Succeeded(*this, created);
}

bool DeploymentController::Edit(const Set& set, std::move_only_function<void(Json& changed)> edit) {
  const auto written =
      cluster_.objects.Update(sets_, set.object->ns(), set.object->name(), {.manager = std::string(kControllerManager)},
                              [&](const Json& current) -> Outcome<Json> {
                                Json changed = current;
                                edit(changed);
                                return changed;
                              });
  return Succeeded(*this, written);
}

// Who goes back to an old template makes it the latest.
bool DeploymentController::Renumber(const std::vector<Set>& sets) {
  const auto newest = std::ranges::find_if(sets, &Set::is_new);
  if (newest == sets.end() || sets.back().revision() == newest->revision()) return true;
  return Edit(*newest, [&](Json& changed) {
    changed.Make({"metadata", "annotations"}).Set(kRevision, std::to_string(sets.back().revision() + 1));
  });
}

bool DeploymentController::Resize(const Json& tree, const std::vector<Set>& sets) {
  std::vector<RolloutSet> counts;
  for (const Set& set : sets) {
    counts.push_back({.wanted = set.wanted(), .present = set.present(), .available = set.available()});
  }
  const RolloutPlan plan = PlanOf(tree["spec"]);
  const auto newest = std::ranges::find_if(sets, &Set::is_new);
  const bool is_paused = tree["spec"]["paused"].AsBool() || newest == sets.end();
  const std::vector<int64_t> sizes =
      is_paused ? PausedSizes(plan, counts) : NextSizes(plan, counts, static_cast<size_t>(newest - sets.begin()));
  bool is_done = true;
  for (size_t i = 0; i < sets.size(); ++i) {
    if (sizes[i] == counts[i].wanted) continue;
    const auto resize = [&](Json& changed) { changed.Make("spec").Set("replicas", Json::Int(sizes[i])); };
    is_done = Edit(sets[i], resize) && is_done;
  }
  return is_done;
}

// Old sets are kept for going back, but not for ever.
bool DeploymentController::Prune(const Json& tree, const std::vector<Set>& sets) {
  const int64_t limit = tree["spec"]["revisionHistoryLimit"].IntOr(10);
  const auto is_spent = [](const Set& set) { return !set.is_new && set.wanted() == 0 && set.present() == 0; };
  auto old = std::ranges::count_if(sets, is_spent);
  bool is_done = true;
  for (const Set& set : sets) {
    if (old <= limit) break;
    if (!is_spent(set)) continue;
    is_done = Succeeded(*this, cluster_.objects.Delete(sets_, set.object->ns(), set.object->name(), {})) && is_done;
    --old;
  }
  return is_done;
}

bool DeploymentController::Report(const StoredObject& deployment, const Json& tree, const std::vector<Set>& sets) {
  DeploymentCounts counts;
  int64_t revision = 0;
  for (const Set& set : sets) {
    counts.present += set.present();
    counts.ready += set.tree["status"]["readyReplicas"].IntOr(0);
    counts.available += set.available();
    if (!set.is_new) continue;
    counts.updated = set.present();
    counts.newest = set.object->name();
    revision = set.revision();
  }
  const bool is_done = WriteStatus(cluster_, deployment, [&](Json& status) {
    SetDeploymentStatus(status, tree["spec"], counts, cluster_.objects.now());
    status.Set("observedGeneration", tree["metadata"]["generation"]);
  });
  const std::string text = std::to_string(revision);
  if (revision == 0 || tree["metadata"]["annotations"][kRevision].text() == text) return is_done;
  const auto annotated =
      cluster_.objects.Update(deployments_, deployment.ns(), deployment.name(),
                              {.manager = std::string(kControllerManager)}, [&](const Json& current) -> Outcome<Json> {
                                Json changed = current;
                                changed.Make({"metadata", "annotations"}).Set(kRevision, text);
                                return changed;
                              });
  return Succeeded(*this, annotated) && is_done;
}

std::optional<Duration> DeploymentController::UntilDeadline(const StoredObject& deployment) const {
  const ObjectPtr present = cluster_.store().Find(deployments_, deployment.ns(), deployment.name());
  if (present == nullptr) return std::nullopt;
  const Json tree = present->Tree();
  const std::optional<Time> deadline = ProgressDeadline(tree["status"], tree["spec"]);
  if (!deadline) return std::nullopt;
  return std::max(*deadline - cluster_.objects.now(), kRetry);
}

}  // namespace berth::server
