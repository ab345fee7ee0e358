// SPDX-License-Identifier: Apache-2.0
// DefaultPreemption makes room for a pod that fits nowhere, by evicting pods of lower priority from one node, and for a
// group, by evicting pods of lower priority anywhere (group_preemption.h).
//
// Among the nodes where evictions help it takes the one where they do the least harm, nominates the pod to it and asks
// for the evictions. Pods of lower priority that were nominated to that node lose their nomination. A pod that may not
// preempt, or whose victims on its nominated node are still terminating, is left as it is.
//
// Thread: core. Cost: see DryRunOnNode; by default a tenth of the nodes, but at least 100, become candidates.

#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "framework/events.h"
#include "framework/group.h"
#include "framework/preemption.h"
#include "framework/registry.h"

namespace berth::plugins {

class DefaultPreemption final : public framework::Plugin,
                                public framework::PreEnqueuePlugin,
                                public framework::PostFilterPlugin,
                                public framework::PodGroupPostFilterPlugin,
                                public framework::EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "DefaultPreemption";

  struct Args {
    static constexpr std::string_view kKind = "DefaultPreemptionArgs";
    static constexpr std::string_view kMissing = "got args of type <nil>, want *DefaultPreemptionArgs";

    int32_t min_candidate_nodes_percentage = 10;
    int32_t min_candidate_nodes_absolute = 100;

    static constexpr auto Fields() {
      return std::array{framework::Member<&Args::min_candidate_nodes_percentage>("minCandidateNodesPercentage"),
                        framework::Member<&Args::min_candidate_nodes_absolute>("minCandidateNodesAbsolute")};
    }
    void Validate(const framework::ArgsCheck& check) const;
    bool operator==(const Args&) const = default;
  };

  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext& context);
  DefaultPreemption(Args args, bool async, bool group_policy = false)
      : args_(args), async_(async), group_policy_(group_policy) {}

  std::string_view name() const override { return kName; }
  // Holds the pod back while the evictions for its sake run.
  framework::Status PreEnqueue(const cluster::PodInfo& pod, const cluster::Cluster& cluster) const override;
  framework::PostFilterResult PostFilter(framework::Cycle& cycle, const framework::Profile& profile,
                                         const framework::Diagnosis& diagnosis,
                                         framework::Effects& effects) const override;

  framework::GroupPostFilterResult PodGroupPostFilter(framework::FailedGroup& group,
                                                      framework::Effects& effects) const override;

  std::vector<framework::EventRegistration> EventsToRegister() const override;
  Result<framework::QueueingHint> Hint(const cluster::PodInfo& pod, const framework::Change& change,
                                       const cluster::Cluster& cluster) const override;

 private:
  framework::PostFilterResult Preempt(framework::Cycle& cycle, const framework::Profile& profile,
                                      const framework::Diagnosis& diagnosis, framework::Effects& effects) const;
  void MakeRoom(const framework::Cycle& cycle, const framework::PreemptionCandidate& candidate,
                framework::Effects& effects) const;

  Args args_;
  bool async_;         // Gate SchedulerAsyncPreemption.
  bool group_policy_;  // Gate PodGroupPreemptionPolicy.
};

}  // namespace berth::plugins
