// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <limits>

#include "base/go_math.h"
#include "plugins/helpers/exact_division.h"
#include "plugins/pod_topology_spread/pod_topology_spread.h"
#include "plugins/pod_topology_spread/state.h"

namespace berth::plugins {
namespace {

using cluster::DomainId;
using cluster::kNoDomain;
using cluster::NodeSlot;
using framework::Status;
using spread::Constraint;
using spread::ScoreState;
using spread::SoftConstraint;

// How many domains of the constraint the nodes are in. Nodes without the key form a domain together with those that
// have it with an empty value, as upstream has it.
size_t CountDomains(const framework::Cycle& cycle, const ScoreState& state, const SoftConstraint& soft,
                    std::span<const NodeSlot> nodes) {
  const bool per_node = soft.topology->is_per_node();
  const DomainId empty = soft.topology->Find("");
  const size_t without_key = empty == kNoDomain ? soft.topology->domain_count() : empty;
  std::vector<uint8_t> seen(soft.topology->domain_count() + 1);
  size_t domains = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (state.IsIgnored(nodes[i])) continue;
    const DomainId domain = soft.topology->domain(nodes[i]);
    uint8_t& is_seen = seen[domain == kNoDomain ? without_key : domain];
    // A node that stands for others stands for their domains too, if each has one.
    if (is_seen == 0) domains += per_node && domain != kNoDomain ? cycle.CountOf(i) : 1;
    is_seen = 1;
  }
  return domains;
}

// Adds what the constraint gives to each node that has its key.
void AddScores(const SoftConstraint& soft, std::span<const NodeSlot> nodes, std::vector<double>& sums) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (soft.topology->domain(nodes[i]) != kNoDomain) sums[i] += soft.ScoreOf(soft.PodsOf(nodes[i]));
  }
}

}  // namespace

Result<bool> PodTopologySpread::MakeScoreState(framework::Cycle& cycle) const {
  spread::State* made = cycle.state<spread::State>(index());
  if (made != nullptr && made->score) return true;
  const cluster::PodInfo& pod = cycle.pod();
  std::vector<Constraint> constraints =
      BERTH_TRY(spread::BuildConstraints(pod, cycle.cluster().objects, options_, spread::Kind::kSoft));
  if (constraints.empty()) return false;
  spread::NodeInclusion inclusion(pod, constraints, options_.comparison_operators, cycle.nodes());
  ScoreState& state = (made != nullptr ? *made : cycle.MakeState<spread::State>(index())).score.emplace();
  // The built-in constraints leave nodes without zones to be spread by host.
  state.requires_all = !pod.spec().topology_spread_constraints.empty() || !options_.system_defaulted;
  std::vector<spread::TopologyPtr> required;
  for (Constraint& constraint : constraints) {
    SoftConstraint& soft = state.constraints.emplace_back();
    soft.topology = cycle.nodes().Topology(constraint.topology_key);
    soft.counter = spread::CountPods(constraint, pod.ns(), cycle.cluster());
    soft.per_node = constraint.topology_key == cluster::kHostnameLabel;
    soft.constraint = std::move(constraint);
    if (state.requires_all) required.push_back(soft.topology);
  }
  for (SoftConstraint& soft : state.constraints) {
    if (!soft.per_node) soft.pods = CountByDomain(cycle, soft.constraint, soft.topology, required, inclusion);
  }
  return true;
}

Status PodTopologySpread::PreScore(framework::Cycle& cycle, std::span<const NodeSlot> nodes) const {
  if (cycle.cluster().order().empty()) return Status::Skip();
  const Result<bool> is_made = MakeScoreState(cycle);
  if (!is_made) return Status::Error("calculating preScoreState: " + is_made.error().message);
  if (!*is_made) return Status::Skip();
  ScoreState& state = *cycle.state<spread::State>(index())->score;
  size_t scored = 0;
  for (size_t i = 0; i < nodes.size(); ++i) scored += state.IsIgnored(nodes[i]) ? 0 : cycle.CountOf(i);
  for (SoftConstraint& soft : state.constraints) {
    const size_t size = soft.per_node ? scored : CountDomains(cycle, state, soft, nodes);
    soft.weight = GoLog(static_cast<double>(size + 2));
  }
  return Status::Success();
}

Status PodTopologySpread::Score(framework::Cycle& cycle, std::span<const NodeSlot> nodes,
                                framework::Scores& scores) const {
  const ScoreState& state = *cycle.state<spread::State>(index())->score;
  std::vector<double> sums(nodes.size());
  for (const SoftConstraint& soft : state.constraints) AddScores(soft, nodes, sums);
  const std::span<int64_t> values = scores.MakeArray(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) values[i] = state.IsIgnored(nodes[i]) ? 0 : RoundHalfAway(sums[i]);
  return Status::Success();
}

// Turns pods into preference: the emptiest domain gets the most, ignored nodes get nothing.
Status PodTopologySpread::Normalize(framework::Cycle& cycle, std::span<const NodeSlot> nodes,
                                    framework::Scores& scores) const {
  const ScoreState& state = *cycle.state<spread::State>(index())->score;
  constexpr int64_t kIgnored = -1;
  int64_t least = std::numeric_limits<int64_t>::max();
  int64_t most = 0;
  const std::span<int64_t> values = scores.values();
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (state.IsIgnored(nodes[i])) {
      values[i] = kIgnored;
      continue;
    }
    least = std::min(least, values[i]);
    most = std::max(most, values[i]);
  }
  for (int64_t& value : values) {
    if (value == kIgnored) {
      value = 0;
    } else if (most == 0) {
      value = framework::kMaxNodeScore;
    } else {
      value = Percent(most + least - value, most);
    }
  }
  return Status::Success();
}

}  // namespace berth::plugins
