// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/device_templates.h"

extern const char* const kFuzzSeeds[] = {
    "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: $(NODE)-a, annotations: "
    "{berth.dev/node-selector: a=b}}\nspec: {driver: a.b, nodeName: $(NODE), devices: [{name: d}]}",
    "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}\nspec: {selectors: [{cel: {expression: "
    "'true'}}]}",
    nullptr};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto devices = berth::server::ParseDevices({reinterpret_cast<const char*>(data), size});
  if (devices) static_cast<void>(devices->SlicesOf("node-1", {{"a", "b"}}));
  return 0;
}
