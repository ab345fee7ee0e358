// SPDX-License-Identifier: Apache-2.0
#include "scheduler/scheduler.h"

#include "base/assert.h"

namespace berth::scheduler {

using framework::Profile;
using framework::Status;

Result<std::unique_ptr<Scheduler>> Scheduler::Create(const framework::SchedulerConfiguration& configuration,
                                                     const framework::Registry& registry,
                                                     const framework::FeatureGates& gates,
                                                     std::unique_ptr<framework::Chooser> chooser) {
  std::unique_ptr<Scheduler> scheduler(new Scheduler(configuration));
  scheduler->profiles_ = BERTH_TRY(MakeProfiles(configuration, registry, gates));
  scheduler->cluster_ = MakeCluster(gates);
  scheduler->chooser_ = std::move(chooser);
  return scheduler;
}

const Profile* Scheduler::ProfileOf(const cluster::PodInfo& pod) const {
  const auto it = profiles_.find(pod.spec().scheduler_name);
  return it == profiles_.end() ? nullptr : it->second.get();
}

Attempt Scheduler::Try(const cluster::PodPtr& pod) {
  Attempt attempt;
  attempt.profile = ProfileOf(*pod);
  if (attempt.profile == nullptr) return attempt;
  if (pod->is_terminating()) {
    attempt.kind = Attempt::Kind::kSkipped;
    return attempt;
  }
  attempt.gate = attempt.profile->RunPreEnqueue(*pod, *cluster_);
  if (!attempt.gate.ok()) {
    attempt.kind = Attempt::Kind::kGated;
    return attempt;
  }
  attempt.kind = Attempt::Kind::kDecided;
  attempt.cycle = std::make_unique<framework::Cycle>(pod, *cluster_, *chooser_, buffers_, attempt.profile->plugin_count());
  attempt.decision = algorithm_.Decide(*attempt.profile, *attempt.cycle);
  if (attempt.decision.outcome == Outcome::kScheduled) AssumeAndReserve(attempt);
  return attempt;
}

void Scheduler::AssumeAndReserve(Attempt& attempt) {
  Decision& decision = attempt.decision;
  const cluster::PodInfo& pod = attempt.cycle->pod();
  const std::string& node_name = cluster_->nodes().name[decision.node.index];
  attempt.assumed = cluster::PodCatalog::WithNode(pod, node_name);
  if (const Result<void> assumed = cluster_->AssumePod(attempt.assumed); !assumed) {
    attempt.reserve = Status::Error(assumed.error().message);
  } else {
    cluster_->nominated.Remove(pod.uid);
    attempt.reserve = attempt.profile->RunReserve(*attempt.cycle, decision.node);
    if (attempt.reserve.ok()) {
      pending_.erase(pod.full_name());
      return;
    }
    // Forgetting a pod that was assumed a moment ago cannot fail.
    BERTH_ASSERT(cluster_->ForgetPod(*attempt.assumed).has_value());
    cluster_->nominated.Set(attempt.cycle->pod_ptr(), pod.nominated_node_name);
  }
  decision.outcome = attempt.reserve.is_rejected() ? Outcome::kUnschedulable : Outcome::kError;
  decision.message = decision.full_message = attempt.reserve.message();
  decision.clears_nomination = true;
}

Status Scheduler::PreBind(Attempt& attempt, Time now, framework::Effects& effects) {
  std::vector<const framework::Plugin*> askers;
  return attempt.profile->RunPreBind(*attempt.cycle, attempt.decision.node, now, effects, askers);
}

Status Scheduler::Bind(Attempt& attempt, framework::Effects& effects) {
  return attempt.profile->RunBind(*attempt.cycle, attempt.decision.node, effects);
}

void Scheduler::GiveUp(Attempt& attempt) {
  attempt.profile->RunUnreserve(*attempt.cycle, attempt.decision.node);
  if (cluster_->ForgetPod(*attempt.assumed)) pending_[attempt.assumed->full_name()] = attempt.cycle->pod_ptr();
}

}  // namespace berth::scheduler
