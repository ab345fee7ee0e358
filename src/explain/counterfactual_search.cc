// SPDX-License-Identifier: Apache-2.0
#include "explain/counterfactual_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <tuple>

#include "explain/object_forms.h"
#include "queue/queued_group.h"
#include "world/elsewhere.h"

namespace berth::explain {

using api::Json;
using cluster::NodeSlot;

CounterfactualSearch::CounterfactualSearch(scheduler::Core& core, const cluster::PodInfo& pod, Time now, Pacer& pacer)
    : core_(core), pod_(PodOf(pod)), profile_(*core.policy().ProfileOf(pod)), now_(now), pacer_(pacer) {
  const cluster::PodGroups& groups = core.cluster().groups;
  if (groups.IsMember(pod)) root_ = groups.RootOf(cluster::PodGroups::KeyOf(pod));
  if (!root_) {
    alike_.push_back(core.pods().Find(pod.full_name()));
    return;
  }
  for (const auto& [uid, member] : groups.Find(cluster::PodGroups::KeyOf(pod))->pods) {
    const bool waits = core.cluster().FindPod(uid) == nullptr;
    if (waits && member->spec() == pod.spec() && member->labels() == pod.labels()) alike_.push_back(member);
  }
}

Result<CounterfactualAnswer> CounterfactualSearch::Run() {
  CounterfactualAnswer answer;
  answer.pod = api::FullName(pod_.meta);
  for (const api::OwnerReference& owner : pod_.meta.owner_references) answer.owner = owner.kind + " " + owner.name;
  const Finding present = Try(pod_);
  answer.is_placed_now = present.is_placed;
  answer.message = present.message;
  answer.nominated_node = present.nominated_node;
  answer.victims = present.victims;
  if (present.is_placed) return answer;
  {
    const cluster::PodPtr made = core_.MakePod(pod_);
    const std::unique_ptr<framework::Cycle> cycle = core_.MakeCycle(profile_, made, now_);
    const scheduler::Decision decision = core_.Decide(profile_, *cycle);
    if (const framework::Candidates* candidates = decision.diagnosis.candidates) {
      for (const NodeSlot slot : candidates->rejected()) {
        for (const std::string& reason : candidates->reasons().reasons(candidates->verdict(slot).reason)) {
          reasons_.emplace_back(reason, slot);
        }
      }
    }
  }
  BERTH_CHECK_OK(TryGates());
  BERTH_CHECK_OK(TryTolerations());
  BERTH_CHECK_OK(TryUncordoning());
  BERTH_CHECK_OK(TryNodeSelector());
  BERTH_CHECK_OK(TryNodeAffinity());
  BERTH_CHECK_OK(TryPodTerms(false));
  BERTH_CHECK_OK(TryPodTerms(true));
  BERTH_CHECK_OK(TryLabels());
  BERTH_CHECK_OK(TrySpreading());
  BERTH_CHECK_OK(TryPorts());
  BERTH_CHECK_OK(TryVolumes());
  BERTH_CHECK_OK(TryClaims());
  BERTH_CHECK_OK(TryRequests());
  BERTH_CHECK_OK(TryPodSlots());
  BERTH_CHECK_OK(TryMoreNodes());
  BERTH_CHECK_OK(TryMinCount());
  if (present.nominated_node.empty() && !is_member()) BERTH_CHECK_OK(TryPriority());
  std::ranges::stable_sort(found_, [](const Counterfactual& a, const Counterfactual& b) {
    return std::tie(a.size, a.text) < std::tie(b.size, b.text);
  });
  answer.changes = std::move(found_);
  return answer;
}

bool CounterfactualSearch::IsBlamed(std::string_view reason) const {
  // What keeps a group away is not known of its members.
  return is_member() || std::ranges::any_of(reasons_, [&](const auto& each) { return each.first == reason; });
}

CounterfactualSearch::Finding CounterfactualSearch::Try(const api::Pod& pod) const {
  if (!is_member()) return TryAlone(core_, pod);
  const std::unique_ptr<scheduler::Core> copy = core_.Copy();
  for (const cluster::PodPtr& member : alike_) {
    api::Pod changed = PodOf(*member);
    if (changed.spec == pod.spec && changed.meta.labels == pod.meta.labels) continue;
    changed.spec = pod.spec;
    changed.meta.labels = pod.meta.labels;
    world::Touch(changed.meta);
    (void)copy->Step({now_, scheduler::PutObject{std::move(changed)}});
  }
  return TryGroup(*copy);
}

CounterfactualSearch::Finding CounterfactualSearch::TryAfter(std::vector<What> told) const {
  const std::unique_ptr<scheduler::Core> copy = core_.Copy();
  for (What& what : told) (void)copy->Step({now_, std::move(what)});
  return is_member() ? TryGroup(*copy) : TryAlone(*copy, pod_);
}

CounterfactualSearch::Finding CounterfactualSearch::TryGroup(scheduler::Core& copy) const {
  (void)copy.Step({now_, scheduler::ScheduleNext{queue::EntityKey(*root_)}});
  Finding finding;
  const std::optional<scheduler::GroupAttempt>& attempt = copy.last_group();
  if (!attempt) {
    finding.message = "the group is not complete";
    return finding;
  }
  const auto member = attempt->members.find(api::FullName(pod_.meta));
  if (member == attempt->members.end()) return finding;
  finding.is_placed = member->second.outcome == scheduler::GroupAttempt::Member::Outcome::kScheduled;
  finding.node = member->second.node_name;
  finding.message = member->second.message;
  finding.nominated_node = member->second.nomination.value_or("");
  return finding;
}

CounterfactualSearch::Finding CounterfactualSearch::TryAlone(scheduler::Core& core, const api::Pod& pod) const {
  const cluster::PodPtr made = core.MakePod(pod);
  const framework::Profile& profile = *core.policy().ProfileOf(*made);
  Finding finding;
  if (const framework::Status gate = profile.RunPreEnqueue(*made, core.cluster()); !gate.ok()) {
    finding.message = gate.message();
    return finding;
  }
  const std::unique_ptr<framework::Cycle> cycle = core.MakeCycle(profile, made, now_);
  const scheduler::Decision decision = core.Decide(profile, *cycle);
  finding.is_placed = decision.outcome == scheduler::Outcome::kScheduled;
  finding.message = decision.full_message;
  if (finding.is_placed) {
    finding.node = core.cluster().nodes().name[decision.node.index];
  } else if (decision.post_filter && decision.post_filter->nominated_node_name) {
    finding.nominated_node = *decision.post_filter->nominated_node_name;
    for (const framework::Effect& effect : decision.effects) {
      if (const auto* eviction = std::get_if<framework::EvictPod>(&effect)) {
        finding.victims.push_back(eviction->victim->full_name());
      }
    }
  }
  return finding;
}

std::vector<NodeSlot> CounterfactualSearch::FitsOn(const api::Pod& pod) const {
  const cluster::PodPtr made = core_.MakePod(pod);
  if (!is_member() && !profile_.RunPreEnqueue(*made, core_.cluster()).ok()) return {};
  const std::unique_ptr<framework::Cycle> cycle = core_.MakeCycle(profile_, made, now_);
  framework::Candidates& candidates = cycle->candidates();
  candidates.Reset({}, cycle->nodes().slot_limit());
  const framework::PreFilterOutcome outcome = profile_.RunPreFilter(*cycle);
  if (!outcome.status.ok()) return {};
  std::vector<NodeSlot> nodes(cycle->order().begin(), cycle->order().end());
  if (outcome.node_names) {
    std::erase_if(nodes, [&](NodeSlot slot) {
      return !std::ranges::binary_search(*outcome.node_names, core_.cluster().nodes().name[slot.index]);
    });
  }
  candidates.Restart(nodes);
  profile_.RunFilters(*cycle, candidates);
  if (!candidates.error().ok()) return {};
  return {candidates.nodes().begin(), candidates.nodes().end()};
}

bool CounterfactualSearch::Note(Finding finding, Counterfactual change) {
  if (!finding.is_placed) return false;
  change.node = std::move(finding.node);
  found_.push_back(std::move(change));
  return true;
}

Result<bool> CounterfactualSearch::Consider(const api::Pod& changed, std::vector<Json> operations,
                                            Counterfactual change) {
  BERTH_CHECK_OK(pacer_.Pause());
  const Json patch = Json::MakeList(std::move(operations));
  for (const cluster::PodPtr& pod : alike_) {
    change.patches.push_back({"Pod", pod->ns(), pod->name, patch});
    api::Pod made = PodOf(*pod);
    made.spec = changed.spec;
    made.meta.labels = changed.meta.labels;
    change.told.emplace_back(scheduler::PutObject{std::move(made)});
  }
  return Note(Try(changed), std::move(change));
}

Result<bool> CounterfactualSearch::ConsiderAfter(std::vector<What> told, Counterfactual change) {
  BERTH_CHECK_OK(pacer_.Pause());
  change.told = told;
  return Note(TryAfter(std::move(told)), std::move(change));
}

Result<bool> CounterfactualSearch::ConsiderNode(const api::Node& node, Counterfactual change) {
  BERTH_CHECK_OK(pacer_.Pause());
  const cluster::NodeTable& nodes = core_.cluster().nodes();
  NodeSlot slot;
  const bool is_new = !nodes.Find(node.meta.name, slot) || nodes.has_node[slot.index] == 0;
  std::optional<api::Node> before;
  if (!is_new) before = NodeOf(core_.cluster(), slot);
  change.told.emplace_back(scheduler::PutObject{node});
  (void)core_.Step({now_, scheduler::PutObject{node}});
  const bool helps = Note(Try(pod_), std::move(change));
  if (is_new) {
    (void)core_.Step({now_, scheduler::RemoveObject{"Node", "", node.meta.name}});
  } else {
    (void)core_.Step({now_, scheduler::PutObject{*std::move(before)}});
  }
  return helps;
}

Result<std::optional<int64_t>> CounterfactualSearch::Largest(int64_t least, int64_t present,
                                                             const std::function<Finding(int64_t)>& try_with) const {
  BERTH_CHECK_OK(pacer_.Pause());
  if (least >= present || !try_with(least).is_placed) return std::nullopt;
  int64_t enough = least;
  int64_t refused = present;
  while (refused - enough > 1) {
    const int64_t middle = enough + (refused - enough) / 2;
    BERTH_CHECK_OK(pacer_.Pause());
    (try_with(middle).is_placed ? enough : refused) = middle;
  }
  return enough;
}

}  // namespace berth::explain
