// SPDX-License-Identifier: Apache-2.0
// What a scheduler is put together from: profiles and an empty cluster, as the configuration and the feature gates say.

#pragma once

#include <map>
#include <memory>
#include <string>

#include "cluster/cluster.h"
#include "framework/configuration.h"
#include "framework/profile.h"

namespace berth::scheduler {

// By scheduler name.
using Profiles = std::map<std::string, std::unique_ptr<framework::Profile>, std::less<>>;

// Fails with upstream's text.
Result<Profiles> MakeProfiles(const framework::SchedulerConfiguration& configuration,
                              const framework::Registry& registry, const framework::FeatureGates& gates);

std::unique_ptr<cluster::Cluster> MakeCluster(const framework::FeatureGates& gates);

}  // namespace berth::scheduler
