// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/v116/basic_checks.h"

#include <fmt/format.h>

#include "plugins/helpers/volume_claims.h"
#include "plugins/legacy/v116/algorithm.h"

namespace berth::plugins::legacy::v116 {

framework::PreFilterResult BasicChecks::PreFilter(framework::Cycle& cycle) const {
  const cluster::PodInfo& pod = cycle.pod();
  for (const api::Volume& volume : pod.spec().volumes) {
    if (volume.source != api::Volume::Source::kPersistentVolumeClaim) continue;
    const auto* claim = cycle.cluster().objects.persistent_volume_claims.Find(pod.ns(), volume.id);
    if (claim == nullptr) return {BareError(*this, ClaimNotFound(volume.id))};
    if (claim->meta.deletion_timestamp) {
      return {BareError(*this, fmt::format("persistentvolumeclaim \"{}\" is being deleted", volume.id))};
    }
  }
  return {};
}

}  // namespace berth::plugins::legacy::v116
