// SPDX-License-Identifier: Apache-2.0
// Whatever is loaded names a source of its algorithm.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "config/legacy_configuration.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (!berth::config::IsLegacyConfiguration(text)) return 0;
  const auto loaded = berth::config::LoadLegacy(text, {});
  BERTH_ASSERT(!loaded || !std::holds_alternative<std::monostate>(loaded->source));
  return 0;
}

extern const char* const kFuzzSeeds[];
const char* const kFuzzSeeds[] = {
    "apiVersion: kubescheduler.config.k8s.io/v1alpha1\nkind: KubeSchedulerConfiguration\n",
    "{\"kind\":\"KubeSchedulerConfiguration\",\"apiVersion\":\"kubescheduler.config.k8s.io/"
    "v1alpha1\",\"algorithmSource\":"
    "{\"policy\":{\"configMap\":{\"name\":\"p\"}}},\"leaderElection\":{\"lockObjectName\":\"l\"}}",
    "apiVersion: kubescheduler.config.k8s.io/v1alpha1\nkind: KubeSchedulerConfiguration\nalgorithmSource: {provider: "
    "P}\n"
    "hardPodAffinitySymmetricWeight: 7\nhealthzBindAddress: 0.0.0.0:10251\nplugins: {filter: {enabled: []}}\n",
    nullptr,
};
