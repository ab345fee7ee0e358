// SPDX-License-Identifier: Apache-2.0
#include "sim/core/group_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "plugins/gang_scheduling/gang_scheduling.h"

namespace berth::sim {
namespace {

using cluster::GroupKey;
using cluster::PodGroups;
using cluster::PodGroupState;
using cluster::PodInfo;

// The longest that any plugin asks for.
constexpr Duration kPermitMax = Minutes(5);

std::string Named(const PodInfo& pod) { return fmt::format("pod {} ({})", pod.full_name(), pod.uid); }

}  // namespace

std::string GroupChecks::CheckStep(Time now) {
  if (!core_.cluster().groups.enabled()) return "";
  for (std::string wrong : {CheckWaiting(now), CheckLetGo(), CheckHeld(), CheckPlaced()}) {
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::string GroupChecks::CheckEverything() const {
  if (!core_.cluster().groups.enabled()) return "";
  std::string wrong = CheckPlaces();
  return wrong.empty() ? CheckStates() : wrong;
}

std::string GroupChecks::CheckEffect(const framework::Effect& effect) const {
  const auto* bind = std::get_if<framework::BindPod>(&effect);
  if (bind == nullptr || !core_.cluster().groups.IsMember(*bind->pod)) return "";
  const cluster::PodPtr stored = core_.pods().Find(bind->pod->full_name());
  const bool is_gone = stored == nullptr || stored->uid != bind->pod->uid || stored->is_terminating();
  // The binding of one that is gone, or that somebody else has bound, will be refused.
  if (is_gone || !stored->node_name.empty() || let_go_.contains(bind->pod->uid)) return "";
  return fmt::format("{} is to be bound, but its group was not let go", Named(*bind->pod));
}

std::string GroupChecks::CheckWaiting(Time now) {
  std::map<std::string, Time> waiting;
  waits_for_gang_.clear();
  std::string wrong;
  core_.bindings().waiting().ForEach([&](const PodInfo& pod, const auto& waits) {
    const auto since = waiting_.find(pod.uid);
    const Time begin = waiting.emplace(pod.uid, since == waiting_.end() ? now : since->second).first->second;
    if (now - begin > kPermitMax) wrong = fmt::format("{} waits on permit for too long", Named(pod));
    for (const framework::WaitingPods::Wait& wait : waits) {
      if (wait.plugin == plugins::GangScheduling::kName) waits_for_gang_.insert(pod.uid);
    }
  });
  waiting_ = std::move(waiting);
  return wrong;
}

bool GroupChecks::IsComplete(const GroupKey& key) const {
  const PodGroups& groups = core_.cluster().groups;
  const api::GroupSpec* spec = groups.SpecOf(key);
  if (spec == nullptr) return false;
  int64_t count = 0;
  if (key.is_composite) {
    count = std::ranges::count_if(groups.FindComposite(key)->children,
                                  [&](const GroupKey& child) { return IsComplete(child); });
  } else {
    core_.pods().ForEach([&](const cluster::PodPtr& pod) {
      if (!groups.IsMember(*pod) || PodGroups::KeyOf(*pod) != key) return;
      if (!pod->node_name.empty() || core_.cluster().IsAssumed(pod->uid)) ++count;
    });
  }
  return count >= spec->min_count.value_or(1);
}

std::string GroupChecks::CheckLetGo() {
  const PodGroups& groups = core_.cluster().groups;
  std::set<std::string> let_go;
  for (const std::string& uid : core_.cluster().assumed_uids()) {
    const cluster::PodPtr pod = core_.cluster().FindPod(uid);
    if (!groups.IsMember(*pod) || waits_for_gang_.contains(uid)) continue;
    let_go.insert(uid);
    if (let_go_.contains(uid)) continue;
    const GroupKey key = PodGroups::KeyOf(*pod);
    const std::optional<GroupKey> root = groups.composite() ? groups.RootOf(key) : key;
    if (!root || !IsComplete(*root)) return fmt::format("{} is let go, but its group is not complete", Named(*pod));
  }
  let_go_ = std::move(let_go);
  return "";
}

bool GroupChecks::IsQueued(const PodInfo& member) const {
  const queue::SchedulingQueue& queue = core_.queue();
  if (queue.incomplete().Find(member) != nullptr || queue.pending().Find(member) != nullptr) return true;
  const std::optional<GroupKey> root = core_.cluster().groups.RootOf(PodGroups::KeyOf(member));
  if (!root) return false;
  const std::string key = queue::EntityKey(*root);
  for (const queue::QueuedPod* group :
       {queue.active().Find(key), queue.backoff().Find(key), queue.unschedulable().Find(key)}) {
    if (group != nullptr && group->group->Find(member) != nullptr) return true;
  }
  return false;
}

std::string GroupChecks::CheckHeld() const {
  const auto is_member = [&](const cluster::PodPtr& pod) { return core_.cluster().groups.IsMember(*pod); };
  if (core_.queue().pending().size() != 0 && std::ranges::none_of(core_.waiting_for_extenders(), is_member)) {
    return "a member waits for an attempt that is over";
  }
  for (const std::string& uid : core_.cluster().assumed_uids()) {
    const cluster::PodPtr pod = core_.cluster().FindPod(uid);
    if (!core_.cluster().groups.IsMember(*pod) || !IsQueued(*pod)) continue;
    // Another one may have its name by now.
    const cluster::PodPtr stored = core_.pods().Find(pod->full_name());
    if (stored != nullptr && stored->uid == uid && stored->node_name.empty() && !stored->is_terminating()) {
      return fmt::format("{} waits in the queue, but holds a node", Named(*pod));
    }
  }
  return "";
}

std::string GroupChecks::CheckPlaces() const {
  const queue::SchedulingQueue& queue = core_.queue();
  std::map<std::string, int> queued;  // How often, by uid.
  const auto add = [&](const queue::QueuedPod& entity) {
    entity.ForEach([&](const queue::QueuedPod& pod) { ++queued[pod.pod->uid]; });
  };
  for (const queue::QueuedPod* entity : queue.active().pods()) add(*entity);
  for (const queue::QueuedPod* entity : queue.backoff().rejected().pods()) add(*entity);
  for (const queue::QueuedPod* entity : queue.backoff().failed().pods()) add(*entity);
  queue.unschedulable().ForEach(add);
  queue.incomplete().ForEach(add);
  queue.pending().ForEach(add);
  for (const cluster::PodPtr& pod : core_.waiting_for_extenders()) ++queued[pod->uid];
  std::string wrong;
  core_.pods().ForEach([&](const cluster::PodPtr& pod) {
    if (!core_.cluster().groups.IsMember(*pod) || !pod->node_name.empty()) return;
    if (!core_.policy().IsResponsible(*pod) || pod->is_terminating()) return;
    const auto found = queued.find(pod->uid);
    const int places = found == queued.end() ? 0 : found->second;
    const bool holds = core_.cluster().FindPod(pod->uid) != nullptr || core_.bindings().Has(pod->uid);
    if (places > 0 && holds) wrong = fmt::format("{} waits in the queue, but holds a node", Named(*pod));
    if (places + (holds ? 1 : 0) == 0) wrong = fmt::format("{} is nowhere", Named(*pod));
    if (places > 1) wrong = fmt::format("{} is queued {} times", Named(*pod), places);
  });
  return wrong;
}

std::string GroupChecks::CheckPlaced() const {
  const auto& attempt = core_.last_group();
  if (!attempt) return "";
  const cluster::NodeTable& nodes = core_.cluster().nodes();
  for (const auto& [name, member] : attempt->members) {
    const cluster::PodPtr stored = core_.pods().Find(name);
    if (stored == nullptr) continue;
    const cluster::PodPtr placed = core_.cluster().FindPod(stored->uid);
    const bool is_scheduled = member.outcome == scheduler::GroupAttempt::Member::Outcome::kScheduled;
    const bool is_assumed = core_.cluster().IsAssumed(stored->uid);
    if (!is_scheduled && is_assumed && member.outcome != scheduler::GroupAttempt::Member::Outcome::kSkipped) {
      return fmt::format("{} found no place, but is assumed", Named(*stored));
    }
    if (!is_scheduled || placed == nullptr) continue;
    cluster::NodeSlot slot;
    if (!nodes.Find(placed->node_name, slot)) return fmt::format("{} is on an unknown node", Named(*placed));
    if (nodes.requested_cpu[slot.index] > nodes.allocatable_cpu[slot.index] ||
        nodes.pod_count[slot.index] > nodes.allocatable_pods[slot.index]) {
      return fmt::format("{} overfills node {}", Named(*placed), placed->node_name);
    }
  }
  return "";
}

std::string GroupChecks::CheckStates() const {
  struct Known {
    std::set<std::string> pods;
    std::set<std::string> going;
    std::set<std::string> assumed;
    std::set<std::string> assigned;
  };
  std::map<GroupKey, Known> wanted;
  for (const auto& [name, group] : core_.cluster().objects.pod_groups.all()) {
    wanted[{false, group->meta.ns, group->meta.name}];
  }
  core_.pods().ForEach([&](const cluster::PodPtr& pod) {
    if (!core_.cluster().groups.IsMember(*pod)) return;
    if (pod->node_name.empty() && !core_.policy().IsResponsible(*pod)) return;
    Known& known = wanted[PodGroups::KeyOf(*pod)];
    // One that is going no longer matters; if its binding was under way, it is forgotten at once.
    (pod->node_name.empty() && pod->is_terminating() ? known.going : known.pods).insert(pod->uid);
    if (!pod->node_name.empty()) known.assigned.insert(pod->uid);
    if (core_.cluster().IsAssumed(pod->uid)) known.assumed.insert(pod->uid);
  });
  for (const auto& [key, known] : wanted) {
    const PodGroupState* state = core_.cluster().groups.Find(key);
    if (state == nullptr) {
      // Of a group without an object, pods that are going are not remembered.
      if (core_.cluster().groups.SpecOf(key) == nullptr && known.pods.empty() && known.assumed.empty()) continue;
      return fmt::format("nothing is known of {}", key.ToString());
    }
    const auto uids = [](const auto& map) {
      std::set<std::string> all;
      for (const auto& [uid, pod] : map) all.insert(uid);
      return all;
    };
    std::set<std::string> pods = uids(state->pods);
    std::erase_if(pods, [&](const std::string& uid) { return known.going.contains(uid); });
    if (pods != known.pods) return fmt::format("{} has other pods than it is known to", key.ToString());
    if (uids(state->assumed) != known.assumed) return fmt::format("{} counts assumed pods wrongly", key.ToString());
    if (state->assigned != known.assigned) return fmt::format("{} counts pods on nodes wrongly", key.ToString());
  }
  return "";
}

}  // namespace berth::sim
