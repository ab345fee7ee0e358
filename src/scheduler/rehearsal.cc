// SPDX-License-Identifier: Apache-2.0
#include "scheduler/rehearsal.h"

#include <algorithm>
#include <utility>

namespace berth::scheduler {

Result<std::unique_ptr<Rehearsal>> Rehearsal::Create(const framework::SchedulerConfiguration& configuration,
                                                     const framework::Registry& registry,
                                                     const framework::FeatureGates& gates,
                                                     std::shared_ptr<const framework::Chooser> chooser, Time now) {
  std::unique_ptr<Core> core = BERTH_TRY(Core::Create(configuration, registry, gates, std::move(chooser), now));
  return std::unique_ptr<Rehearsal>(new Rehearsal(std::move(core), now));
}

Rehearsal::Finding Rehearsal::Try(std::string_view name) {
  using Kind = Finding::Kind;
  Finding finding;
  const cluster::PodPtr pod = core_->pods().Find(name);
  if (pod == nullptr || core_->cluster().IsAssumed(pod->uid)) return finding;
  if (!pod->node_name.empty() && !pod->awaits_resize) return finding;
  finding.pod = pod;
  const framework::Profile* profile = core_->policy().ProfileOf(*pod);
  if (profile == nullptr || pod->is_terminating()) {
    finding.kind = profile == nullptr ? Kind::kIgnored : Kind::kSkipped;
    return finding;
  }
  finding.effects = core_->Step({now_, ScheduleNext{std::string(name)}});
  if (!core_->last_attempt()) {
    finding.kind = Kind::kGated;
    finding.gate = profile->RunPreEnqueue(*pod, core_->cluster());
    return finding;
  }
  finding.kind = Kind::kDecided;
  finding.attempt = &*core_->last_attempt();
  if (core_->cluster().IsAssumed(pod->uid)) finding.node_name = core_->cluster().FindPod(pod->uid)->node_name;
  return finding;
}

Rehearsal::GroupFinding Rehearsal::TryGroup(const cluster::GroupKey& root) {
  GroupFinding finding;
  finding.effects = core_->Step({now_, ScheduleNext{queue::EntityKey(root)}});
  if (core_->last_group()) finding.attempt = &*core_->last_group();
  return finding;
}

std::vector<std::string> Rehearsal::Pending() const {
  std::vector<std::string> names;
  core_->pods().ForEach([&](const cluster::PodPtr& pod) {
    if (pod->node_name.empty() && !core_->cluster().IsAssumed(pod->uid)) names.push_back(pod->full_name());
  });
  std::ranges::sort(names);
  return names;
}

}  // namespace berth::scheduler
