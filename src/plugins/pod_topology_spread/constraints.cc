// SPDX-License-Identifier: Apache-2.0

#include "plugins/pod_topology_spread/constraints.h"

#include "plugins/helpers/default_selector.h"

namespace berth::plugins::spread {
namespace {

constexpr std::string_view kHonor = "Honor";

// Adds the pod's values of `keys` to `selector`. Keys that the pod does not have are left out.
void MatchLabelKeys(const std::vector<std::string>& keys, const api::Labels& labels, api::Selector& selector) {
  if (selector.matches_nothing()) return;
  api::Labels wanted;
  for (const std::string& key : keys) {
    if (const std::string* value = labels.Find(key)) wanted.Set(key, *value);
  }
  const api::Selector equalities = api::Selector::FromLabels(wanted);
  for (const api::Selector::Requirement& requirement : equalities.requirements()) selector.Add(requirement);
}

Result<std::vector<Constraint>> Compile(const std::vector<api::TopologySpreadConstraint>& written,
                                        const api::Labels& labels, const Options& options, Kind kind) {
  const std::string_view action = kind == Kind::kHard ? "DoNotSchedule" : "ScheduleAnyway";
  std::vector<Constraint> constraints;
  for (const api::TopologySpreadConstraint& from : written) {
    if (from.when_unsatisfiable != action) continue;
    Constraint& to = constraints.emplace_back();
    to.max_skew = from.max_skew;
    to.min_domains = from.min_domains.value_or(1);
    to.topology_key = from.topology_key;
    to.selector = BERTH_TRY(api::Selector::Compile(from.label_selector));
    if (options.match_label_keys) MatchLabelKeys(from.match_label_keys, labels, to.selector);
    if (!options.inclusion_policies) continue;
    to.honor_affinity = from.node_affinity_policy.empty() || from.node_affinity_policy == kHonor;
    to.honor_taints = from.node_taints_policy == kHonor;
  }
  return constraints;
}

std::vector<Constraint> DefaultConstraints(const cluster::PodInfo& pod, const cluster::Objects& objects,
                                           const Options& options, Kind kind) {
  // Default constraints have no selector of their own, so they always compile.
  std::vector<Constraint> constraints = *Compile(options.default_constraints, pod.labels(), options, kind);
  if (constraints.empty()) return {};
  const api::Selector selector = DefaultSelector(pod, objects);
  if (selector.empty()) return {};
  for (Constraint& constraint : constraints) constraint.selector = selector;
  return constraints;
}

}  // namespace

Result<std::vector<Constraint>> BuildConstraints(const cluster::PodInfo& pod, const cluster::Objects& objects,
                                                 const Options& options, Kind kind) {
  const std::vector<api::TopologySpreadConstraint>& own = pod.spec().topology_spread_constraints;
  if (own.empty()) return DefaultConstraints(pod, objects, options, kind);
  Result<std::vector<Constraint>> constraints = Compile(own, pod.labels(), options, kind);
  if (constraints) return constraints;
  const std::string word = kind == Kind::kHard ? "hard" : "soft";
  return Invalid("obtaining pod's " + word + " topology spread constraints: " + constraints.error().message);
}

std::shared_ptr<const cluster::PodCounter> CountPods(const Constraint& constraint, const std::string& ns,
                                                     const cluster::Cluster& cluster) {
  // An empty selector matches every pod, yet such a constraint counts none.
  if (constraint.selector.empty() || constraint.selector.matches_nothing()) return nullptr;
  return cluster.CountPods(
      {.namespaces = {ns}, .all_namespaces = false, .selectors = {constraint.selector}, .skip_terminating = true});
}

}  // namespace berth::plugins::spread
