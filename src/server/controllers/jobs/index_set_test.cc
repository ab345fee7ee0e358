// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/jobs/index_set.h"

#include <gtest/gtest.h>

namespace berth::server {
namespace {

TEST(IndexSet, IsWrittenAsRanges) {
  EXPECT_EQ(IndexSet().ToText(), "");
  EXPECT_EQ(IndexSet({3}).ToText(), "3");
  EXPECT_EQ(IndexSet({3, 4}).ToText(), "3,4");
  EXPECT_EQ(IndexSet({5, 3, 4, 9, 3}).ToText(), "3-5,9");
}

TEST(IndexSet, ReadsWhatItWritesUpToTheCompletions) {
  EXPECT_EQ(IndexSet::Parse("0-2,4,5,7-9", 100).ToText(), "0-2,4,5,7-9");
  EXPECT_EQ(IndexSet::Parse("0-2,4,5,7-9", 9).ToText(), "0-2,4,5,7,8");
  EXPECT_EQ(IndexSet::Parse("0-2,4,5,7-9", 7).ToText(), "0-2,4,5");
}

TEST(IndexSet, LeavesOutWhatIsNoIndex) {
  EXPECT_EQ(IndexSet::Parse(",x,1-,-2,5-3,2,99999999999999999999,1-2-3", 10).ToText(), "2");
  EXPECT_TRUE(IndexSet::Parse("1", 0).empty());
}

TEST(IndexSet, JoinsWhatIsAdded) {
  IndexSet set = IndexSet::Parse("0,4-6", 10);
  set.Add(IndexSet::Parse("1-3,8", 10));
  EXPECT_EQ(set.ToText(), "0-6,8");
  EXPECT_EQ(set.size(), 8);
  EXPECT_TRUE(set.Has(0) && set.Has(6) && set.Has(8));
  EXPECT_FALSE(set.Has(7) || set.Has(9));
}

TEST(IndexSet, CountsWhatTwoHaveInCommon) {
  const IndexSet set = IndexSet::Parse("0-2,4-6,9", 10);
  EXPECT_EQ(set.CountCommon(IndexSet::Parse("1-5,9", 10)), 5);
  EXPECT_EQ(set.CountCommon(set), 7);
  EXPECT_EQ(set.CountCommon(IndexSet()), 0);
}

TEST(IndexSet, KnowsTheFirstOnesThatAreMissing) {
  const IndexSet set = IndexSet::Parse("0,2-4", 10);
  EXPECT_EQ(set.FirstMissing(3, 10), (std::vector<int64_t>{1, 5, 6}));
  EXPECT_EQ(set.FirstMissing(9, 6), (std::vector<int64_t>{1, 5}));
  EXPECT_TRUE(set.FirstMissing(9, 1).empty());
  EXPECT_TRUE(set.FirstMissing(0, 10).empty());
}

}  // namespace
}  // namespace berth::server
