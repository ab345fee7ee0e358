// SPDX-License-Identifier: Apache-2.0
// How far from each other pods of one kind are put: the counts behind SelectorSpread and ServiceAffinity and the scores
// made of them.
//
// Scores go from 0 to `score_max`, which was 10 before v1.17 and 100 since.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "api/parts/selector.h"
#include "cluster/cluster.h"

namespace berth::plugins::legacy {

// The selectors of all services, replication controllers, replica sets and stateful sets that select the pod. Up to
// v1.21 these said which pods belong together; the controller that owns the pod does since.
std::vector<api::Selector> SelectorsOf(const cluster::PodInfo& pod, const cluster::Objects& objects);

// How many pods of namespace `ns` on each node match all of `selectors`; terminating ones do not count.
std::vector<int64_t> CountPods(const cluster::Cluster& cluster, const std::string& ns,
                               std::vector<api::Selector> selectors, std::span<const cluster::NodeSlot> nodes);

// The zone of each node as a small number, kNoZone for nodes without one. `zone_key(labels)` names the zone; it is
// asked once per distinct set of labels, and an empty name stands for no zone.
inline constexpr uint32_t kNoZone = ~uint32_t{0};
using ZoneKeyFunction = std::string (*)(const api::Labels& labels);
std::vector<uint32_t> ZonesOf(const cluster::NodeTable& table, std::span<const cluster::NodeSlot> nodes,
                              ZoneKeyFunction zone_key);

// Turns counts into scores: the fewer pods on a node the better, and in its zone, which counts twice as much. `zones`
// is in the order of `counts`.
void ScoreBySpread(std::span<int64_t> counts, std::span<const uint32_t> zones, int64_t score_max);

// Adds to each of `scores` the share of pods that are elsewhere, where "here" is all nodes with the same value of a
// label: from 0 to `score_max`, divided by `share`. A node without the label gets nothing, and its pods count as
// elsewhere. `domains` (label values) and `scores` are in the order of `counts`.
void AddScoreByLabel(std::span<const int64_t> counts, std::span<const cluster::DomainId> domains, int64_t score_max,
                     size_t share, std::span<double> scores);

// The value of a label on each node.
std::vector<cluster::DomainId> DomainsOf(const cluster::NodeTable& table, std::string_view label,
                                         std::span<const cluster::NodeSlot> nodes);

}  // namespace berth::plugins::legacy
