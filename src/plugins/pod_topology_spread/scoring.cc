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

bool HasAllKeys(const std::vector<SoftConstraint>& constraints, NodeSlot slot) {
  return std::ranges::all_of(constraints,
                             [&](const SoftConstraint& soft) { return soft.topology->domain(slot) != kNoDomain; });
}

// Finds the nodes that are not scored; returns how many there are.
size_t MarkIgnored(std::span<const NodeSlot> nodes, size_t slot_limit, ScoreState& state) {
  size_t count = 0;
  for (const NodeSlot slot : nodes) {
    if (HasAllKeys(state.constraints, slot)) continue;
    if (count++ == 0) state.ignored.resize(slot_limit);
    state.ignored[slot.index] = 1;
  }
  return count;
}

// Sums the pods of the domains of one topology key. Nodes without the key form a domain together with those that have
// it with an empty value, as upstream has it.
class DomainSums {
 public:
  explicit DomainSums(const cluster::TopologyKey& topology)
      : topology_(topology), sums_(topology.domain_count() + 1, kUnseen) {
    const DomainId empty = topology.Find("");
    without_key_ = empty == kNoDomain ? topology.domain_count() : empty;
  }

  // Makes the node's domain one of those that are counted.
  void Include(NodeSlot slot) {
    int64_t& sum = sums_[Index(slot)];
    if (sum != kUnseen) return;
    sum = 0;
    ++domains_;
  }
  void Add(NodeSlot slot, int32_t pods) {
    int64_t& sum = sums_[Index(slot)];
    if (sum != kUnseen) sum += pods;
  }

  size_t domains() const { return domains_; }
  const std::vector<int64_t>& sums() const { return sums_; }

 private:
  static constexpr int64_t kUnseen = -1;

  size_t Index(NodeSlot slot) const {
    const DomainId domain = topology_.domain(slot);
    return domain == kNoDomain ? without_key_ : domain;
  }

  const cluster::TopologyKey& topology_;
  std::vector<int64_t> sums_;  // By domain.
  size_t without_key_ = 0;
  size_t domains_ = 0;
};

// The domains come from the nodes to be scored, their pods from all nodes that the constraint includes.
void ScoreDomains(const framework::Cycle& cycle, std::span<const NodeSlot> nodes, bool require_all,
                  spread::NodeInclusion& inclusion, ScoreState& state, SoftConstraint& soft) {
  const cluster::NodeTable& table = cycle.nodes();
  DomainSums sums(*soft.topology);
  for (const NodeSlot slot : nodes) {
    if (!state.IsIgnored(slot)) sums.Include(slot);
  }
  for (uint32_t i = 0; soft.counter && i < table.slot_limit(); ++i) {
    const NodeSlot slot{i};
    const int32_t pods = soft.counter->count(slot);
    if (pods == 0 || !table.has_node[i]) continue;
    if (require_all && !HasAllKeys(state.constraints, slot)) continue;
    if (inclusion.Includes(soft.constraint, slot)) sums.Add(slot, pods);
  }
  soft.weight = GoLog(static_cast<double>(sums.domains() + 2));
  for (const int64_t sum : sums.sums()) soft.by_domain.push_back(soft.ScoreOf(sum));
}

// Adds what the constraint gives to each node that has its key.
void AddScores(const SoftConstraint& soft, std::span<const NodeSlot> nodes, std::vector<double>& sums) {
  const cluster::TopologyKey& topology = *soft.topology;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const DomainId domain = topology.domain(nodes[i]);
    if (domain == kNoDomain) continue;
    sums[i] += soft.per_node ? soft.ScoreOf(soft.counter ? soft.counter->count(nodes[i]) : 0) : soft.by_domain[domain];
  }
}

}  // namespace

Status PodTopologySpread::PreScore(framework::Cycle& cycle, std::span<const NodeSlot> nodes) const {
  if (cycle.cluster().order().empty()) return Status::Skip();
  const cluster::PodInfo& pod = cycle.pod();
  Result<std::vector<Constraint>> constraints =
      spread::BuildConstraints(pod, cycle.cluster().objects, options_, spread::Kind::kSoft);
  if (!constraints) return Status::Error("calculating preScoreState: " + constraints.error().message);
  if (constraints->empty()) return Status::Skip();

  spread::NodeInclusion inclusion(pod, *constraints, options_.comparison_operators, cycle.nodes());
  spread::State* made = cycle.state<spread::State>(index());
  ScoreState& state = (made != nullptr ? *made : cycle.MakeState<spread::State>(index())).score.emplace();
  for (Constraint& constraint : *constraints) {
    SoftConstraint& soft = state.constraints.emplace_back();
    soft.topology = cycle.nodes().Topology(constraint.topology_key);
    soft.counter = spread::CountPods(constraint, pod.ns(), cycle.cluster());
    soft.per_node = constraint.topology_key == cluster::kHostnameLabel;
    soft.constraint = std::move(constraint);
  }
  // The built-in constraints leave nodes without zones to be spread by host.
  const bool require_all = !pod.spec().topology_spread_constraints.empty() || !options_.system_defaulted;
  const size_t ignored = require_all ? MarkIgnored(nodes, cycle.nodes().slot_limit(), state) : 0;
  for (SoftConstraint& soft : state.constraints) {
    if (soft.per_node) {
      soft.weight = GoLog(static_cast<double>(nodes.size() - ignored + 2));
    } else {
      ScoreDomains(cycle, nodes, require_all, inclusion, state, soft);
    }
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
