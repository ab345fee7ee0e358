// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_preemption/default_preemption.h"

#include <fmt/format.h>

#include <algorithm>

#include "plugins/default_preemption/candidate_search.h"
#include "plugins/default_preemption/group_preemption.h"
#include "plugins/default_preemption/selection.h"

namespace berth::plugins {
namespace {

using framework::PostFilterResult;
using framework::Status;

// Whether victims of the pod's last preemption are on their way out of its nominated node.
bool AwaitsVictims(const framework::Cycle& cycle, const framework::Diagnosis& diagnosis) {
  const cluster::PodInfo& pod = cycle.pod();
  const cluster::NodeTable& nodes = cycle.nodes();
  cluster::NodeSlot node;
  if (pod.nominated_node_name.empty() || !nodes.Find(pod.nominated_node_name, node) || !nodes.has_node[node.index]) {
    return false;
  }
  // The pod cannot go there any more, whoever leaves.
  if (diagnosis.CodeOf(node) == framework::StatusCode::kUnschedulableAndUnresolvable) return false;
  return std::ranges::any_of(nodes.pods[node.index].pods, [&](const cluster::PodPtr& other) {
    return cycle.cluster().groups.PriorityOf(*other) < pod.priority() && IsTerminatingByPreemption(*other);
  });
}

}  // namespace

void DefaultPreemption::Args::Validate(const framework::ArgsCheck& check) const {
  const int32_t percentage = min_candidate_nodes_percentage;
  const int32_t absolute = min_candidate_nodes_absolute;
  const std::string percentage_path = check.At("minCandidateNodesPercentage");
  const std::string absolute_path = check.At("minCandidateNodesAbsolute");
  framework::FieldErrors& errors = check.errors;
  if (percentage < 0 || percentage > 100) errors.Invalid(percentage_path, percentage, "not in valid range [0, 100]");
  if (absolute < 0) errors.Invalid(absolute_path, absolute, "not in valid range [0, inf)");
  if (percentage == 0 && absolute == 0) {
    errors.Invalid(percentage_path, percentage, "cannot be zero at the same time as minCandidateNodesAbsolute");
    errors.Invalid(absolute_path, absolute, "cannot be zero at the same time as minCandidateNodesPercentage");
  }
}

Result<std::unique_ptr<framework::Plugin>> DefaultPreemption::Create(const framework::PluginContext& context) {
  return std::make_unique<DefaultPreemption>(context.args.ValueOr<Args>(),
                                             context.gates.Enabled(framework::Gate::kSchedulerAsyncPreemption),
                                             context.gates.Enabled(framework::Gate::kPodGroupPreemptionPolicy));
}

Status DefaultPreemption::PreEnqueue(const cluster::PodInfo& pod, const cluster::Cluster& cluster) const {
  if (!async_) return Status::Success();
  const auto wait = [&](const std::string& preemptor, std::string_view what) {
    if (!cluster.running_preemptions.contains(preemptor)) return Status::Success();
    return Status::Unresolvable(fmt::format("waiting for the preemption for this {} to be finished", what));
  };
  if (!cluster.groups.IsMember(pod)) return wait(pod.uid, "pod");
  const std::optional<cluster::GroupKey> root = cluster.groups.RootOf(cluster::PodGroups::KeyOf(pod));
  return root ? wait(cluster.groups.MetaOf(*root)->uid, "pod group") : Status::Success();
}

PostFilterResult DefaultPreemption::PostFilter(framework::Cycle& cycle, const framework::Profile& profile,
                                               const framework::Diagnosis& diagnosis,
                                               framework::Effects& effects) const {
  PostFilterResult result = Preempt(cycle, profile, diagnosis, effects);
  for (std::string& reason : result.status.reasons) reason.insert(0, "preemption: ");
  return result;
}

// Every status has exactly one reason.
PostFilterResult DefaultPreemption::Preempt(framework::Cycle& cycle, const framework::Profile& profile,
                                            const framework::Diagnosis& diagnosis, framework::Effects& effects) const {
  if (cycle.pod().spec().preemption_policy == "Never") {
    return {Status::Unschedulable("not eligible due to preemptionPolicy=Never.")};
  }
  if (AwaitsVictims(cycle, diagnosis)) {
    return {Status::Unschedulable("not eligible due to a terminating pod on the nominated node.")};
  }

  CandidateSearch search = FindCandidates(profile, cycle, diagnosis, args_, cycle.kept<KeptPods>(*this));
  if (search.candidates.empty()) {
    if (!search.error.empty()) return {Status::Error(std::move(search.error))};
    return {Status::Unschedulable(std::move(search.fit_message)), ""};
  }

  framework::PreemptionReport& report = cycle.MakePreemptionReport();
  report.candidates = std::move(search.candidates);
  if (framework::PreemptionReview* review = cycle.preemption_review()) {
    report.before_review = report.candidates;
    Status status = review->Review(cycle, report.candidates);
    if (!status.ok()) return {std::move(status)};
    if (report.candidates.empty()) return {Status::Unschedulable("no candidate node for preemption")};
  }
  const std::vector<size_t> best = LeastHarmful(report.candidates);
  for (const size_t i : best) report.acceptable.push_back(report.candidates[i].node);
  report.nominated = best[cycle.chooser().ChoosePreemption(cycle, report.acceptable)];

  const framework::PreemptionCandidate& chosen = report.candidates[*report.nominated];
  MakeRoom(cycle, chosen, effects);
  if (cycle.observer() != nullptr) cycle.observer()->HarmDone("pod", 0, chosen.pdb_violations);
  const std::string& node_name = cycle.nodes().name[chosen.node.index];
  return {{framework::StatusCode::kSuccess,
           {fmt::format("found a potential placement for pod on node {}, preempting {} victims", node_name,
                        chosen.victims.size())},
           {}},
          node_name};
}

framework::GroupPostFilterResult DefaultPreemption::PodGroupPostFilter(framework::FailedGroup& group,
                                                                       framework::Effects& effects) const {
  framework::GroupPostFilterResult result = PreemptForGroup(group, group_policy_, effects);
  if (const std::string message = result.status.message(); !message.empty()) {
    result.status.reasons = {"pod group preemption: " + message};
  }
  return result;
}

void DefaultPreemption::MakeRoom(const framework::Cycle& cycle, const framework::PreemptionCandidate& candidate,
                                 framework::Effects& effects) const {
  const std::string& node_name = cycle.nodes().name[candidate.node.index];
  const auto evict = [&] {
    for (const cluster::PodPtr& victim : candidate.victims) {
      if (!victim->is_terminating()) effects.push_back(framework::EvictPod{victim, cycle.pod_ptr(), node_name});
    }
  };
  // Pods of lower priority may not fit beside this one: without their nomination they look for a place at once.
  const auto clear_nominations = [&] {
    for (const cluster::PodPtr& pod : cycle.cluster().nominated.OnNode(node_name)) {
      if (pod->priority() < cycle.pod().priority()) effects.push_back(framework::NominatePod{pod, ""});
    }
  };
  if (!async_) {
    evict();
    clear_nominations();
    return;
  }
  // With nothing to evict upstream's asynchronous preemption does not begin, so nominations stay too.
  if (std::ranges::all_of(candidate.victims, [](const auto& victim) { return victim->is_terminating(); })) return;
  clear_nominations();
  evict();
}

}  // namespace berth::plugins
