// SPDX-License-Identifier: Apache-2.0
#include "base/error_counts.h"

#include <gtest/gtest.h>

#include <vector>

namespace berth {
namespace {

TEST(JoinErrors, EachErrorIsNamedOnceAndSeveralStandInBrackets) {
  EXPECT_EQ(JoinErrors({}), "");
  EXPECT_EQ(JoinErrors(std::vector<std::string>{"disk"}), "disk");
  EXPECT_EQ(JoinErrors(std::vector<std::string>{"disk", "disk"}), "disk");
  EXPECT_EQ(JoinErrors(std::vector<std::string>{"net", "disk", "net"}), "[net, disk]");
}

TEST(ErrorCounts, NothingIsCountedAtFirst) {
  const ErrorCounts counts;

  EXPECT_TRUE(counts.empty());
  EXPECT_EQ(counts.ToString(), "");
}

TEST(ErrorCounts, AMessageIsFollowedByHowOftenItCame) {
  ErrorCounts counts;
  counts.Add("node gone");
  EXPECT_EQ(counts.ToString(), "node gone");

  counts.Add("node gone");
  counts.Add("node gone");
  EXPECT_EQ(counts.ToString(), "node gone (repeated 3 times)");
  EXPECT_FALSE(counts.empty());
}

TEST(ErrorCounts, TheTextDoesNotDependOnTheOrderOfTheErrors) {
  ErrorCounts counts;
  for (const char* message : {"b", "a", "b"}) counts.Add(message);

  EXPECT_EQ(counts.ToString(), "[a, b (repeated 2 times)]");
}

}  // namespace
}  // namespace berth
