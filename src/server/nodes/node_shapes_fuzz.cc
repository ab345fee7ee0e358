// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/node_shapes.h"

extern const char* const kFuzzSeeds[] = {"nodes: [{name: a, count: 2, zones: [x], resources: {cpu: 8, memory: 1Gi}}]",
                                         "nodes: [{labels: {a: b}, taints: [{key: a, effect: NoSchedule}]}]", nullptr};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto shapes = berth::server::ParseShapes({reinterpret_cast<const char*>(data), size});
  if (!shapes) return 0;
  // Not all of many.
  for (berth::server::NodeShape& shape : *shapes) shape.count = shape.count > 2 ? 2 : shape.count;
  static_cast<void>(berth::server::MakeNodes(*shapes, {}));
  return 0;
}
