// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/daemon_set_controller.h"

#include <algorithm>
#include <map>

#include "server/controllers/daemon_placement.h"

namespace berth::server {
namespace {

// How many nodes may be without a ready pod while pods are replaced.
int64_t UnavailableMax(const Json& spec, int64_t nodes) {
  const Json& rolling = spec["updateStrategy"]["rollingUpdate"];
  return std::max<int64_t>(1, rolling.Has("maxUnavailable") ? Scaled(rolling["maxUnavailable"], nodes, true) : 1);
}

}  // namespace

void DaemonSetController::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  if (&object.resource() == &sets_ && change.type != Change::Type::kDeleted) enqueue(object.key(), Duration{});
  if (&object.resource() == &nodes_) {
    for (const auto& [key, set] : cluster_.store().All(sets_)) enqueue(key, kSettle);
  }
  EnqueueOwner(cluster_, change, sets_.kind, enqueue);
}

std::optional<Duration> DaemonSetController::Sync(const std::string& key) {
  const Store::Objects& all = cluster_.store().All(sets_);
  const auto found = all.find(key);
  if (found == all.end()) return std::nullopt;
  const ObjectPtr set = found->second;
  const Json tree = set->Tree();
  if (tree["metadata"].Has("deletionTimestamp")) return std::nullopt;
  if (!AdoptPods(*this, cluster_, *set, tree["spec"]["selector"])) return kRetry;
  Json pod_template = tree["spec"]["template"];
  AddDaemonTolerations(pod_template.Make("spec"));
  const std::string version = TemplateHash(tree["spec"]["template"]);

  Work work = Look(*set, pod_template["spec"], version);
  if (tree["spec"]["updateStrategy"]["type"].text() != "OnDelete") AddOutdated(tree["spec"], work);
  bool is_done = std::ranges::all_of(work.unwanted, [&](const PodInfo& pod) { return DeletePod(cluster_, pod); });
  const bool has_more = work.empty_nodes.size() > kBatch;
  if (has_more) work.empty_nodes.resize(kBatch);
  for (const std::string& node : work.empty_nodes) {
    is_done = is_done && Create(*set, pod_template, node, version);
  }
  is_done = Report(*set, tree, work.tally) && is_done;
  if (!is_done) return kRetry;
  return has_more ? std::optional(Duration{}) : std::nullopt;
}

// What there is on each node, what is missing and what should not be there.
DaemonSetController::Work DaemonSetController::Look(const StoredObject& set, const Json& spec,
                                                    const std::string& version) const {
  std::multimap<std::string, PodInfo, std::less<>> by_node;
  for (PodInfo& pod : PodsOf(cluster_, set)) {
    std::string node = PinnedNode(pod);
    by_node.emplace(std::move(node), std::move(pod));
  }
  Work work;
  for (const auto& [name, node] : cluster_.store().All(nodes_)) {
    const DaemonFit fit = FitOf(spec, *node);
    const auto [begin, end] = by_node.equal_range(name);
    std::vector<PodInfo> pods;
    for (auto at = begin; at != end; ++at) pods.push_back(std::move(at->second));
    by_node.erase(begin, end);
    LookAt(name, fit, std::move(pods), version, work);
  }
  // Pods for nodes that are gone; those that ran on one are collected with the node's others.
  for (auto& [name, pod] : by_node) {
    if (pod.node.empty() && !pod.is_deleting) work.unwanted.push_back(std::move(pod));
  }
  return work;
}

void DaemonSetController::LookAt(const std::string& node, DaemonFit fit, std::vector<PodInfo> pods,
                                 const std::string& version, Work& work) {
  Tally& tally = work.tally;
  if (fit == DaemonFit::kFits) ++tally.wanted;
  bool is_occupied = false;
  const PodInfo* kept = nullptr;
  for (const PodInfo& pod : pods) {
    if (!pod.is_active()) {
      if (!pod.is_deleting) work.unwanted.push_back(pod);  // It has ended, and makes room for another.
      is_occupied = true;
    } else if (fit == DaemonFit::kNone) {
      ++tally.misplaced;
      work.unwanted.push_back(pod);
    } else if (kept != nullptr) {
      work.unwanted.push_back(pod);
    } else {
      kept = &pod;
    }
  }
  if (kept == nullptr) {
    if (fit == DaemonFit::kFits && !is_occupied) work.empty_nodes.push_back(node);
    return;
  }
  if (fit == DaemonFit::kStays) {
    ++tally.misplaced;
    return;
  }
  ++tally.present;
  if (kept->is_ready) ++tally.ready;
  if (kept->object->labels().Get(kVersionLabel) == version) {
    ++tally.updated;
  } else {
    work.outdated.push_back(*kept);
  }
}

// Chooses among the pods of an older template those that are replaced now: all that do not work, and of the others as
// many as may be missing.
void DaemonSetController::AddOutdated(const Json& spec, Work& work) {
  int64_t spare = UnavailableMax(spec, work.tally.wanted) - (work.tally.wanted - work.tally.ready);
  for (PodInfo& pod : work.outdated) {
    if (pod.is_ready && spare-- <= 0) continue;
    work.unwanted.push_back(std::move(pod));
  }
  work.outdated.clear();
}

bool DaemonSetController::Create(const StoredObject& set, const Json& pod_template, std::string_view node,
                                 const std::string& version) {
  Json pod = PodFromTemplate(pod_template, set);
  Json& metadata = pod.Make("metadata");
  metadata.Set("generateName", std::string(set.name()) + "-");
  metadata.Make("labels").Set(kVersionLabel, version);
  PinToNode(pod.Make("spec"), node);
  return Succeeded(
      *this, cluster_.objects.Create(pods_, set.ns(), std::move(pod), {.manager = std::string(kControllerManager)}));
}

bool DaemonSetController::Report(const StoredObject& set, const Json& tree, const Tally& tally) {
  return WriteStatus(cluster_, set, [&](Json& status) {
    status.Set("desiredNumberScheduled", Json::Int(tally.wanted));
    status.Set("currentNumberScheduled", Json::Int(tally.present));
    status.Set("numberMisscheduled", Json::Int(tally.misplaced));
    status.Set("numberReady", Json::Int(tally.ready));
    for (const auto& [name, number] : {std::pair<std::string_view, int64_t>{"numberAvailable", tally.ready},
                                       {"numberUnavailable", tally.wanted - tally.ready},
                                       {"updatedNumberScheduled", tally.updated}}) {
      status.Set(name, Json::Int(number));
      if (number == 0) status.Erase(name);
    }
    status.Set("observedGeneration", tree["metadata"]["generation"]);
  });
}

}  // namespace berth::server
