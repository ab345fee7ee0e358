// SPDX-License-Identifier: Apache-2.0
#include "server/patch/strategic_merge.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"

using berth::server::Json;
using berth::server::ParseTree;

// A patch of a pod.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Json kPod =
      ParseTree(
          R"({"metadata":{"finalizers":["x","y"],"labels":{"a":"1"},"ownerReferences":[{"uid":"u"},{"uid":"v"}]},)"
          R"("spec":{"containers":[{"name":"a","ports":[{"containerPort":1},{"containerPort":2}]},{"name":"b"}],)"
          R"("tolerations":[{"key":"k"}],"volumes":[{"name":"v","emptyDir":{}}]}})")
          .value();
  static const auto& kMessage = *berth::api::wire::FindMessage("io.k8s.api.core.v1.Pod");
  auto patch = ParseTree({reinterpret_cast<const char*>(data), size});
  if (!patch || !patch->is_map()) return 0;
  const auto patched = berth::server::ApplyStrategicMerge(kPod, *patch, kMessage);
  if (patched) {
    BERTH_ASSERT(patched->is_map());
  } else {
    BERTH_ASSERT(!patched.error().message.empty());
  }
  return 0;
}

extern const char* const kFuzzSeeds[] = {
    R"({"spec":{"$setElementOrder/containers":[{"name":"c"},{"name":"a"}],"containers":[{"name":"c","image":"i"},)"
    R"({"name":"a","$setElementOrder/ports":[{"containerPort":2},{"containerPort":1}],"ports":[{"containerPort":1,)"
    R"("$patch":"delete"}]},{"name":"b","$patch":"delete"}]}})",
    R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["x"],"$setElementOrder/finalizers":["z","y"],)"
    R"("finalizers":["z"],"labels":{"a":null,"$patch":"replace"},)"
    R"("ownerReferences":[{"$patch":"replace"},{"uid":"w"}]}})",
    R"({"spec":{"$retainKeys":["volumes","affinity"],"volumes":[{"$retainKeys":["name","hostPath"],"name":"v",)"
    R"("hostPath":{"path":"/"}}],"affinity":{"nodeAffinity":{"$patch":"delete"}}}})",
    nullptr};
