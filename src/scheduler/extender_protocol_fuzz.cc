// SPDX-License-Identifier: Apache-2.0
#include "scheduler/extender_protocol.h"

#include "api/document/json_scan.h"
#include "api/document/value.h"
#include "base/assert.h"
#include "scheduler/go_json.h"

using namespace berth::scheduler;  // NOLINT: a program of one function.

// The text is the answer to every verb at once, and an object to look for members in.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const bool parses = ParseFirstJson(text).has_value();
  const auto filter = DecodeFilterAnswer(text);
  BERTH_ASSERT(parses || !filter);
  if (filter && filter->nodes) {
    for (const auto& node : *filter->nodes) BERTH_ASSERT(!node.source || berth::api::ParseJson(*node.source));
  }
  BERTH_ASSERT(parses || !DecodePrioritizeAnswer(text));
  BERTH_ASSERT(parses || !DecodePreemptAnswer(text));
  BERTH_ASSERT(parses || !DecodeBindAnswer(text));

  if (const auto member = berth::api::FindJsonMember(text, 0, "Error")) BERTH_ASSERT(*member <= size);
  if (const auto document = berth::api::ParseJson(text); document && !text.empty() && text[0] == '{') {
    BERTH_ASSERT(berth::api::EndOfJsonValue(text, 0).has_value());
  }
  return 0;
}

extern const char* const kFuzzSeeds[] = {
    R"({"Nodes":{"metadata":{},"items":[{"metadata":{"name":"n"},"status":{"allocatable":{"cpu":"2"}}},null]},"Error":""})",
    R"({"nodeNames":["a","b"],"FailedNodes":{"c":"full"},"failedAndUnresolvableNodes":{"d":null}} trailing)",
    R"([{"Host":"a","Score":7},{"host":"b","score":-9223372036854775808},null])",
    R"({"NodeNameToMetaVictims":{"a":{"Pods":[{"UID":"u"},null],"NumPDBViolations":1},"b":null}})",
    R"({"Error":"cannot bind \"\ud83d\ude00\""})",
    nullptr,
};
