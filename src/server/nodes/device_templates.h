// SPDX-License-Identifier: Apache-2.0
// DeviceTemplates: the devices of simulated nodes, as the manifests in a file describe them.
//
// The file has ordinary manifests of resource.k8s.io/v1: DeviceClass, ResourceSlice and DeviceTaintRule. A slice whose
// spec.nodeName is $(NODE) stands for one slice on each node: $(NODE) is replaced by the node's name wherever it
// stands. The annotation berth.dev/node-selector, a label selector, says on which nodes.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/parts/selector.h"
#include "base/result.h"
#include "server/model/json.h"
#include "server/model/resource.h"

namespace berth::server {

struct SliceTemplate {
  Json slice;           // Canonical, with placeholders.
  api::Selector nodes;  // That have it.
};

struct DeviceTemplates {
  struct Entry {
    std::string plural;  // Of resource.k8s.io.
    Json object;         // Canonical.
  };

  std::vector<SliceTemplate> slices;
  std::vector<Entry> objects;  // Those of which there is one, whatever the nodes.

  // The slices of a node.
  std::vector<Json> SlicesOf(std::string_view node, const api::Labels& labels) const;
  // The names of the slices that it would have with any labels.
  std::vector<std::string> SliceNames(std::string_view node) const;
};

// Errors name the object and the field, with `line N: ` in front where it is known. What the API server would refuse is
// an error here.
Result<DeviceTemplates> ParseDevices(std::string_view text);

}  // namespace berth::server
