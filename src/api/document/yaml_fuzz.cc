// SPDX-License-Identifier: Apache-2.0
// Any bytes: ParseYaml refuses them or makes trees that survive being written and read again.

#include <cstddef>
#include <cstdint>

#include "api/document/round_trip_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto documents = berth::api::ParseJsonOrYaml(text)) {
    for (const berth::api::Document& document : *documents) berth::api::CheckRoundTrip(document.root());
  }
  return 0;
}

extern const char* const kFuzzSeeds[];
const char* const kFuzzSeeds[] = {
    "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  labels: {x: y, 'z': 1}\nspec:\n  containers:\n  - name: c\n",
    "a: &x {b: [1, 0x1F, 0o7, 1_0, .5, yes, ~]}\nc: *x\nd:\n  <<: [*x, {e: 1}]\n  b: 2\n*y : &y z\n",
    "- |\n  text\n    more\n\n- >-\n  folded\n  text\n- \"esc\\n\\x41\\u2028\\L\"\n- 'it''s'\n- !!str 1\n- !!int "
    "\"2\"\n",
    "%YAML 1.1\n---\n? key\n: value\n? |\n  block key\n: - 1\n  - - 2\n...\n---\n# empty\n--- text\n",
    "{\"json\": [1, 2.50, true, null, \"x\"]}",
    "\xEF\xBB\xBF"
    "a: 1\r\nb:\r\n- c\r\n",
    nullptr,
};
