// SPDX-License-Identifier: Apache-2.0
// Annotations of nodes are text from outside: whatever they say, reading them must end well.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "plugins/legacy/prefer_avoid.h"

extern const char* const kFuzzSeeds[] = {
    R"({"preferAvoidPods":[{"podSignature":{"podController":{"kind":"ReplicaSet","uid":"u"}}}]})",
    R"({"preferAvoidPods":[{"podSignature":{},"evictionTime":"2020-01-02T03:04:05Z","reason":"r"}]})",
    R"({"PREFERAVOIDPODS":[null,{"podSignature":{"podController":{"controller":true}}}]})",
    nullptr,
};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  berth::plugins::legacy::ReadAvoidedControllers({reinterpret_cast<const char*>(data), size});
  return 0;
}
