// SPDX-License-Identifier: Apache-2.0
#include "client/orders/json_edit.h"

#include <gtest/gtest.h>

namespace berth::client {
namespace {

std::string Edit(std::string_view json, std::vector<JsonMember> members) {
  return WithMembers(api::ParseJson(json).value().root(), members);
}

TEST(WithMembers, KeepsWhatIsNotSetAsItWas) {
  const std::string json = R"({"a":1.50,"b":{"c":[1,{"d":null}],"e":"x"},"f":12345678901234567890})";
  EXPECT_EQ(Edit(json, {}), json);
  EXPECT_EQ(Edit(json, {{{"b", "e"}, "true"}}),
            R"({"a":1.50,"b":{"c":[1,{"d":null}],"e":true},"f":12345678901234567890})");
}

TEST(WithMembers, AddsWhatIsAbsentWithTheMapsOnTheWay) {
  EXPECT_EQ(Edit(R"({"a":{}})", {{{"a", "b", "c"}, "1"}, {{"a", "b", "d"}, "2"}, {{"e"}, "3"}}),
            R"({"a":{"b":{"c":1,"d":2}},"e":3})");
  EXPECT_EQ(Edit(R"({"a":null})", {{{"a", "b"}, "1"}}), R"({"a":{"b":1}})");
}

TEST(WithMembers, TakesNamesAsTheyAre) {
  EXPECT_EQ(Edit(R"({"m":{"x.y/z":"old"}})", {{{"m", "x.y/z"}, "\"new\""}, {{"m", "\""}, "0"}}),
            R"({"m":{"x.y/z":"new","\"":0}})");
}

}  // namespace
}  // namespace berth::client
