// SPDX-License-Identifier: Apache-2.0
#include "server/patch/merge_patch.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"

using berth::server::Json;
using berth::server::ParseTree;

namespace {

bool HasNullMember(const Json& value) {
  for (const Json& item : value.items()) {
    if (HasNullMember(item)) return true;
  }
  for (const Json::Member& member : value.members()) {
    if (member.value.is_null() || HasNullMember(member.value)) return true;
  }
  return false;
}

}  // namespace

// A patch of an object without maps within it: nothing then keeps its nulls.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Json kObject = ParseTree(R"({"a":[1,{"b":2}],"c":"x"})").value();
  const auto patch = ParseTree({reinterpret_cast<const char*>(data), size});
  if (!patch) return 0;
  const auto patched = berth::server::ApplyMergePatch(kObject, *patch);
  BERTH_ASSERT(patched.has_value() == (patch->is_map() || patch->is_list()));
  if (!patched) return 0;
  BERTH_ASSERT(!HasNullMember(*patched));
  if (patch->is_map()) BERTH_ASSERT(berth::server::ApplyMergePatch(*patched, *patch) == *patched);
  return 0;
}

extern const char* const kFuzzSeeds[] = {R"({"a":{"b":null,"c":[{"d":null},null]},"c":null})",
                                         R"([{"a":null},[],null])", R"({"c":{"x":{"y":{"z":1}}},"n":null})", nullptr};
