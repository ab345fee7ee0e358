// SPDX-License-Identifier: Apache-2.0

#include "plugins/inter_pod_affinity/inter_pod_affinity.h"

namespace berth::plugins {

Result<std::unique_ptr<framework::Plugin>> InterPodAffinity::Create(const framework::PluginContext& context) {
  const auto* args = std::get_if<framework::InterPodAffinityArgs>(&context.args);
  return std::make_unique<InterPodAffinity>(args == nullptr ? framework::InterPodAffinityArgs() : *args);
}

}  // namespace berth::plugins
