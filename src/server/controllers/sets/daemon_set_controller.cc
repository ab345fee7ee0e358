// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/sets/daemon_set_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace berth::server {
namespace {

// Older versions of the API counted changes of the template; pods still say which one they are of.
constexpr std::string_view kGenerationNote = "deprecated.daemonset.template.generation";
constexpr std::string_view kGenerationLabel = "pod-template-generation";

// What decides where daemons belong.
bool IsOtherPlace(const Change& change) {
  if (change.type != Change::Type::kModified || change.before == nullptr) return true;
  if (change.before->labels() != change.object->labels()) return true;
  const TreePtr now = change.object->tree();
  const TreePtr before = change.before->tree();
  return (*now)["spec"]["taints"] != (*before)["spec"]["taints"];
}

// The pod that counts on its node comes first: one that is there, then the oldest.
void SortBySeniority(std::vector<PodInfo>& pods) {
  if (pods.size() < 2) return;
  std::ranges::sort(pods, {}, [](const PodInfo& pod) {
    return std::make_tuple(pod.node.empty(), (*pod.object->tree())["metadata"]["creationTimestamp"].text(),
                           std::string(pod.object->name()));
  });
}

}  // namespace

void DaemonSetController::OnChange(const Change& change, const Enqueue& enqueue) {
  affected_.OnChange(change, kSettle, enqueue);
  if (&change.object->resource() != &nodes_ || !IsOtherPlace(change)) return;
  for (const auto& [key, set] : cluster_.store().All(sets_)) enqueue(key, kSettle);
}

std::optional<Duration> DaemonSetController::Sync(const std::string& key) {
  const Store::Objects& all = cluster_.store().All(sets_);
  const auto found = all.find(key);
  const api::Selector* selector = affected_.SelectorOf(key);
  if (found == all.end() || selector == nullptr) return std::nullopt;
  const ObjectPtr set = found->second;
  if (set->is_being_deleted()) return std::nullopt;
  const Json tree = set->Tree();
  const Json& spec = tree["spec"];
  SetRevisions revisions(*this, cluster_, *set, tree, kVersionLabel);
  const auto is_any = [](const PodInfo& /*pod*/) { return true; };
  if (!ClaimPods(*this, cluster_, *set, {.selector = *selector, .can_use = is_any}) || !revisions.Update(*selector))
    return kRetry;
  const std::string& version = revisions.present().hash;
  const std::string& generation = tree["metadata"]["annotations"][kGenerationNote].text();

  Json pod = PodFromTemplate(spec["template"], *set);
  AddDaemonTolerations(pod.Make("spec"));
  pod.Make("metadata").Set("generateName", std::string(set->name()) + "-");
  pod.Make({"metadata", "labels"}).Set(kVersionLabel, version);
  if (!generation.empty()) pod.Make({"metadata", "labels"}).Set(kGenerationLabel, generation);
  const DaemonPods pods{.is_updated =
                            [&](const PodInfo& each) {
                              const api::Labels& labels = each.object->labels();
                              return labels.Get(kVersionLabel) == version ||
                                     (!generation.empty() && labels.Get(kGenerationLabel) == generation);
                            },
                        .availability = Availability(spec, cluster_.objects.now())};
  const PodControl control(*this, cluster_, *set, "daemonset-controller");

  const std::vector<DaemonNode> nodes = LookAtNodes(*set, pod["spec"]);
  const auto fitting = std::ranges::count(nodes, DaemonFit::kFits, &DaemonNode::fit);
  const DaemonLimits limits = LimitsOf(spec, fitting);
  DaemonWork work;
  for (const DaemonNode& node : nodes) AddUpkeep(node, pods, limits.surge > 0, work);
  const std::optional<Duration> held = HoldBackEnded(*set, tree, control, work.ended);
  if (work.empty() && spec["updateStrategy"]["type"].text() != "OnDelete") {
    work = NextReplacements(nodes, pods, limits);
  }
  const bool has_more = work.empty_nodes.size() > kBatch;
  if (has_more) work.empty_nodes.resize(kBatch);
  const Outcome<void> done = CarryOut(control, pod, work);
  const auto is_used = [&](const SetRevision& revision) {
    return revision.hash == version || std::ranges::any_of(cluster_.pods.TalliesOf(set->uid()), [&](const auto& entry) {
             return entry.first.Get(kVersionLabel) == revision.hash;
           });
  };
  const bool is_pruned = !done || revisions.Prune(is_used);
  if (!Report(*set, tree, nodes, pods, revisions.collisions()) || !done || !is_pruned) return kRetry;
  if (has_more) return Duration{};
  const std::optional<Duration> next = pods.availability.Next(PodsOf(cluster_, *set));
  return held && next ? std::min(*held, *next) : held ? held : next;
}

