// SPDX-License-Identifier: Apache-2.0
#include "explain/question.h"

#include <gtest/gtest.h>

#include "explain/capacity.h"

namespace berth::explain {
namespace {

using api::Json;

Json ListOf(size_t count, const Json& item) { return Json::MakeList(Json::List(count, item)); }

TEST(Question, IsReadAsItIsWritten) {
  const Json body = *api::ParseTree(
      R"({"changes":[{"addNodes":{"count":3,"like":"node-7","labels":{"pool":"b","old":null}}},
          {"removeNodes":{"names":["a"]}},{"cordon":{"selector":"zone=x"}},{"uncordon":{"names":["b"],"selector":"c"}},
          {"label":{"names":["a"],"labels":{"k":"v"}}},
          {"taint":{"names":["a"],"taints":[{"key":"k","value":"v","effect":"NoSchedule"}]}},
          {"untaint":{"names":["a"],"taints":[{"key":"k","value":"","effect":"NoSchedule"}]}},
          {"patch":{"kind":"Node","namespace":"","name":"a","patch":{"spec":null}}},
          {"delete":{"kind":"Pod","namespace":"default","name":"p"}},{"configure":{"text":"kind: a"}}],
          "objects":[{"kind":"Pod"}]})");

  const Result<Question> question = ParseQuestion(body);

  ASSERT_TRUE(question) << question.error().message;
  EXPECT_EQ(ToJson(*question), body);
}

TEST(Question, HasAsManyChangesAndObjectsAsItMay) {
  const Json change = *api::ParseTree(R"({"cordon":{"names":["a"]}})");
  EXPECT_TRUE(ParseQuestion(Json{{"changes", ListOf(kChangesMax, change)}}));
  EXPECT_FALSE(ParseQuestion(Json{{"changes", ListOf(kChangesMax + 1, change)}}));
  const Json add = *api::ParseTree(R"({"addNodes":{"count":100,"like":"a"}})");
  EXPECT_TRUE(ParseQuestion(Json{{"changes", ListOf(100, add)}}));
  EXPECT_FALSE(ParseQuestion(Json{{"changes", ListOf(101, add)}})) << "in all";
  EXPECT_TRUE(ParseQuestion(Json{{"objects", ListOf(kObjectsMax, Json::MakeMap())}}));
  EXPECT_FALSE(ParseQuestion(Json{{"objects", ListOf(kObjectsMax + 1, Json::MakeMap())}}));
  EXPECT_TRUE(ParseCapacityQuestion(Json{{"pods", ListOf(kMixMax, Json::MakeMap())}}));
  EXPECT_FALSE(ParseCapacityQuestion(Json{{"pods", ListOf(kMixMax + 1, Json::MakeMap())}}));
}

TEST(Question, HasOneShortConfiguration) {
  const auto configure = [](const std::string& text) {
    return Json{{"configure", Json{{"text", Json::String(text)}}}};
  };
  const std::string longest(kConfigurationBytesMax, 'a');
  EXPECT_TRUE(ParseQuestion(Json{{"changes", ListOf(1, configure(longest))}}));
  EXPECT_FALSE(ParseQuestion(Json{{"changes", ListOf(1, configure(longest + "a"))}}));
  EXPECT_FALSE(ParseQuestion(Json{{"changes", ListOf(1, configure("profiles: &all [*all]"))}}));
  EXPECT_FALSE(ParseQuestion(Json{{"changes", ListOf(2, configure("a"))}}));
}

TEST(Question, TaintsAreWrittenAsForKubectl) {
  EXPECT_EQ(*ParseTaint("gpu=yes:NoSchedule"), (api::Taint{"gpu", "yes", "NoSchedule"}));
  EXPECT_EQ(*ParseTaint("gpu:NoExecute"), (api::Taint{"gpu", "", "NoExecute"}));
  for (const std::string_view text : {"gpu", "gpu=yes", "gpu:Never", ":NoSchedule", ""}) EXPECT_FALSE(ParseTaint(text));
}

}  // namespace
}  // namespace berth::explain
