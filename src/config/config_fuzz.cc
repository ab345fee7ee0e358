// SPDX-License-Identifier: Apache-2.0
// Whatever is loaded prints as something that loads again and is the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "config/config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace berth;
  const framework::FeatureGates gates;
  const auto loaded = config::Load({reinterpret_cast<const char*>(data), size}, gates);
  if (!loaded) {
    BERTH_ASSERT(!loaded.error().message.empty());
    return 0;
  }
  const std::string json = config::ToJson(*loaded);
  const auto again = config::Load(json, gates);
  BERTH_ASSERT(again.has_value());
  BERTH_ASSERT(config::ToJson(*again) == json);
  return 0;
}

extern const char* const kFuzzSeeds[];
const char* const kFuzzSeeds[] = {
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: 3\n",
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n- schedulerName: a\n  "
    "plugins:\n"
    "    score: {enabled: [{name: NodeAffinity, weight: 2}], disabled: [{name: '*'}]}\n  pluginConfig:\n"
    "  - {name: NodeAffinity, args: {addedAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "
    "preference: "
    "{matchExpressions: [{key: a, operator: In, values: [b]}]}}]}}}\n",
    "{\"apiVersion\":\"kubescheduler.config.k8s.io/"
    "v1\",\"kind\":\"KubeSchedulerConfiguration\",\"extenders\":[{\"urlPrefix\":"
    "\"x\",\"httpTimeout\":\"1s\",\"tlsConfig\":{\"caData\":\"QUJD\"},\"managedResources\":[{\"name\":\"a/b\"}]}]}",
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: [{pluginConfig: [{name: "
    "PodTopologySpread, args: {defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: a, "
    "whenUnsatisfiable: "
    "DoNotSchedule}]}}, {name: NodeName, args: [1, {x: y}]}]}]\nleaderElection: {leaseDuration: 1m}\n",
    nullptr,
};
