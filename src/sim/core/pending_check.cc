// SPDX-License-Identifier: Apache-2.0
#include "sim/core/pending_check.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <set>

#include "config/config.h"
#include "plugins/registry.h"
#include "scheduler/rehearsal.h"

namespace berth::sim {
namespace {

std::unique_ptr<scheduler::Rehearsal> MakeCopy(std::span<const api::Object> objects,
                                               const framework::FeatureGates& gates) {
  std::unique_ptr<scheduler::Rehearsal> copy =
      scheduler::Rehearsal::Create(config::Default(gates), plugins::BuiltIn(), gates,
                                   std::make_unique<framework::SmallestNameChooser>())
          .value();
  for (const api::Object& object : objects) copy->Put(object);
  return copy;
}

}  // namespace

std::string FindPodThatFits(std::span<const api::Object> objects, const framework::FeatureGates& gates) {
  const std::unique_ptr<scheduler::Rehearsal> copy = MakeCopy(objects, gates);
  for (const std::string& name : copy->Pending()) {
    if (copy->core().cluster().groups.IsMember(*copy->core().pods().Find(name))) continue;
    const scheduler::Rehearsal::Finding finding = copy->Try(name);
    if (finding.node_name.empty()) continue;
    return fmt::format("pod {} ({}) is pending, although it fits on node {}", name, finding.attempt->pod->uid,
                       finding.node_name);
  }
  return "";
}

std::string FindGroupThatFits(std::span<const api::Object> objects, const framework::FeatureGates& gates) {
  const std::unique_ptr<scheduler::Rehearsal> copy = MakeCopy(objects, gates);
  const cluster::PodGroups& groups = copy->core().cluster().groups;
  std::set<cluster::GroupKey> roots;
  for (const std::string& name : copy->Pending()) {
    const cluster::PodPtr pod = copy->core().pods().Find(name);
    if (!groups.IsMember(*pod)) continue;
    const std::optional<cluster::GroupKey> root = groups.RootOf(cluster::PodGroups::KeyOf(*pod));
    if (root) roots.insert(*root);
  }
  for (const cluster::GroupKey& root : roots) {
    // Each on a copy of its own: an attempt that fails may still nominate and evict.
    const std::unique_ptr<scheduler::Rehearsal> trial = MakeCopy(objects, gates);
    const scheduler::Rehearsal::GroupFinding finding = trial->TryGroup(root);
    if (finding.attempt == nullptr) continue;
    for (const auto& [name, member] : finding.attempt->members) {
      if (member.outcome != scheduler::GroupAttempt::Member::Outcome::kScheduled) continue;
      return fmt::format("{} waits, although its pod {} fits on node {}", root.ToString(), name, member.node_name);
    }
  }
  return "";
}

}  // namespace berth::sim
