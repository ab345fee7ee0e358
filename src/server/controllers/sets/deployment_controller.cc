// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/sets/deployment_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "server/controllers/event_report.h"
#include "server/controllers/owned_pods.h"
#include "server/model/find_condition.h"

namespace berth::server {
namespace {

constexpr std::string_view kDeploymentReporter = "deployment-controller";

std::vector<RolloutSet> CountsOf(const std::vector<DeploymentSet>& sets) {
  std::vector<RolloutSet> counts;
  for (const DeploymentSet& set : sets) counts.push_back(set.counts());
  return counts;
}

std::optional<size_t> IndexOfNewest(const std::vector<DeploymentSet>& sets) {
  const auto newest = std::ranges::find_if(sets, &DeploymentSet::is_newest);
  return newest == sets.end() ? std::nullopt : std::optional(static_cast<size_t>(newest - sets.begin()));
}

// Why the newest set cannot make its pods, or if it can, another one cannot.
Json FailureOf(const std::vector<DeploymentSet>& sets) {
  Json failure;
  for (const DeploymentSet& set : sets) {
    const Json& condition = FindCondition(set.tree["status"]["conditions"], "ReplicaFailure");
    if (!condition.is_null() && (set.is_newest || failure.is_null())) failure = condition;
  }
  return failure;
}

DeploymentCounts Count(const std::vector<DeploymentSet>& sets) {
  DeploymentCounts counts;
  for (const DeploymentSet& set : sets) {
    const Json& status = set.tree["status"];
    counts.wanted += set.wanted();
    counts.present += set.present();
    counts.ready += status["readyReplicas"].IntOr(0);
    counts.available += set.available();
    if (set.is_newest) counts.updated = set.present();
    if (status.Has("terminatingReplicas")) {
      if (counts.terminating) *counts.terminating += status["terminatingReplicas"].IntOr(0);
    } else if (status["observedGeneration"].IntOr(0) > 0) {
      counts.terminating.reset();
    }
  }
  return counts;
}

}  // namespace

const DeploymentSet* DeploymentController::Look::newest() const {
  const auto found = std::ranges::find_if(sets, &DeploymentSet::is_newest);
  return found == sets.end() ? nullptr : &*found;
}

bool DeploymentController::Look::IsScaled() const {
  return std::ranges::any_of(sets,
                             [&](const DeploymentSet& set) { return set.wanted() > 0 && set.HasOtherScale(plan); });
}

std::optional<Duration> DeploymentController::Sync(const std::string& key) {
  const Store::Objects& all = cluster_.store().All(deployments_);
  const auto found = all.find(key);
  const api::Selector* selector = affected_.SelectorOf(key);
  if (found == all.end() || selector == nullptr) return std::nullopt;
  const ObjectPtr deployment = found->second;
  if (deployment->is_being_deleted()) return std::nullopt;
  if (!Claim(*deployment, *selector)) return kRetry;
  const Json tree = deployment->Tree();
  const Look look{.deployment = *deployment,
                  .tree = tree,
                  .plan = PlanOf(tree["spec"]),
                  .sets = SetsOf(cluster_, *deployment, tree)};
  RolloutState rollout{.newest = {}, .moves_on = !look.is_paused() && !look.IsScaled()};
  int64_t collisions = look.collisions();
  bool is_done = RefreshNewest(look);
  is_done = (rollout.moves_on ? RollOut(look, rollout.news, collisions) : Scale(look)) && is_done;
  is_done = Report(look, std::move(rollout), collisions) && is_done;
  if (!is_done) return kRetry;
  return UntilDeadline(*deployment);
}

// Takes over sets that nobody controls, such as those of a deployment that was deleted without them, and lets go of
// those that are not selected any more.
bool DeploymentController::Claim(const StoredObject& deployment, const api::Selector& selector) {
  std::vector<ObjectPtr> adopted;
  std::vector<ObjectPtr> released;
  const std::string prefix = ObjectKey(deployment.ns(), "");
  const Store::Objects& all = cluster_.store().All(sets_);
  for (auto at = all.lower_bound(prefix); at != all.end() && at->first.starts_with(prefix); ++at) {
    const StoredObject& set = *at->second;
    const Json& owner = ControllerAmong(set.owners());
    const bool is_selected = selector.Matches(set.labels());
    if (owner.is_null() && is_selected && !set.is_being_deleted()) adopted.push_back(at->second);
    if (owner["uid"].text() == deployment.uid() && !is_selected) released.push_back(at->second);
  }
  return std::ranges::all_of(adopted,
                             [&](const ObjectPtr& set) { return TakeOver(*this, cluster_, deployment, *set); }) &&
         std::ranges::all_of(released,
                             [&](const ObjectPtr& set) { return Release(*this, cluster_, deployment, *set); });
}

// Who goes back to an old template makes its set the latest.
bool DeploymentController::RefreshNewest(const Look& look) {
  const DeploymentSet* newest = look.newest();
  if (newest == nullptr) return true;
  const auto refresh = [&](Json& set) { RefreshSet(set, look.tree, LastRevision(look.sets) + 1); };
  Json refreshed = newest->tree;
  refresh(refreshed);
  return refreshed == newest->tree || Succeeded(*this, EditObject(cluster_, *newest->object, refresh));
}

// Brings the sets to the size that is asked for, and moves no replicas from one to another.
bool DeploymentController::Scale(const Look& look) {
  const bool is_done = Resize(look, ScaledSizes(look.plan, CountsOf(look.sets), IndexOfNewest(look.sets)));
  return (!look.is_paused() || Prune(look)) && is_done;
}

bool DeploymentController::RollOut(const Look& look, std::optional<NewSetNews>& news, int64_t& collisions) {
  const std::optional<size_t> newest = IndexOfNewest(look.sets);
  if (look.plan.recreates && HasOldPods(look)) {
    std::vector<int64_t> sizes(look.sets.size(), 0);
    if (newest) sizes[*newest] = std::min(look.sets[*newest].wanted(), look.plan.replicas);
    return Resize(look, sizes);
  }
  if (!newest) return Create(look, news, collisions);
  const bool is_done = Resize(look, NextSizes(look.plan, CountsOf(look.sets), *newest));
  return (!IsComplete(look.tree["status"], look.tree) || Prune(look)) && is_done;
}

bool DeploymentController::HasOldPods(const Look& look) const {
  return std::ranges::any_of(look.sets, [&](const DeploymentSet& set) {
    if (set.is_newest) return false;
    const PodIndex::Keys& pods = cluster_.pods.OfOwner(set.object->uid());
    return set.wanted() > 0 || set.present() > 0 ||
           std::ranges::any_of(pods, [&](const std::string& pod) { return !cluster_.pods.Find(pod)->has_ended(); });
  });
}

bool DeploymentController::Create(const Look& look, std::optional<NewSetNews>& news, int64_t& collisions) {
  std::vector<RolloutSet> counts = CountsOf(look.sets);
  counts.emplace_back();
  const int64_t size = NextSizes(look.plan, counts, counts.size() - 1).back();
  Json set = MakeDeploymentSet(look.deployment, look.tree, LastRevision(look.sets) + 1, collisions);
  ResizeSet(set, size, look.plan);
  const std::string name = set["metadata"]["name"].text();
  const auto created = cluster_.objects.Create(sets_, look.deployment.ns(), std::move(set),
                                               {.manager = std::string(kControllerManager)});
  if (created) {
    if (size > 0) ReportScaling(look, name, 0, size);
    news = NewSetNews{.is_made = true,
                      .reason = "NewReplicaSetCreated",
                      .message = fmt::format("Created new replica set \"{}\"", name)};
    return true;
  }
  if (Succeeded(*this, created)) return true;
  if (created.error().reason == "AlreadyExists") {
    ++collisions;  // The next look tries another name.
    return false;
  }
  news =
      NewSetNews{.is_made = false,
                 .reason = "ReplicaSetCreateError",
                 .message = fmt::format("Failed to create new replica set \"{}\": {}", name, created.error().message)};
  ReportEvent(cluster_, look.deployment, kDeploymentReporter,
              {.type = "Warning", .reason = news->reason, .message = news->message});
  return false;
}

bool DeploymentController::Resize(const Look& look, const std::vector<int64_t>& sizes) {
  bool is_done = true;
  for (size_t i = 0; i < look.sets.size(); ++i) {
    const DeploymentSet& set = look.sets[i];
    const int64_t before = set.wanted();
    const bool is_outdated = before > 0 && set.HasOtherScale(look.plan);
    if (sizes[i] == before && !is_outdated) continue;
    const Outcome<void> resized =
        EditObject(cluster_, *set.object, [&](Json& changed) { ResizeSet(changed, sizes[i], look.plan); });
    if (!Succeeded(*this, resized)) {
      is_done = false;
    } else if (sizes[i] != before) {
      ReportScaling(look, set.object->name(), before, sizes[i]);
    }
  }
  return is_done;
}

void DeploymentController::ReportScaling(const Look& look, std::string_view set, int64_t before, int64_t after) {
  ReportEvent(cluster_, look.deployment, kDeploymentReporter,
              {.type = "Normal",
               .reason = "ScalingReplicaSet",
               .message = fmt::format("Scaled {} replica set {} from {} to {}", before < after ? "up" : "down", set,
                                      before, after)});
}

// Old sets are kept for going back, but not for ever.
bool DeploymentController::Prune(const Look& look) {
  const int64_t limit = look.tree["spec"]["revisionHistoryLimit"].IntOr(10);
  std::vector<const DeploymentSet*> old;
  for (const DeploymentSet& set : look.sets) {
    if (!set.is_newest && !set.object->is_being_deleted()) old.push_back(&set);
  }
  if (limit < 0 || static_cast<int64_t>(old.size()) <= limit) return true;
  std::ranges::stable_sort(old, {}, [](const DeploymentSet* set) { return set->revision(); });
  old.resize(old.size() - static_cast<size_t>(limit));
  bool is_done = true;
  for (const DeploymentSet* set : old) {
    const bool is_observed =
        set->tree["status"]["observedGeneration"].IntOr(0) >= set->tree["metadata"]["generation"].IntOr(0);
    if (set->wanted() > 0 || set->present() > 0 || !is_observed) continue;
    is_done = Succeeded(*this, cluster_.objects.Delete(sets_, set->object->ns(), set->object->name(), {})) && is_done;
  }
  return is_done;
}

bool DeploymentController::Report(const Look& look, RolloutState rollout, int64_t collisions) {
  const Look now{.deployment = look.deployment,
                 .tree = look.tree,
                 .plan = look.plan,
                 .sets = SetsOf(cluster_, look.deployment, look.tree)};
  const DeploymentSet* newest = now.newest();
  if (newest != nullptr) rollout.newest = newest->object->name();
  rollout.failure = FailureOf(now.sets);
  const DeploymentCounts counts = Count(now.sets);
  const bool is_done = WriteStatus(cluster_, look.deployment, [&](Json& status) {
    SetDeploymentStatus(status, look.tree, counts, rollout, cluster_.objects.now());
    if (collisions > 0) status.Set("collisionCount", Json::Int(collisions));
  });
  return NoteRevision(now) && is_done;
}

bool DeploymentController::NoteRevision(const Look& look) {
  const DeploymentSet* newest = look.newest();
  if (newest == nullptr) return true;
  const Json& number = newest->tree["metadata"]["annotations"][kDeploymentRevision];
  if (number.text().empty() || look.tree["metadata"]["annotations"][kDeploymentRevision] == number) return true;
  return Succeeded(*this, EditObject(cluster_, look.deployment, [&](Json& changed) {
    changed.Make({"metadata", "annotations"}).Set(kDeploymentRevision, number);
  }));
}

std::optional<Duration> DeploymentController::UntilDeadline(const StoredObject& deployment) const {
  const ObjectPtr present = cluster_.store().Find(deployments_, deployment.ns(), deployment.name());
  if (present == nullptr) return std::nullopt;
  const Json tree = present->Tree();
  const std::optional<Time> deadline = ProgressDeadline(tree["status"], tree["spec"]);
  if (!deadline || IsComplete(tree["status"], tree)) return std::nullopt;
  return std::max(*deadline - cluster_.objects.now(), kRetry);
}

}  // namespace berth::server
