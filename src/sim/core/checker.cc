// SPDX-License-Identifier: Apache-2.0
// Where pods are. Cache and indexes are in cache_checks.cc, the end of a run in rest_checks.cc.

#include "sim/core/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "sim/core/workload.h"

namespace berth::sim {
namespace {

using cluster::PodInfo;

std::string NameOf(const PodInfo& pod) { return fmt::format("pod {} ({})", pod.full_name(), pod.uid); }

struct Queued {
  const queue::QueuedPod* pod;
  const char* place;
};

std::vector<Queued> AllQueued(const queue::SchedulingQueue& queue) {
  std::vector<Queued> all;
  const auto add = [&](const queue::QueuedPod& queued, const char* place) {
    queued.ForEach([&](const queue::QueuedPod& pod) { all.push_back({&pod, place}); });
  };
  for (const queue::QueuedPod* pod : queue.active().pods()) add(*pod, "active");
  for (const queue::QueuedPod* pod : queue.backoff().rejected().pods()) add(*pod, "backoff");
  for (const queue::QueuedPod* pod : queue.backoff().failed().pods()) add(*pod, "error backoff");
  queue.unschedulable().ForEach([&](const queue::QueuedPod& pod) { add(pod, "unschedulable"); });
  queue.incomplete().ForEach([&](const queue::QueuedPod& pod) { add(pod, "incomplete"); });
  queue.pending().ForEach([&](const queue::QueuedPod& pod) { add(pod, "pending"); });
  return all;
}

}  // namespace

std::string Checker::CheckEffect(const framework::Effect& effect) const {
  const auto* bind = std::get_if<framework::BindPod>(&effect);
  if (bind == nullptr || !server_.bound().contains(bind->pod->uid)) return "";
  return fmt::format("{} is to be bound, but it is bound already", NameOf(*bind->pod));
}

std::string Checker::CheckDecision() const {
  const auto& attempt = core_.last_attempt();
  if (!attempt || attempt->decision.outcome != scheduler::Outcome::kScheduled) return "";
  const cluster::PodPtr placed = core_.cluster().FindPod(attempt->pod->uid);
  if (placed == nullptr) return "";  // Reserve refused it.
  const auto node = server_.seen().find(ApiModel::Key("Node", "", placed->node_name));
  if (node == server_.seen().end())
    return fmt::format("{} was put on the unknown node {}", NameOf(*placed), placed->node_name);
  const api::ResourceList& allocatable = std::get<api::Node>(node->second).allocatable;
  cluster::NodeSlot slot;
  if (!core_.cluster().nodes().Find(placed->node_name, slot)) return "the chosen node has no row";
  const std::vector<cluster::PodPtr>& pods = core_.cluster().nodes().pods[slot.index].pods;
  for (const auto& [name, wanted] : versions_.at(placed->resource_version).spec.containers[0].requests) {
    if (wanted.IsZero() || name == kDeviceResource) continue;  // Of devices CheckDevices knows.
    api::Quantity sum;
    for (const cluster::PodPtr& pod : pods) {
      const api::Quantity* part = pod->spec().containers[0].requests.Find(name);
      if (part != nullptr) sum.Add(*part);
    }
    const api::Quantity* limit = allocatable.Find(name);
    if (limit == nullptr || sum.Cmp(*limit) > 0) {
      return fmt::format("{} overfills node {}: {} of {}", NameOf(*placed), placed->node_name, sum.String(), name);
    }
  }
  if (static_cast<int64_t>(pods.size()) > allocatable.Find("pods")->Value()) {
    return fmt::format("{} is one pod too many on node {}", NameOf(*placed), placed->node_name);
  }
  for (const api::HostPort& port : placed->spec().containers[0].host_ports) {
    for (const cluster::PodPtr& other : pods) {
      if (other->uid == placed->uid) continue;
      for (const api::HostPort& used : other->spec().containers[0].host_ports) {
        if (used.port == port.port) return fmt::format("{} and {} use the same port", NameOf(*placed), NameOf(*other));
      }
    }
  }
  return "";
}

std::string Checker::CheckInFlight() const {
  if (!core_.waiting_for_extenders().empty() || core_.bindings().waiting().size() > 0) return "";
  if (!core_.queue().in_flight().empty()) return "a pod is in flight between two steps";
  if (!core_.queue().in_flight().log().empty()) return "events are kept although no pod is in flight";
  return "";
}

std::string Checker::CheckPlaces() const {
  size_t known = 0;
  for (const auto& [key, object] : server_.seen()) {
    const auto* pod = std::get_if<api::Pod>(&object);
    if (pod == nullptr || pod->is_terminal()) continue;
    ++known;
    const cluster::PodPtr stored = core_.pods().Find(pod->meta.ns + "/" + pod->meta.name);
    if (stored == nullptr || stored->resource_version != pod->meta.resource_version) {
      return fmt::format("the core does not have the newest version of {}", key);
    }
    if (std::string wrong = CheckPending(*stored); !wrong.empty()) return wrong;
  }
  if (known != core_.pods().size()) return fmt::format("the core knows {} pods, not {}", core_.pods().size(), known);
  if (std::string wrong = CheckQueued(); !wrong.empty()) return wrong;
  return CheckAssumed();
}

// The pod as it was told to the core; `pod` need not be pending.
std::string Checker::CheckPending(const PodInfo& pod) const {
  const cluster::PodPtr placed = core_.cluster().FindPod(pod.uid);
  if (!pod.node_name.empty()) {
    if (placed == nullptr) return fmt::format("{} is bound, but not in the cache", NameOf(pod));
    if (placed->node_name != pod.node_name) return fmt::format("{} is on another node in the cache", NameOf(pod));
    if (core_.cluster().IsAssumed(pod.uid))
      return fmt::format("{} is bound, but only assumed in the cache", NameOf(pod));
    if (placed->resource_version != pod.resource_version) return fmt::format("{} is stale in the cache", NameOf(pod));
    return "";
  }
  if (placed != nullptr && !core_.cluster().IsAssumed(pod.uid))
    return fmt::format("{} is pending, but on a node", NameOf(pod));
  if (!core_.policy().IsResponsible(pod) || pod.is_terminating()) return "";
  if (core_.cluster().groups.IsMember(pod)) return "";  // GroupChecks sees to it.
  const std::string key = pod.full_name();
  const queue::SchedulingQueue& queue = core_.queue();
  int places = core_.bindings().Has(pod.uid) || placed != nullptr ? 1 : 0;
  places += static_cast<int>(
      std::ranges::count(core_.waiting_for_extenders(), pod.uid, [](const auto& one) { return one->uid; }));
  for (const queue::QueuedPod* queued :
       {queue.active().Find(key), queue.backoff().Find(key), queue.unschedulable().Find(key)}) {
    if (queued == nullptr) continue;
    if (queued->pod->uid != pod.uid) return fmt::format("{} is queued under another uid", NameOf(pod));
    ++places;
  }
  return places == 1 ? "" : fmt::format("{} is in {} places", NameOf(pod), places);
}

std::string Checker::CheckQueued() const {
  for (const Queued& queued : AllQueued(core_.queue())) {
    const cluster::PodPtr stored = core_.pods().Find(queued.pod->key);
    if (stored == nullptr || stored->uid != queued.pod->pod->uid) {
      return fmt::format("{} is in the {} queue, but gone", NameOf(*queued.pod->pod), queued.place);
    }
    if (!stored->node_name.empty())
      return fmt::format("{} is in the {} queue, but bound", NameOf(*stored), queued.place);
    if (stored->resource_version != queued.pod->pod->resource_version) {
      return fmt::format("{} is stale in the {} queue", NameOf(*stored), queued.place);
    }
  }
  return "";
}

std::string Checker::CheckAssumed() const {
  for (const std::string& uid : core_.cluster().assumed_uids()) {
    const cluster::PodPtr assumed = core_.cluster().FindPod(uid);
    const cluster::PodPtr stored = core_.pods().Find(assumed->full_name());
    if (stored == nullptr || stored->uid != uid) return fmt::format("{} is assumed, but gone", NameOf(*assumed));
    if (!core_.bindings().Has(uid) && !server_.bound().contains(uid)) {
      return fmt::format("{} is assumed, but neither bound nor being bound", NameOf(*assumed));
    }
  }
  return "";
}

std::string Checker::CheckBound() const {
  for (const auto& [key, object] : server_.objects()) {
    const auto* pod = std::get_if<api::Pod>(&object);
    if (pod == nullptr || !server_.bound().contains(pod->meta.uid)) continue;
    const auto seen = server_.seen().find(key);
    if (seen == server_.seen().end()) return fmt::format("{} is bound, but was never told", key);
    const api::Pod& told = std::get<api::Pod>(seen->second);
    // The core gives up what it is told to be going, although its binding may have come first.
    if (told.meta.deletion_timestamp || told.is_terminal()) continue;
    const cluster::PodPtr placed = core_.cluster().FindPod(pod->meta.uid);
    if (placed == nullptr || placed->node_name != pod->node_name)
      return fmt::format("{} is bound to {}, but not in the cache", key, pod->node_name);
  }
  return "";
}

}  // namespace berth::sim
