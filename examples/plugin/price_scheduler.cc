// SPDX-License-Identifier: Apache-2.0
#include "price_scheduler.h"

#include <berth/plugin.h>

#include "api/object_stream.h"
#include "config/config.h"
#include "plugins/registry.h"
#include "prefer_cheap_nodes.h"

namespace example {

using berth::Result;
using berth::scheduler::Attempt;
using berth::scheduler::Outcome;
using berth::scheduler::Scheduler;

Result<std::unique_ptr<Scheduler>> MakePriceScheduler(std::string_view configuration) {
  berth::PluginSet plugins(berth::plugins::BuiltIn());
  BERTH_CHECK_OK(plugins.Add<PreferCheapNodes>());
  const berth::framework::FeatureGates gates;
  const auto loaded = BERTH_TRY(berth::config::Load(configuration, gates, plugins.points_of()));
  return Scheduler::Create(loaded, plugins.registry(), gates, std::make_unique<berth::framework::SeededChooser>(1));
}

Result<void> PutObjects(Scheduler& scheduler, std::string_view manifest) {
  const auto documents = BERTH_TRY(berth::api::ParseJsonOrYaml(manifest));
  for (const auto& object : BERTH_TRY(berth::api::FlattenManifests(documents))) {
    scheduler.Put(BERTH_TRY(berth::api::DecodeObject(object)));
  }
  return {};
}

std::vector<std::string> ScheduleAll(Scheduler& scheduler) {
  std::vector<std::string> lines;
  const auto pending = scheduler.pending();  // A copy: scheduled pods leave it.
  for (const auto& [name, pod] : pending) {
    const Attempt attempt = scheduler.Try(pod);
    if (attempt.kind != Attempt::Kind::kDecided) {
      lines.push_back(name + " was not tried");
    } else if (attempt.decision.outcome == Outcome::kScheduled) {
      lines.push_back(name + " -> " + attempt.assumed->node_name);
    } else {
      lines.push_back(name + ": " + attempt.decision.full_message);
    }
  }
  return lines;
}

}  // namespace example
