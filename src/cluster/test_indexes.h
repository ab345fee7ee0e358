// SPDX-License-Identifier: Apache-2.0
// What the indexes of a cluster say, against a scan of its pods. For tests and the simulation.

#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "cluster/cluster.h"

namespace berth::cluster {

// Pods per slot, without zeros.
using ScannedCounts = std::map<uint32_t, int32_t>;

// Whether kept counts, and their sums over the domains of `key`, are those of the scan.
inline bool AreCounts(const NodeCounts& kept, const ScannedCounts& scanned, const std::string& key,
                      const NodeTable& nodes) {
  ScannedCounts found;
  kept.by_slot().ForEach([&](uint32_t slot, int32_t count) { found[slot] = count; });
  if (found != scanned) return false;
  const std::shared_ptr<const TopologyKey> topology = nodes.Topology(key);
  const std::shared_ptr<const DomainSums> sums = kept.Sums(topology);
  std::map<DomainId, int32_t> wanted;
  int64_t total = 0;
  for (const auto& [slot, count] : scanned) {
    if (topology->domain(NodeSlot{slot}) == kNoDomain) continue;
    wanted[topology->domain(NodeSlot{slot})] += count;
    total += count;
  }
  std::map<DomainId, int32_t> summed;
  sums->by_domain.ForEach([&](uint32_t domain, int32_t sum) { summed[domain] = sum; });
  return sums->total == total && (sums->per_node || summed == wanted);
}

inline bool AreSame(const AffinityTerm& a, const AffinityTerm& b) {
  const auto parts = [](const AffinityTerm& term) {
    return std::tie(term.topology_key, term.namespaces, term.namespace_selector, term.selector, term.weight);
  };
  return parts(a) == parts(b);
}

inline const std::vector<AffinityTerm>& TermsOf(const PodTemplate& of, TermKind kind) {
  switch (kind) {
    case TermKind::kRequiredAffinity: return of.required_affinity;
    case TermKind::kRequiredAntiAffinity: return of.required_anti_affinity;
    case TermKind::kPreferredAffinity: return of.preferred_affinity;
    case TermKind::kPreferredAntiAffinity: break;
  }
  return of.preferred_anti_affinity;
}

// Whether the terms that pods carry, where they are, and which of them a pod meets, are those of a scan.
inline bool IsAffinityIndexRight(const Cluster& cluster) {
  const NodeTable& nodes = cluster.nodes();
  const AffinityIndex& index = cluster.affinity();
  std::map<uint64_t, ScannedCounts> templates;
  size_t carried = 0;
  const auto for_each_pod = [&](auto visit) {
    for (uint32_t i = 0; i < nodes.slot_limit(); ++i) {
      for (const PodPtr& pod : nodes.pods[i].pods) visit(i, *pod);
    }
  };
  for_each_pod([&](uint32_t slot, const PodInfo& pod) {
    const PodTemplate& of = *pod.pod_template;
    if (of.has_affinity()) ++templates[of.id][slot];
    carried += of.required_affinity.size() + of.required_anti_affinity.size() + of.preferred_affinity.size() +
               of.preferred_anti_affinity.size();
  });
  std::map<uint64_t, ScannedCounts> grouped;
  for (const auto& [id, group] : index.groups()) {
    if (group.pod_template->id != id) return false;
    group.pods.ForEach([&](uint32_t slot, int32_t count) { grouped[id][slot] = count; });
  }
  if (grouped != templates) return false;

  int64_t total = 0;
  for (const auto& [id, term] : index.terms()) {
    ScannedCounts scanned;
    for_each_pod([&](uint32_t slot, const PodInfo& pod) {
      for (const AffinityTerm& own : TermsOf(*pod.pod_template, term.kind)) {
        if (AreSame(own, *term.term)) ++scanned[slot];
      }
    });
    const std::shared_ptr<const NodeCounts> kept = index.PodsWith(id);
    if (scanned.empty() || !AreCounts(*kept, scanned, term.term->topology_key, nodes)) return false;
    total += kept->total();
  }
  if (total != static_cast<int64_t>(carried)) return false;

  bool meets_all = true;
  for_each_pod([&](uint32_t, const PodInfo& pod) {
    std::set<uint64_t> met;
    index.ForEachTerm(pod, [&](uint64_t id, const AffinityIndex::Term&) { meets_all &= met.insert(id).second; });
    for (const auto& [id, term] : index.terms()) {
      if (!term.term->Matches(pod.ns(), pod.labels(), cluster.NamespaceLabels(pod.ns()))) continue;
      meets_all &= met.contains(id);
    }
  });
  return meets_all;
}

}  // namespace berth::cluster
