// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/v116/spread_priorities.h"

#include <algorithm>

#include "plugins/helpers/default_selector.h"
#include "plugins/helpers/zone_labels.h"
#include "plugins/legacy/spreading.h"

namespace berth::plugins::legacy::v116 {
namespace {

using cluster::NodeSlot;
using framework::Scores;
using framework::Status;

// The zone as v1.16 knows it: by the old labels only.
std::string BetaZone(const api::Labels& labels) {
  const std::string_view region = labels.Get(kBetaRegionLabel);
  const std::string_view zone = labels.Get(kBetaZoneLabel);
  if (region.empty() && zone.empty()) return {};
  std::string key(region);
  key.append(1, '\0').append(zone);
  return key;
}

std::vector<int64_t> CountsOf(const framework::Cycle& cycle, std::vector<api::Selector> selectors,
                              std::span<const NodeSlot> nodes) {
  if (selectors.empty()) return std::vector<int64_t>(nodes.size());
  return CountPods(cycle.cluster(), cycle.pod().ns(), std::move(selectors), nodes);
}

}  // namespace

Status SelectorSpreadPriority::Score(framework::Cycle& cycle, std::span<const NodeSlot> nodes, Scores& scores) const {
  const std::vector<int64_t> counts = CountsOf(cycle, SelectorsOf(cycle.pod(), cycle.cluster().objects), nodes);
  const std::span<int64_t> values = scores.MakeArray(nodes.size());
  std::ranges::copy(counts, values.begin());
  ScoreBySpread(values, ZonesOf(cycle.nodes(), nodes, BetaZone), kMaxPriority);
  return Status::Success();
}

Result<std::unique_ptr<framework::Plugin>> ServiceAntiAffinityPriority::Create(
    const framework::PluginContext& context) {
  const auto* args = context.args.As<Args>();
  if (args == nullptr || args->anti_affinity_labels_preference.size() != 1) return Invalid("one label is needed");
  return std::make_unique<ServiceAntiAffinityPriority>(context.name, args->anti_affinity_labels_preference[0]);
}

Status ServiceAntiAffinityPriority::Score(framework::Cycle& cycle, std::span<const NodeSlot> nodes,
                                          Scores& scores) const {
  std::vector<api::Selector> selectors;
  const std::vector<const api::Service*> services = ServicesOf(cycle.pod(), cycle.cluster().objects);
  if (!services.empty()) selectors.push_back(api::Selector::FromLabels(*services.front()->selector));
  const std::vector<int64_t> counts = CountsOf(cycle, std::move(selectors), nodes);
  std::vector<double> sums(nodes.size());
  AddScoreByLabel(counts, DomainsOf(cycle.nodes(), label_, nodes), kMaxPriority, 1, sums);
  const std::span<int64_t> values = scores.MakeArray(nodes.size());
  std::ranges::transform(sums, values.begin(), [](double sum) { return static_cast<int64_t>(sum); });
  return Status::Success();
}

}  // namespace berth::plugins::legacy::v116
