// SPDX-License-Identifier: Apache-2.0
// The default profile for tests of this layer, which lies above the configuration's.

#pragma once

#include <string>

#include "framework/configuration.h"

namespace berth::scheduler {

// One profile, default-scheduler, with the default plugins and, if given, one more.
inline framework::SchedulerConfiguration DefaultConfiguration(const std::string& extra_plugin = "") {
  framework::SchedulerConfiguration configuration;
  framework::ProfileConfiguration& profile = configuration.profiles.emplace_back();
  profile.scheduler_name = "default-scheduler";
  profile.plugins.multi_point.enabled = {{"SchedulingGates"},
                                         {"PrioritySort"},
                                         {"NodeName"},
                                         {"NodeUnschedulable"},
                                         {"TaintToleration", 3},
                                         {"NodeAffinity", 2},
                                         {"NodePorts"},
                                         {"NodeResourcesFit", 1},
                                         {"VolumeRestrictions"},
                                         {"NodeVolumeLimits"},
                                         {"VolumeBinding"},
                                         {"VolumeZone"},
                                         {"PodTopologySpread", 2},
                                         {"InterPodAffinity", 2},
                                         {"DynamicResources", 2},
                                         {"DefaultPreemption"},
                                         {"NodeResourcesBalancedAllocation", 1},
                                         {"ImageLocality", 1},
                                         {"DefaultBinder"},
                                         {"NodeDeclaredFeatures"}};
  if (!extra_plugin.empty()) profile.plugins.multi_point.enabled.push_back({extra_plugin});
  return configuration;
}

}  // namespace berth::scheduler
