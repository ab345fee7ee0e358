// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/sets/stateful_set_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "server/controllers/sets/stateful_pods.h"

namespace berth::server {
namespace {

constexpr std::string_view kRevisionHash = "controller.kubernetes.io/hash";

}  // namespace

std::optional<Duration> StatefulSetController::Sync(const std::string& key) {
  const Store::Objects& all = cluster_.store().All(sets_);
  const auto found = all.find(key);
  const api::Selector* selector = affected_.SelectorOf(key);
  if (found == all.end() || selector == nullptr) return std::nullopt;
  const ObjectPtr set = found->second;
  if (set->is_being_deleted()) return std::nullopt;
  const Json tree = set->Tree();
  const Json& spec = tree["spec"];
  SetRevisions revisions(*this, cluster_, *set, tree, kRevisionHash);
  const auto is_member = [&](const PodInfo& pod) { return OrdinalOf(pod.object->name(), set->name()) >= 0; };
  if (!ClaimPods(*this, cluster_, *set, {.selector = *selector, .can_use = is_member}) || !revisions.Update(*selector))
    return kRetry;
  const SetRevision* current = revisions.Find(tree["status"]["currentRevision"].text());
  const int64_t first = spec["ordinals"]["start"].IntOr(0);
  const Look look{.set = *set,
                  .tree = tree,
                  .spec = spec,
                  .current = current == nullptr ? revisions.present() : *current,
                  .update = revisions.present(),
                  .control = PodControl(*this, cluster_, *set, "statefulset-controller"),
                  .availability = Availability(spec, cluster_.objects.now()),
                  .is_in_order = spec["podManagementPolicy"].text() != "Parallel",
                  .first = first,
                  .end = first + spec["replicas"].IntOr(1),
                  .pods = PodsByOrdinal(*set)};
  const Step step = Act(look);
  const auto is_used = [&](const SetRevision& revision) {
    return revision.name() == look.current.name() || revision.name() == look.update.name() ||
           std::ranges::any_of(look.pods, [&](const auto& entry) {
             return entry.second.object->labels().Get(kVersionLabel) == revision.name();
           });
  };
  const bool is_reported = Report(look, revisions.collisions());
  if (!revisions.Prune(is_used) || !is_reported || step == Step::kRefused) return kRetry;
  if (step == Step::kMore) return Duration{};
  return look.availability.Next(PodsOf(cluster_, *set));
}

std::map<int64_t, PodInfo> StatefulSetController::PodsByOrdinal(const StoredObject& set) const {
  std::map<int64_t, PodInfo> pods;
  for (PodInfo& pod : PodsOf(cluster_, set)) {
    const int64_t ordinal = OrdinalOf(pod.object->name(), set.name());
    if (ordinal >= 0) pods.emplace(ordinal, std::move(pod));
  }
  return pods;
}

const SetRevision& StatefulSetController::Look::RevisionFor(int64_t ordinal) const {
  const Json& strategy = spec["updateStrategy"];
  if (strategy.Has("rollingUpdate")) {
    return ordinal < first + strategy["rollingUpdate"]["partition"].IntOr(0) ? current : update;
  }
  const bool is_rolling = strategy["type"].text() == "RollingUpdate";
  return is_rolling && ordinal < first + tree["status"]["currentReplicas"].IntOr(0) ? current : update;
}

// Makes, removes or replaces what is next.
StatefulSetController::Step StatefulSetController::Act(const Look& look) const {
  for (const auto act : {&StatefulSetController::Fill, &StatefulSetController::Shrink}) {
    if (const Step step = (this->*act)(look); step != Step::kDone) return step;
  }
  return look.spec["updateStrategy"]["type"].text() == "OnDelete" ? Step::kDone : Replace(look);
}

// Makes the pods that are missing.
StatefulSetController::Step StatefulSetController::Fill(const Look& look) const {
  size_t made = 0;
  bool must_wait = false;
  for (int64_t ordinal = look.first; ordinal < look.end; ++ordinal) {
    const auto found = look.pods.find(ordinal);
    if (found != look.pods.end()) {
      const Step step = Mend(look, ordinal, found->second);
      if (step == Step::kRefused || (step == Step::kWait && look.is_in_order)) return step;
      continue;
    }
    const bool is_stale = look.Claims(*this, cluster_, ordinal).AreStale();
    must_wait = must_wait || is_stale;
    if (!is_stale && !Create(look, ordinal)) return Step::kRefused;
    if (look.is_in_order) return is_stale ? Step::kRefused : Step::kWait;
    if (!is_stale && ++made == kBatch) return Step::kMore;
  }
  return must_wait ? Step::kRefused : Step::kDone;
}

// Sees to a pod that is there. kWait: it is not what the next one in order may follow.
StatefulSetController::Step StatefulSetController::Mend(const Look& look, int64_t ordinal, const PodInfo& pod) const {
  if (pod.has_ended()) {
    const bool is_done = pod.is_deleting || Delete(look, pod);
    return is_done ? Step::kWait : Step::kRefused;
  }
  if (pod.phase == PodInfo::Phase::kPending && !look.Claims(*this, cluster_, ordinal).Make(look.control)) {
    return Step::kRefused;
  }
  if (look.is_in_order && !look.IsSettled(pod)) return Step::kWait;
  const bool is_done =
      SetClaimOwners(look, ordinal, *pod.object) && (HasIdentity(*pod.object) || SetLabels(look, ordinal, pod));
  return is_done ? Step::kDone : Step::kRefused;
}

// Removes the pods beyond those that there should be, the highest first.
StatefulSetController::Step StatefulSetController::Shrink(const Look& look) const {
  const PodInfo* first_unavailable = nullptr;  // That of the lowest number among those that should stay, or else go.
  for (const bool is_wanted : {true, false}) {
    for (const auto& [ordinal, pod] : look.pods) {
      if (look.IsWanted(ordinal) != is_wanted || look.IsAvailable(pod) || first_unavailable != nullptr) continue;
      first_unavailable = &pod;
    }
  }
  for (const auto& [ordinal, pod] : look.pods) {
    if (!look.IsWanted(ordinal) && !SetClaimOwners(look, ordinal, *pod.object)) return Step::kRefused;
  }
  for (auto at = look.pods.rbegin(); at != look.pods.rend(); ++at) {
    const auto& [ordinal, pod] = *at;
    if (look.IsWanted(ordinal)) continue;
    if (!pod.is_deleting) {
      if (look.is_in_order && !look.IsSettled(pod) && &pod != first_unavailable) return Step::kWait;
      if (!Delete(look, pod)) return Step::kRefused;
    }
    if (look.is_in_order) return Step::kWait;
  }
  return Step::kDone;
}

// Deletes pods of another revision, the highest first, as many as may be missing. Where pods need not wait for each
// other, those that do not work go at once.
StatefulSetController::Step StatefulSetController::Replace(const Look& look) const {
  const Json& rolling = look.spec["updateStrategy"]["rollingUpdate"];
  const int64_t partition = look.first + rolling["partition"].IntOr(0);
  const int64_t wanted = look.end - look.first;
  const int64_t most =
      std::max<int64_t>(1, rolling.Has("maxUnavailable") ? Scaled(rolling["maxUnavailable"], wanted, false) : 1);
  int64_t available = 0;
  std::vector<const PodInfo*> outdated;  // The highest first.
  for (auto at = look.pods.rbegin(); at != look.pods.rend(); ++at) {
    const auto& [ordinal, pod] = *at;
    if (!look.IsWanted(ordinal)) continue;
    if (look.IsAvailable(pod)) ++available;
    if (ordinal >= partition && !look.IsUpdated(pod) && !pod.is_deleting) outdated.push_back(&pod);
  }
  int64_t spare = most - (wanted - available);
  Step step = Step::kDone;
  for (const PodInfo* pod : outdated) {
    const bool is_free = !look.is_in_order && !look.IsAvailable(*pod);
    if (!is_free && spare-- <= 0) continue;
    if (!Delete(look, *pod)) return Step::kRefused;
    step = Step::kWait;
  }
  return step;
}

bool StatefulSetController::Create(const Look& look, int64_t ordinal) const {
  const std::string name = StatefulPodName(look.set, ordinal);
  Outcome<void> outcome = look.Claims(*this, cluster_, ordinal).Make(look.control);
  if (outcome) {
    const auto created = cluster_.objects.Create(
        pods_, look.set.ns(), MakeStatefulPod(look.set, look.spec, ordinal, look.RevisionFor(ordinal)),
        {.manager = std::string(kControllerManager)});
    if (!created) (void)Succeeded(*this, created);
    // Somebody else's pod has the name.
    if (!created && created.error().reason == "AlreadyExists") return false;
    if (!created) outcome = std::unexpected(created.error());
    if (created && !SetClaimOwners(look, ordinal, **created)) return false;
  }
  ReportPod(look, "Create", name, outcome);
  return outcome.has_value();
}

bool StatefulSetController::Delete(const Look& look, const PodInfo& pod) const {
  const StoredObject& object = *pod.object;
  const auto deleted = cluster_.objects.Delete(pods_, object.ns(), object.name(), {.uid = object.uid()});
  Outcome<void> outcome;
  if (!deleted && !Succeeded(*this, deleted)) outcome = std::unexpected(deleted.error());
  ReportPod(look, "Delete", object.name(), outcome);
  return outcome.has_value();
}

bool StatefulSetController::SetLabels(const Look& look, int64_t ordinal, const PodInfo& pod) const {
  const std::string_view name = pod.object->name();
  const Outcome<void> written = EditObject(
      cluster_, *pod.object, [&](Json& changed) { SetIdentity(changed.Make({"metadata", "labels"}), name, ordinal); });
  Outcome<void> outcome;
  if (!written && !Succeeded(*this, written)) outcome = std::unexpected(written.error());
  ReportPod(look, "Update", name, outcome);
  return outcome.has_value();
}

bool StatefulSetController::SetClaimOwners(const Look& look, int64_t ordinal, const StoredObject& pod) const {
  const Outcome<void> set = look.Claims(*this, cluster_, ordinal).SetOwners(look.control, pod);
  if (!set) ReportPod(look, "Update", pod.name(), set);
  return set.has_value();
}

void StatefulSetController::ReportPod(const Look& look, std::string_view verb, std::string_view pod,
                                      const Outcome<void>& outcome) const {
  const std::string what = fmt::format("{} Pod {} in StatefulSet {}", verb, pod, look.set.name());
  if (outcome) {
    look.control.Report("Normal", fmt::format("Successful{}", verb), what + " successful");
  } else {
    look.control.Report("Warning", fmt::format("Failed{}", verb),
                        fmt::format("{} failed error: {}", what, outcome.error().message));
  }
}

bool StatefulSetController::Report(const Look& look, int64_t collisions) const {
  const std::vector<PodInfo> pods = PodsOf(cluster_, look.set);
  const auto count = [&](auto predicate) { return static_cast<int64_t>(std::ranges::count_if(pods, predicate)); };
  const auto is_ready = [](const PodInfo& pod) { return pod.phase == PodInfo::Phase::kRunning && pod.is_ready; };
  const auto count_of = [&](std::string_view revision) {
    return count(
        [&](const PodInfo& pod) { return !pod.is_deleting && pod.object->labels().Get(kVersionLabel) == revision; });
  };
  const auto present = static_cast<int64_t>(pods.size());
  const int64_t wanted = look.end - look.first;
  const int64_t ready = count(is_ready);
  const int64_t updated = count_of(look.update.name());
  // The update is over when all pods are of its revision.
  const bool is_complete = updated == wanted && ready == wanted && present == wanted;
  const std::string_view current = is_complete ? look.update.name() : look.current.name();
  return WriteStatus(cluster_, look.set, [&](Json& status) {
    status.Set("replicas", Json::Int(present));
    status.Set("availableReplicas",
               Json::Int(count([&](const PodInfo& pod) { return is_ready(pod) && look.availability.Has(pod); })));
    for (const auto& [name, number] : {std::pair<std::string_view, int64_t>{"readyReplicas", ready},
                                       {"updatedReplicas", updated},
                                       {"currentReplicas", count_of(current)}}) {
      status.Set(name, Json::Int(number));
      if (number == 0) status.Erase(name);
    }
    status.Set("currentRevision", current);
    status.Set("updateRevision", look.update.name());
    status.Set("collisionCount", Json::Int(collisions));
    status.Set("observedGeneration", look.tree["metadata"]["generation"]);
  });
}

}  // namespace berth::server