std::vector<DaemonNode> DaemonSetController::LookAtNodes(const StoredObject& set, const Json& spec) const {
  std::map<std::string, std::vector<PodInfo>, std::less<>> by_node;
  for (PodInfo& pod : PodsOf(cluster_, set)) {
    if (pod.has_ended() && pod.is_deleting) continue;
    std::string node = PinnedNode(pod);
    if (!node.empty()) by_node[std::move(node)].push_back(std::move(pod));
  }
  std::vector<DaemonNode> nodes;
  for (const auto& [name, node] : cluster_.store().All(nodes_)) {
    DaemonNode looked{.name = name, .exists = true, .fit = FitOf(spec, *node), .pods = {}};
    if (const auto found = by_node.find(name); found != by_node.end()) {
      looked.pods = std::move(found->second);
      SortBySeniority(looked.pods);
      by_node.erase(found);
    }
    nodes.push_back(std::move(looked));
  }
  // Pods for nodes that are gone; those that ran on one are collected with the node's others.
  for (auto& [name, pods] : by_node) {
    std::erase_if(pods, [](const PodInfo& pod) { return !pod.node.empty(); });
    if (!pods.empty()) {
      nodes.push_back({.name = name, .exists = false, .fit = DaemonFit::kNone, .pods = std::move(pods)});
    }
  }
  return nodes;
}

std::optional<Duration> DaemonSetController::HoldBackEnded(const StoredObject& set, const Json& tree,
                                                           const PodControl& control, std::vector<PodInfo>& ended) {
  const Time now = cluster_.objects.now();
  const int64_t generation = tree["status"]["observedGeneration"].IntOr(0);
  std::optional<Duration> held;
  std::erase_if(ended, [&](const PodInfo& pod) {
    const std::string node = PinnedNode(pod);
    const std::string what = fmt::format("daemon pod {} on node {}", pod.key(), node);
    if (pod.phase == PodInfo::Phase::kSucceeded) {
      control.Report("Normal", "SucceededDaemonPod", "Found succeeded " + what + ", will try to delete it");
      return false;
    }
    if (const auto wait = backoff_.Wait(fmt::format("{}/{}/{}", set.uid(), generation, node), now)) {
      held = held ? std::min(*held, *wait) : *wait;
      return true;
    }
    control.Report("Warning", "FailedDaemonPod", "Found failed " + what + ", will try to kill it");
    return false;
  });
  return held;
}

Outcome<void> DaemonSetController::CarryOut(const PodControl& control, const Json& pod, const DaemonWork& work) {
  for (const std::string& node : work.empty_nodes) {
    Json pinned = pod;
    PinToNode(pinned.Make("spec"), node);
    if (const auto created = control.Create(std::move(pinned)); !created) return std::unexpected(created.error());
  }
  for (const std::vector<PodInfo>* pods : {&work.ended, &work.unwanted}) {
    for (const PodInfo& unwanted : *pods) {
      if (Outcome<void> deleted = control.Delete(unwanted); !deleted) return deleted;
    }
  }
  return {};
}

bool DaemonSetController::Report(const StoredObject& set, const Json& tree, const std::vector<DaemonNode>& nodes,
                                 const DaemonPods& pods, int64_t collisions) {
  int64_t wanted = 0;
  int64_t present = 0;
  int64_t misplaced = 0;
  int64_t ready = 0;
  int64_t available = 0;
  int64_t updated = 0;
  for (const DaemonNode& node : nodes) {
    const bool fits = node.fit == DaemonFit::kFits;
    if (fits) ++wanted;
    if (node.pods.empty() || !node.exists) continue;
    ++(fits ? present : misplaced);
    if (!fits) continue;
    const PodInfo& pod = node.pods.front();
    if (pod.is_ready) ++ready;
    if (pods.availability.Has(pod)) ++available;
    if (pods.is_updated(pod)) ++updated;
  }
  return WriteStatus(cluster_, set, [&](Json& status) {
    status.Set("desiredNumberScheduled", Json::Int(wanted));
    status.Set("currentNumberScheduled", Json::Int(present));
    status.Set("numberMisscheduled", Json::Int(misplaced));
    status.Set("numberReady", Json::Int(ready));
    for (const auto& [name, number] : {std::pair<std::string_view, int64_t>{"numberAvailable", available},
                                       {"numberUnavailable", wanted - available},
                                       {"updatedNumberScheduled", updated}}) {
      status.Set(name, Json::Int(number));
      if (number == 0) status.Erase(name);
    }
    if (collisions > 0) status.Set("collisionCount", Json::Int(collisions));
    status.Set("observedGeneration", tree["metadata"]["generation"]);
  });
}

}  // namespace berth::server
