// SPDX-License-Identifier: Apache-2.0
// Timelines of any content are read or refused, never more.

#include <cstdint>
#include <string_view>

#include "app/simulate/input/timeline.h"
#include "base/assert.h"

extern const char* const kFuzzSeeds[];
const char* const kFuzzSeeds[] = {
    "events:\n- {at: 1s, delete: {kind: Node, name: n1}}",
    "events:\n- {at: 1m30s, patch: {kind: Node, name: n1, patch: {spec: {unschedulable: true}, metadata: null}}}",
    "events:\n- {at: 0s, runs: 5s, create: {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: []}}}",
    "settings: {bindLatency: 1ms}\narrivals:\n- {rate: 30/min, poisson: true, until: 1h, pod: {metadata: "
    "{generateName: a-}, spec: {containers: [{name: c}]}}}",
    nullptr};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace berth::simulate;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.find("file") != text.npos) return 0;  // Could name any file of this machine.
  static const auto* const catalog = new berth::server::Catalog();
  const auto timeline = ParseTimeline(text, "t.yaml", *catalog);
  if (!timeline) BERTH_ASSERT(!timeline.error().message.empty());
  return 0;
}
