// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <gmock/gmock.h>

namespace berth {
namespace {

using testing::ElementsAre;

TEST(Text, IsTrimmedAtBothEnds) {
  EXPECT_EQ(Trim(" \ta b\n"), "a b");
  EXPECT_EQ(Trim(" \n "), "");
  EXPECT_EQ(Trim(" a\n", kBlanks), "a\n");
}

TEST(Text, IsTakenUntilASeparator) {
  std::string_view rest = "a;b";
  EXPECT_EQ(TakeUntil(rest, ';'), "a");
  EXPECT_EQ(TakeUntil(rest, ';'), "b");
  EXPECT_EQ(rest, "");
}

TEST(Text, IsSplitIntoOnePartAtLeast) {
  EXPECT_THAT(Split("a,,b", ','), ElementsAre("a", "", "b"));
  EXPECT_THAT(Split("", ','), ElementsAre(""));
}

}  // namespace
}  // namespace berth
