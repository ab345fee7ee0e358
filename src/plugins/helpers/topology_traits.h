// SPDX-License-Identifier: Apache-2.0
// The trait that a topology key gives a node (framework::TraitPlugin): its domain or, where every node is a domain of
// its own, a number that the plugin has for the node.

#pragma once

#include <cstdint>
#include <memory>

#include "cluster/topology.h"
#include "framework/plugin.h"

namespace berth::plugins {

// False if there are too many domains of several nodes: as many cohorts would have to be looked at for every pod. Nor
// is the empty value a trait like others: nodes without the key may count with it.
inline bool AppendTopologySource(const std::shared_ptr<const cluster::TopologyKey>& topology,
                                 framework::TraitPlugin::Sources& sources) {
  constexpr size_t kDomainsMax = 512;
  static const std::shared_ptr<const void> kPerNode = std::make_shared<int>();
  if (!topology->is_per_node() && topology->domain_count() > kDomainsMax) return false;
  if (topology->Find("") != cluster::kNoDomain) return false;
  sources.push_back(topology);
  sources.push_back(topology->is_per_node() ? kPerNode : nullptr);
  return true;
}

// `number()` may change only with the node's row, and is asked only of nodes that have the key.
template <class Number>
void AppendTopologyTrait(const cluster::TopologyKey& topology, cluster::NodeSlot node, Number number,
                         framework::TraitPlugin::Traits& traits) {
  const cluster::DomainId domain = topology.domain(node);
  if (!topology.is_per_node()) {
    traits.push_back(domain);
    return;
  }
  const bool has_key = domain != cluster::kNoDomain;
  traits.push_back(has_key ? 1 : 0);
  traits.push_back(has_key ? static_cast<uint64_t>(int64_t{number()}) : 0);
}

}  // namespace berth::plugins
