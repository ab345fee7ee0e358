// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/tolerations.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace berth::server {
namespace {

bool MayStay(std::string_view op, std::string_view bound, std::string_view value) {
  Json tolerations = Json::MakeList();
  tolerations.Append(Json{{"key", Json::String("load")},
                          {"operator", Json::String(op)},
                          {"value", Json::String(bound)},
                          {"effect", Json::String("NoExecute")}});
  Json taints = Json::MakeList();
  taints.Append(
      Json{{"key", Json::String("load")}, {"value", Json::String(value)}, {"effect", Json::String("NoExecute")}});
  return !MayStayFor(tolerations, taints);
}

TEST(Tolerations, CompareNumbersAsTheSchedulerDoes) {
  EXPECT_TRUE(MayStay("Lt", "8", "7"));
  EXPECT_FALSE(MayStay("Lt", "7", "7"));
  EXPECT_TRUE(MayStay("Gt", "-1", "0"));
  for (const std::string_view no_number : {"007", "+7", "-0", "7.0", "", " 7", "9223372036854775808"}) {
    SCOPED_TRACE(no_number);
    EXPECT_FALSE(MayStay("Lt", "8", no_number));
    EXPECT_FALSE(MayStay("Gt", no_number, "100"));
  }
}

TEST(Tolerations, WithoutAnOperatorAreOfTheSameValue) {
  EXPECT_TRUE(MayStay("", "a", "a"));
  EXPECT_FALSE(MayStay("Equal", "a", "b"));
  EXPECT_TRUE(MayStay("Exists", "", "b"));
  EXPECT_FALSE(MayStay("None", "b", "b"));
}

}  // namespace
}  // namespace berth::server
