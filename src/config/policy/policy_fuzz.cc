// SPDX-License-Identifier: Apache-2.0
// Whatever can be read as a policy can be translated or is refused with a reason; what is converted loads.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "config/config.h"
#include "config/policy/convert_policy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace berth;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const framework::FeatureGates gates;
  for (const auto compat : {config::PolicyCompat::kV116, config::PolicyCompat::kV121, config::PolicyCompat::kV122}) {
    config::PolicyOptions options;
    options.compat = compat;
    const auto policy = config::DecodePolicy(text, compat);
    if (!policy) {
      BERTH_ASSERT(policy.error().message.starts_with("invalid policy: "));
      continue;
    }
    const auto translated = config::FromPolicy(*policy, options, gates);
    const auto converted = config::ConvertPolicy(*policy, options, gates);
    BERTH_ASSERT(translated.has_value() || !translated.error().message.empty());
    BERTH_ASSERT(translated.has_value() || !converted.has_value());
    if (!converted) continue;
    // What keeps it from loading can only be an argument that today's rules refuse, such as a label's name.
    const auto loaded = config::Load(config::ToYaml(*converted), gates);
    BERTH_ASSERT(loaded.has_value() || !loaded.error().message.starts_with("strict decoding error"));
  }
  return 0;
}

extern const char* const kFuzzSeeds[];
const char* const kFuzzSeeds[] = {
    "{\"kind\":\"Policy\",\"apiVersion\":\"v1\"}",
    "apiVersion: v1\nkind: Policy\npredicates:\n- name: Zone\n  argument: {serviceAffinity: {labels: [zone]}}\n- name: "
    "Gone\n  argument: {labelsPresence: {labels: [a], presence: false}}\n- name: GeneralPredicates\n",
    "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"priorities\":[{\"name\":\"P\",\"weight\":2,\"argument\":"
    "{\"requestedToCapacityRatioArguments\":{\"shape\":[{\"utilization\":0,\"score\":1}],\"resources\":[{\"name\":"
    "\"cpu\",\"weight\":3}]}}},{\"name\":\"L\",\"weight\":1,\"argument\":{\"labelPreference\":{\"label\":\"x\"}}}]}",
    "{\"Predicates\":[{\"Name\":\"HostName\"}],\"Extenders\":[{\"URLPrefix\":\"x\",\"HTTPTimeout\":\"1s\"}]}",
    "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"extenders\":[{\"urlprefix\":\"x\",\"httpTimeout\":5,\"TLSConfig\":"
    "{\"caData\":\"QUJD\"},\"managedResources\":[{\"name\":\"a.b/c\",\"ignoredByScheduler\":true}]}],"
    "\"hardPodAffinitySymmetricWeight\":3,\"alwaysCheckAllPredicates\":true}",
    nullptr,
};
