// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/spreading.h"

#include <algorithm>
#include <utility>

#include "cluster/tables/string_map.h"
#include "plugins/helpers/default_selector.h"
#include "plugins/helpers/node_memo.h"

namespace berth::plugins::legacy {
namespace {

// How much of a score is that of the zone.
constexpr double kZoneShare = 2.0 / 3.0;

// A controller with an empty selector selects nothing.
bool SelectsPod(const api::Selector& selector, const cluster::PodInfo& pod) {
  return !selector.empty() && selector.Matches(pod.labels());
}

// One selector that does not compile discards all of its kind.
template <class Controller>
void AppendSelectors(const cluster::ObjectStore<Controller>& controllers, const cluster::PodInfo& pod,
                     std::vector<api::Selector>& selectors) {
  std::vector<api::Selector> found;
  bool valid = true;
  controllers.ForNamespace(pod.ns(), [&](const Controller& controller) {
    Result<api::Selector> selector = api::Selector::Compile(controller.selector);
    if (!selector) {
      valid = false;
    } else if (SelectsPod(*selector, pod)) {
      found.push_back(*std::move(selector));
    }
  });
  if (valid) std::ranges::move(found, std::back_inserter(selectors));
}

double Share(int64_t count, int64_t total, double score_max) {
  return total > 0 ? score_max * (static_cast<double>(total - count) / static_cast<double>(total)) : score_max;
}

}  // namespace

std::vector<api::Selector> SelectorsOf(const cluster::PodInfo& pod, const cluster::Objects& objects) {
  std::vector<api::Selector> selectors;
  for (const api::Service* service : ServicesOf(pod, objects)) {
    selectors.push_back(api::Selector::FromLabels(*service->selector));
  }
  if (pod.labels().empty()) return selectors;
  objects.replication_controllers.ForNamespace(pod.ns(), [&](const api::ReplicationController& controller) {
    api::Selector selector = api::Selector::FromLabels(controller.selector.value_or(api::Labels()));
    if (SelectsPod(selector, pod)) selectors.push_back(std::move(selector));
  });
  AppendSelectors(objects.replica_sets, pod, selectors);
  AppendSelectors(objects.stateful_sets, pod, selectors);
  return selectors;
}

std::vector<int64_t> CountPods(const cluster::Cluster& cluster, const std::string& ns,
                               std::vector<api::Selector> selectors, std::span<const cluster::NodeSlot> nodes) {
  const cluster::PodQuery query{
      .namespaces = {ns}, .all_namespaces = false, .selectors = std::move(selectors), .skip_terminating = true};
  const std::shared_ptr<const cluster::PodCounter> counter = cluster.CountPods(query);
  std::vector<int64_t> counts;
  counts.reserve(nodes.size());
  for (const cluster::NodeSlot slot : nodes) counts.push_back(counter->count(slot));
  return counts;
}

std::vector<uint32_t> ZonesOf(const cluster::NodeTable& table, std::span<const cluster::NodeSlot> nodes,
                              ZoneKeyFunction zone_key) {
  cluster::StringMap<uint32_t> ids;
  NodeMemo<uint32_t> memo(table, false);
  std::vector<uint32_t> zones;
  zones.reserve(nodes.size());
  for (const cluster::NodeSlot slot : nodes) {
    zones.push_back(memo.Get(slot, [&](const api::Labels& labels, std::string_view) {
      const std::string key = zone_key(labels);
      return key.empty() ? kNoZone : ids.try_emplace(key, static_cast<uint32_t>(ids.size())).first->second;
    }));
  }
  return zones;
}

void ScoreBySpread(std::span<int64_t> counts, std::span<const uint32_t> zones, int64_t score_max) {
  std::vector<int64_t> by_zone;
  int64_t node_max = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    node_max = std::max(node_max, counts[i]);
    if (zones[i] == kNoZone) continue;
    if (zones[i] >= by_zone.size()) by_zone.resize(zones[i] + 1);
    by_zone[zones[i]] += counts[i];
  }
  const int64_t zone_max = by_zone.empty() ? 0 : std::ranges::max(by_zone);
  const double max = static_cast<double>(score_max);
  for (size_t i = 0; i < counts.size(); ++i) {
    double score = Share(counts[i], node_max, max);
    if (zones[i] != kNoZone) {
      score = score * (1.0 - kZoneShare) + kZoneShare * Share(by_zone[zones[i]], zone_max, max);
    }
    counts[i] = static_cast<int64_t>(score);
  }
}

void AddScoreByLabel(std::span<const int64_t> counts, std::span<const cluster::DomainId> domains, int64_t score_max,
                     size_t share, std::span<double> scores) {
  std::vector<int64_t> by_domain;
  int64_t total = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    total += counts[i];
    if (domains[i] == cluster::kNoDomain) continue;
    if (domains[i] >= by_domain.size()) by_domain.resize(domains[i] + 1);
    by_domain[domains[i]] += counts[i];
  }
  for (size_t i = 0; i < counts.size(); ++i) {
    if (domains[i] == cluster::kNoDomain) continue;
    scores[i] += Share(by_domain[domains[i]], total, static_cast<double>(score_max)) / static_cast<double>(share);
  }
}

std::vector<cluster::DomainId> DomainsOf(const cluster::NodeTable& table, std::string_view label,
                                         std::span<const cluster::NodeSlot> nodes) {
  const std::shared_ptr<const cluster::TopologyKey> topology = table.Topology(label);
  std::vector<cluster::DomainId> domains;
  domains.reserve(nodes.size());
  for (const cluster::NodeSlot slot : nodes) domains.push_back(topology->domain(slot));
  return domains;
}

}  // namespace berth::plugins::legacy
