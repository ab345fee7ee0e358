// SPDX-License-Identifier: Apache-2.0
// Any bytes: ParseJson refuses them or makes a tree that survives being written and read again.

#include <cstddef>
#include <cstdint>

#include "api/document/round_trip_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto document = berth::api::ParseJson(text)) berth::api::CheckRoundTrip(document->root());
  return 0;
}

extern const char* const kFuzzSeeds[];
const char* const kFuzzSeeds[] = {
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"x":"y"}},"spec":{"containers":[{"name":"c"}]}})",
    R"([1,-2.5e10,0.001,1e400,true,false,null,"yes","1","~",12345678901234567890123])",
    R"(["a\nb","\u0000\ud83d\ude00\u2028"," lead","a: b","- x","# y","line\n\nline\n","tab\t"])",
    R"({"a":{"b":[[],{},[[1]],{"":""}]},"a":2})",
    " \n\"text\"\r\n",
    nullptr,
};
