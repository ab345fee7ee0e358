// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/behaviour.h"

extern const char* const kFuzzSeeds[] = {
    "pods: [{selector: 'app in (a, b)', startAfter: {min: 1s, max: 5s}, exitAfter: {mean: 1m}, failureRate: 0.1}]",
    "nodes: [{selector: zone=a, notReady: {every: 10m, for: 1m}, silent: {every: 1h, for: 5m}}]", nullptr};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto behaviour = berth::server::ParseBehaviour({reinterpret_cast<const char*>(data), size});
  if (!behaviour) return 0;
  static_cast<void>(behaviour->ScriptFor(berth::server::Json(), {}));
  static_cast<void>(behaviour->FaultsOf({}));
  return 0;
}
