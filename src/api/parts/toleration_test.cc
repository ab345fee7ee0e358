// SPDX-License-Identifier: Apache-2.0
#include "api/parts/toleration.h"

#include <gtest/gtest.h>

namespace berth::api {
namespace {

TEST(Toleration, FollowsKeyOperatorValueAndEffect) {
  struct Case {
    const char* name;
    Toleration toleration;
    bool tolerates;
  };
  const Taint kTaint = {"k", "v", "NoSchedule"};
  const Case kCases[] = {
      {"equal", {"k", "Equal", "v", "NoSchedule"}, true},
      {"no operator means equal", {"k", "", "v", "NoSchedule"}, true},
      {"other value", {"k", "Equal", "w", "NoSchedule"}, false},
      {"exists ignores the value", {"k", "Exists", "w", "NoSchedule"}, true},
      {"other key", {"j", "Exists", "", "NoSchedule"}, false},
      {"no key matches every key", {"", "Exists", "", "NoSchedule"}, true},
      {"no effect matches every effect", {"k", "Exists", "", ""}, true},
      {"other effect", {"k", "Exists", "", "NoExecute"}, false},
      {"unknown operator", {"k", "Foo", "v", ""}, false},
  };

  for (const Case& test : kCases) {
    SCOPED_TRACE(test.name);
    EXPECT_EQ(Tolerates(test.toleration, kTaint, false), test.tolerates);
  }
}

TEST(Toleration, ComparesCanonicalIntegersOnly) {
  struct Case {
    const char* op;
    const char* bound;
    const char* taint_value;
    bool tolerates;
  };
  const Case kCases[] = {
      {"Lt", "5", "4", true},
      {"Lt", "5", "5", false},
      {"Gt", "5", "6", true},
      {"Gt", "-5", "-4", true},
      {"Gt", "5", "06", false},
      {"Gt", "05", "6", false},
      {"Gt", "+5", "6", false},
      {"Lt", "5", "-0", false},
      {"Lt", "5", "", false},
      {"Gt", "x", "6", false},
      {"Gt", "5", "1e9", false},
      {"Gt", "0", "9223372036854775808", false},
      {"Gt", "0", "9223372036854775807", true},
  };

  for (const Case& test : kCases) {
    SCOPED_TRACE(std::string(test.taint_value) + " " + test.op + " " + test.bound);
    const Taint taint = {"k", test.taint_value, "NoSchedule"};
    EXPECT_EQ(Tolerates({"k", test.op, test.bound, ""}, taint, true), test.tolerates);
    EXPECT_FALSE(Tolerates({"k", test.op, test.bound, ""}, taint, false));
  }
}

TEST(Toleration, OneOfSeveralSuffices) {
  const std::vector<Toleration> tolerations = {{"a", "Exists", "", ""}, {"b", "Equal", "1", ""}};

  EXPECT_TRUE(Tolerates(tolerations, {"b", "1", "NoExecute"}, false));
  EXPECT_FALSE(Tolerates(tolerations, {"c", "1", "NoExecute"}, false));
  EXPECT_FALSE(Tolerates(std::vector<Toleration>{}, {"c", "1", "NoExecute"}, false));
}

}  // namespace
}  // namespace berth::api
