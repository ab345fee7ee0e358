// SPDX-License-Identifier: Apache-2.0
// Legacy plugins for which today's can be configured.

#pragma once

#include <vector>

#include "config/policy/convert_policy.h"

namespace berth::config {

// Replaces them in the only profile: the scoring of resources by a strategy of NodeResourcesFit, labels that nodes must
// or must not have by an affinity that NodeAffinity adds to every pod. Arguments that are the default go.
void ReplaceLegacyPlugins(framework::SchedulerConfiguration& configuration, const framework::FeatureGates& gates,
                          std::vector<ConversionNote>& notes);

}  // namespace berth::config
