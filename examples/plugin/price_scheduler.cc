// SPDX-License-Identifier: Apache-2.0
#include "price_scheduler.h"

#include <berth/plugin.h>

#include "api/object_stream.h"
#include "config/config.h"
#include "plugins/registry.h"
#include "prefer_cheap_nodes.h"

namespace example {

using berth::Result;
using berth::scheduler::Rehearsal;

Result<std::unique_ptr<Rehearsal>> MakePriceScheduler(std::string_view configuration) {
  berth::PluginSet plugins(berth::plugins::BuiltIn());
  BERTH_CHECK_OK(plugins.Add<PreferCheapNodes>());
  const berth::framework::FeatureGates gates;
  const auto loaded = BERTH_TRY(berth::config::Load(configuration, gates, plugins.points_of()));
  return Rehearsal::Create(loaded, plugins.registry(), gates, std::make_unique<berth::framework::SeededChooser>(1));
}

Result<void> PutObjects(Rehearsal& scheduler, std::string_view manifest) {
  const auto documents = BERTH_TRY(berth::api::ParseJsonOrYaml(manifest));
  for (const auto& object : BERTH_TRY(berth::api::FlattenManifests(documents))) {
    scheduler.Put(BERTH_TRY(berth::api::DecodeObject(object)));
  }
  return {};
}

std::vector<std::string> ScheduleAll(Rehearsal& scheduler) {
  std::vector<std::string> lines;
  for (const std::string& name : scheduler.Pending()) {
    const Rehearsal::Finding finding = scheduler.Try(name);
    if (finding.attempt == nullptr) {
      lines.push_back(name + " was not tried");
    } else if (!finding.node_name.empty()) {
      lines.push_back(name + " -> " + finding.node_name);
    } else {
      lines.push_back(name + ": " + finding.attempt->decision.full_message);
    }
  }
  return lines;
}

}  // namespace example
