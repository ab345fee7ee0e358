// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/timeline/merge_patch.h"

#include <gtest/gtest.h>

namespace berth::simulate {
namespace {

TEST(MergePatch, MapsAreMergedNullRemovesOthersReplace) {
  struct Case {
    std::string_view target;
    std::string_view patch;
    std::string_view result;
  };
  const Case cases[] = {
      {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
      {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
      {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
      {R"({"a":[1,2]})", R"({"a":[3]})", R"({"a":[3]})"},
      {R"({"a":"c"})", R"({"a":{"b":{"c":null,"d":1.50}}})", R"({"a":{"b":{"d":1.50}}})"},
      {R"([1])", R"({"a":1})", R"({"a":1})"},
      {R"({"a":1})", R"("text")", R"("text")"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.patch);
    const api::Document target = api::ParseJson(c.target).value();
    const api::Document patch = api::ParseJson(c.patch).value();
    EXPECT_EQ(MergePatch(target.root(), patch.root()), c.result);
  }
}

}  // namespace
}  // namespace berth::simulate
