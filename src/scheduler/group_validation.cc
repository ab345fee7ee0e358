// SPDX-License-Identifier: Apache-2.0
#include "scheduler/group_validation.h"

#include <fmt/format.h>

#include "api/document/field_error.h"

namespace berth::scheduler {
namespace {

std::string_view PolicyOr(std::string_view policy) { return policy.empty() ? "PreemptLowerPriority" : policy; }

// Compares one pod after the other with the root and with the first pod.
class PodCheck {
 public:
  PodCheck(const framework::GroupNode& root, GroupRules rules) : priority_(root.priority()), rules_(rules) {
    if (rules.preemption_policy) policy_ = PolicyOr(root.spec().preemption_policy);
  }

  const std::string& scheduler_name() const { return scheduler_name_; }

  std::string operator()(const cluster::PodInfo& pod) {
    if (scheduler_name_.empty()) scheduler_name_ = pod.spec().scheduler_name;
    if (pod.spec().scheduler_name != scheduler_name_) {
      return fmt::format("all pods in a single pod group should have the same .spec.schedulerName set, got: {} and {}",
                         api::GoQuote(pod.spec().scheduler_name), api::GoQuote(scheduler_name_));
    }
    if (pod.priority() != priority_) {
      return fmt::format(
          "all pods in a single pod group should have the same priority as the pod group's priority, got {} and {}",
          pod.priority(), priority_);
    }
    const std::string_view policy = PolicyOr(pod.spec().preemption_policy);
    if (policy_.empty()) policy_ = policy;
    if (policy == policy_) return {};
    return fmt::format("all pods in a single pod group should have the same preemption policy{}, got {} and {}",
                       rules_.preemption_policy ? " as the pod group's preemption policy" : "", policy, policy_);
  }

 private:
  int32_t priority_;
  GroupRules rules_;
  std::string scheduler_name_;
  std::string policy_;
};

}  // namespace

std::string ValidateGroup(const framework::GroupNode& root, const cluster::Cluster& cluster, const Profiles& profiles,
                          GroupRules rules) {
  PodCheck check(root, rules);
  std::string error;
  const auto check_all = [&](const std::vector<cluster::PodPtr>& pods) {
    for (const cluster::PodPtr& pod : pods) {
      if (error.empty()) error = check(*pod);
    }
  };
  root.ForEachLeaf([&](const framework::GroupNode& leaf) { check_all(leaf.pods); });
  root.ForEachLeaf([&](const framework::GroupNode& leaf) {
    if (const cluster::PodGroupState* state = cluster.groups.Find(leaf.key)) check_all(state->ScheduledPods());
  });
  if (error.empty() && !profiles.contains(check.scheduler_name())) {
    error = fmt::format("profile not found for scheduler name {}", api::GoQuote(check.scheduler_name()));
  }
  return error;
}

}  // namespace berth::scheduler
