// SPDX-License-Identifier: Apache-2.0

#include "cluster/pod_info.h"

#include <algorithm>

namespace berth::cluster {

bool AffinityTerm::Matches(const std::string& ns, const api::Labels& labels,
                           const api::Labels& namespace_labels) const {
  if (!std::ranges::binary_search(namespaces, ns) && !namespace_selector.Matches(namespace_labels)) return false;
  return selector.Matches(labels);
}

}  // namespace berth::cluster
