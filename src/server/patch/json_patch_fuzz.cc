// SPDX-License-Identifier: Apache-2.0
#include "server/patch/json_patch.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"

using berth::server::Json;
using berth::server::ParseTree;

// A list of operations on a small object.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Json kObject = ParseTree(R"({"a":{"b":[1,{"c":null},"x"],"d/e":{"~":1}},"f":[[],[2]]})").value();
  const auto operations = ParseTree({reinterpret_cast<const char*>(data), size});
  if (!operations) return 0;
  const auto patched = berth::server::ApplyJsonPatch(kObject, *operations);
  if (patched) {
    BERTH_ASSERT(patched->is_map() || patched->is_list());
  } else {
    BERTH_ASSERT(patched.error().code == 400 || patched.error().code == 413 || patched.error().code == 422);
  }
  return 0;
}

extern const char* const kFuzzSeeds[] = {
    R"([{"op":"add","path":"/a/b/1","value":{"x":1}},{"op":"remove","path":"/f/-1"}])",
    R"([{"op":"move","from":"/a/b","path":"/f/-"},{"op":"test","path":"/f/2/0","value":1}])",
    R"([{"op":"copy","from":"/a","path":"/a/d~1e/~0"},{"op":"replace","path":"","value":[[1]]},)"
    R"({"op":"add","path":"/0/-","value":2}])",
    nullptr};
