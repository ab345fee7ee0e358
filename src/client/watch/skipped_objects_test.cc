// SPDX-License-Identifier: Apache-2.0
#include "client/watch/skipped_objects.h"

#include <gtest/gtest.h>

namespace berth::client {
namespace {

TEST(SkippedObjects, EachVersionIsNewOnce) {
  SkippedObjects skipped;

  EXPECT_TRUE(skipped.Add("ns/a", "1"));
  EXPECT_TRUE(skipped.Add("ns/b", "1"));
  EXPECT_FALSE(skipped.Add("ns/a", "1"));
  EXPECT_TRUE(skipped.Add("ns/a", "2"));
  EXPECT_FALSE(skipped.Add("ns/a", "2"));
}

TEST(SkippedObjects, RemembersAsManyAsTheLimit) {
  SkippedObjects skipped;
  for (size_t i = 0; i < SkippedObjects::kMax; ++i) skipped.Add(std::to_string(i), "1");

  EXPECT_FALSE(skipped.Add("0", "1"));
  EXPECT_TRUE(skipped.Add("one more", "1"));
  EXPECT_TRUE(skipped.Add("0", "1"));
}

}  // namespace
}  // namespace berth::client
