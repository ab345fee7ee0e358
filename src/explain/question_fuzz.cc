// SPDX-License-Identifier: Apache-2.0
// Questions of any content are read or refused, never more; and what was read is written as it would be read again.

#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "explain/capacity.h"
#include "explain/question.h"

extern const char* const kFuzzSeeds[];
const char* const kFuzzSeeds[] = {
    R"({"changes":[{"addNodes":{"count":2,"like":"a"}},{"cordon":{"selector":"zone=x"}}]})",
    R"({"changes":[{"addNodes":{"node":{"metadata":{"name":"n"}},"labels":{"a":null}}},{"uncordon":{"names":["a"]}}]})",
    R"({"changes":[{"removeNodes":{"names":["a"]}},{"label":{"names":["b"],"labels":{"k":"v","z":null}}}]})",
    R"({"changes":[{"taint":{"names":["a"],"taints":[{"key":"k","value":"v","effect":"NoSchedule"}]}}]})",
    R"({"changes":[{"patch":{"kind":"Node","name":"a","patch":{"spec":{"unschedulable":true}}}}]})",
    R"({"changes":[{"delete":{"kind":"Pod","namespace":"default","name":"old"}}],"objects":[{"kind":"Pod"}]})",
    R"({"pods":[{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"c","image":"i"}]}}],"limit":3})",
    nullptr};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace berth;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)explain::ParseTaint(text);
  const auto body = api::ParseTree(text);
  if (!body) return 0;
  const auto check = [](const auto& question, auto parse) {
    if (!question) {
      BERTH_ASSERT(!question.error().message.empty());
      return;
    }
    const api::Json written = ToJson(*question);
    const auto again = parse(written);
    BERTH_ASSERT(again && ToJson(*again) == written);
  };
  check(explain::ParseQuestion(*body), explain::ParseQuestion);
  check(explain::ParseCapacityQuestion(*body), explain::ParseCapacityQuestion);
  return 0;
}
