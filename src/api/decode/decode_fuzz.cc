// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <vector>

#include "api/decode/object_stream.h"
#include "base/assert.h"

using berth::api::Document;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto document = berth::api::ParseJson({reinterpret_cast<const char*>(data), size});
  if (!document) return 0;
  std::vector<Document> documents;
  documents.push_back(*std::move(document));
  const auto objects = berth::api::FlattenManifests(documents);
  if (!objects) return 0;
  for (const auto& manifest : *objects) {
    const auto object = berth::api::DecodeObject(manifest);
    if (object) {
      BERTH_ASSERT(berth::api::ManifestKind(berth::api::KindOf(*object)) == manifest.kind);
      BERTH_ASSERT(berth::api::MetaOf(*object).name == manifest.value["metadata"]["name"].text());
    } else {
      BERTH_ASSERT(!object.error().message.empty());
    }
  }
  return 0;
}

extern const char* const kFuzzSeeds[] = {
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"d","labels":{"a":"b"},)"
    R"("creationTimestamp":"2026-01-01T00:00:00Z"},"spec":{"containers":[{"name":"c","image":"i",)"
    R"("resources":{"requests":{"cpu":"100m","memory":1}},"ports":[{"hostPort":80}]}],"priority":5,)"
    R"("nodeSelector":{"x":"y"},"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}}]},)"
    R"("status":{"phase":"Pending","containerStatuses":[{"name":"c","allocatedResources":{"cpu":"1"}}]}})",
    R"({"apiVersion":"v1","kind":"Pod","spec":{"affinity":{"podAffinity":)"
    R"({"requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":{"matchLabels":{"a":"b"}},)"
    R"("topologyKey":"zone"}]}},"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone"}]}})",
    R"({"apiVersion":"v1","kind":"NodeList","items":[{"metadata":{"name":"n"},"spec":{"taints":[{"key":"k"}],)"
    R"("podPreemptionPolicy":{"disableResizePreemption":["x"]}},"status":{"allocatable":{"cpu":"4"},)"
    R"("images":[{"names":["a"],"sizeBytes":5}]}}]})",
    R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"v"},"spec":{"capacity":{"storage":"1Gi"},)"
    R"("csi":{"driver":"d","volumeHandle":"h"},"nodeAffinity":{"required":{"nodeSelectorTerms":[]}}}})",
    R"({"apiVersion":"storage.k8s.io/v1","kind":"CSINode","spec":{"drivers":[{"name":"d","allocatable":{"count":3}}]}})",
    R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","spec":{"selector":{}},"status":{"disruptedPods":{"p":null}}})",
    nullptr,
};
