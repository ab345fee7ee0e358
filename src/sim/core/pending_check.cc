// SPDX-License-Identifier: Apache-2.0
#include "sim/core/pending_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>

#include "config/config.h"
#include "plugins/default_preemption/default_preemption.h"
#include "plugins/registry.h"
#include "scheduler/rehearsal.h"

namespace berth::sim {
namespace {

using Objects = std::span<const api::Object>;

std::unique_ptr<scheduler::Rehearsal> MakeCopy(const scheduler::Core& core, Objects objects) {
  const framework::FeatureGates& gates = core.gates();
  std::unique_ptr<scheduler::Rehearsal> copy =
      scheduler::Rehearsal::Create(config::Default(gates), plugins::BuiltIn(), gates, core.chooser()).value();
  for (const api::Object& object : objects) {
    copy->Put(object);
    copy->Wait(Milliseconds(1));  // Members are tried in the order in which they came.
  }
  return copy;
}

// Puts members that are queued last, in the order in which the core tries those of one group.
void SortAsQueued(const scheduler::Core& core, std::vector<api::Object>& objects) {
  std::map<std::string, size_t> places;
  for (const api::Object& object : objects) {
    const auto* const pod = std::get_if<api::Pod>(&object);
    const cluster::PodPtr known = pod == nullptr ? nullptr : core.pods().Find(pod->meta.ns + "/" + pod->meta.name);
    if (known == nullptr || places.contains(known->uid)) continue;
    const queue::QueuedPod* const queued = core.queue().StandingOf(*known).entity;
    if (queued == nullptr || queued->group == nullptr) continue;
    queued->group->ForEach([&](const queue::QueuedPod& member) {
      const size_t place = places.size() + 1;
      places.emplace(member.pod->uid, place);
    });
  }
  std::ranges::stable_sort(objects, {}, [&](const api::Object& object) {
    const auto* const pod = std::get_if<api::Pod>(&object);
    const auto found = pod == nullptr ? places.end() : places.find(pod->meta.uid);
    return found == places.end() ? 0 : found->second;
  });
}

// Whether the group's own preemption has put it aside, and nothing has moved it since.
bool LiesWherePreemptionPutIt(const scheduler::Core& core, const cluster::GroupKey& root) {
  const queue::QueuedPod* queued = core.queue().unschedulable().Find(queue::EntityKey(root));
  if (queued == nullptr || !queued->is_gated()) return false;
  return core.policy().names().name(*queued->gating_plugin) == plugins::DefaultPreemption::kName;
}

std::string FindPodThatFits(const scheduler::Core& core, Objects objects) {
  const std::unique_ptr<scheduler::Rehearsal> copy = MakeCopy(core, objects);
  for (const std::string& name : copy->Pending()) {
    if (copy->core().cluster().groups.IsMember(*copy->core().pods().Find(name))) continue;
    const scheduler::Rehearsal::Finding finding = copy->Try(name);
    if (finding.node_name.empty()) continue;
    return fmt::format("pod {} ({}) is pending, although it fits on node {}", name, finding.attempt->pod->uid,
                       finding.node_name);
  }
  return "";
}

std::string FindGroupThatFits(const scheduler::Core& core, Objects objects) {
  const std::unique_ptr<scheduler::Rehearsal> copy = MakeCopy(core, objects);
  const cluster::PodGroups& groups = copy->core().cluster().groups;
  std::set<cluster::GroupKey> roots;
  for (const std::string& name : copy->Pending()) {
    const cluster::PodPtr pod = copy->core().pods().Find(name);
    if (!groups.IsMember(*pod)) continue;
    const std::optional<cluster::GroupKey> root = groups.RootOf(cluster::PodGroups::KeyOf(*pod));
    if (root && !LiesWherePreemptionPutIt(core, *root)) roots.insert(*root);
  }
  for (const cluster::GroupKey& root : roots) {
    // Each on a copy of its own: an attempt that fails may still nominate and evict.
    const std::unique_ptr<scheduler::Rehearsal> trial = MakeCopy(core, objects);
    const scheduler::Rehearsal::GroupFinding finding = trial->TryGroup(root);
    if (finding.attempt == nullptr) continue;
    for (const auto& [name, member] : finding.attempt->members) {
      if (member.outcome != scheduler::GroupAttempt::Member::Outcome::kScheduled) continue;
      return fmt::format("{} waits, although its pod {} fits on node {}", root.ToString(), name, member.node_name);
    }
  }
  return "";
}

}  // namespace

std::string FindWhatFits(const scheduler::Core& core, std::vector<api::Object> objects) {
  for (api::Object& object : objects) {
    auto* const pod = std::get_if<api::Pod>(&object);
    if (pod != nullptr) pod->status.nominated_node_name = core.cluster().nominated.NodeOf(pod->meta.uid);
  }
  SortAsQueued(core, objects);
  std::string wrong = FindGroupThatFits(core, objects);
  return wrong.empty() ? FindPodThatFits(core, objects) : wrong;
}

}  // namespace berth::sim
