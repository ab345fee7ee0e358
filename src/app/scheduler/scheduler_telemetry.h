// SPDX-License-Identifier: Apache-2.0
// SchedulerTelemetry: all metrics of a live scheduler, and those who feed them.

#pragma once

#include <optional>

#include "app/scheduler/client_observers.h"
#include "app/scheduler/core_observer.h"
#include "app/scheduler/flags/options.h"
#include "app/scheduler/serving/metric_options.h"
#include "telemetry/process_metrics.h"
#include "telemetry/registry.h"
#include "telemetry/scheduler_metrics.h"

namespace berth::scheduler_app {

struct SchedulerTelemetry {
  SchedulerTelemetry(telemetry::Registry::Options registry_options, const Options& options)
      : registry(std::move(registry_options)) {
    telemetry::AddProcessMetrics(registry);
    telemetry::AddBuildMetrics(
        registry, {options.reported_version, options.emulation_version, options.min_compatibility_version});
    telemetry::AddFeatureMetrics(registry, options.features);
    AddGroups(options.gates);
    telemetry::AddMetaMetrics(registry);  // Last: it counts the others.
    client.transport_create_calls.With("miss").Add();
    client.transport_cache_entries.Set(1);
  }

  telemetry::Registry registry;
  telemetry::SchedulerMetrics scheduler{registry};
  telemetry::ClientMetrics client{registry};
  CoreObserver core_observer{scheduler};
  RequestMetrics requests{client};
  ReflectorMetrics reflectors{client};

 private:
  void AddGroups(const framework::FeatureGates& gates) {
    if (gates.Enabled(framework::Gate::kGenericWorkload)) groups_.emplace(registry);
    if (gates.Enabled(framework::Gate::kTopologyAwareWorkloadScheduling)) placements_.emplace(registry);
    core_observer.set_groups({groups_ ? &*groups_ : nullptr, placements_ ? &*placements_ : nullptr});
  }

  std::optional<telemetry::GroupMetrics> groups_;
  std::optional<telemetry::PlacementMetrics> placements_;
};

}  // namespace berth::scheduler_app
