// SPDX-License-Identifier: Apache-2.0

#include "plugins/inter_pod_affinity/inter_pod_affinity.h"

namespace berth::plugins {

void InterPodAffinity::Args::Validate(const framework::ArgsCheck& check) const {
  if (hard_pod_affinity_weight < 0 || hard_pod_affinity_weight > 100) {
    check.errors.Invalid(check.At("hardPodAffinityWeight"), hard_pod_affinity_weight, "not in valid range [0, 100]");
  }
}

}  // namespace berth::plugins
