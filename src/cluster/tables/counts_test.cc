// SPDX-License-Identifier: Apache-2.0

#include "cluster/tables/counts.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"

namespace berth::cluster {
namespace {

TEST(Counts, AreThoseOfAMapUnderRandomChanges) {
  Random random(7);
  for (const uint64_t ids : {3U, 200U, 5'000U}) {
    SCOPED_TRACE(ids);
    Counts counts;
    std::map<uint32_t, int32_t> model;
    for (int step = 0; step < 20'000; ++step) {
      const auto id = static_cast<uint32_t>(random.Below(ids));
      // Fills up first, then empties.
      const int32_t amount = random.Below(10) < (step < 10'000 ? 9U : 1U) ? 1 : -1;
      counts.Change(id, amount);
      if ((model[id] += amount) == 0) model.erase(id);

      ASSERT_EQ(counts.of(id), model.contains(id) ? model[id] : 0);
      ASSERT_EQ(counts.size(), model.size());
    }
    std::map<uint32_t, int32_t> seen;
    int64_t total = 0;
    counts.ForEach([&](uint32_t id, int32_t count) { total += seen[id] = count; });
    EXPECT_EQ(seen, model);
    EXPECT_EQ(counts.total(), total);
  }
}

TEST(Counts, TakeRoomByWhatIsNotZero) {
  Counts counts;
  for (uint32_t id = 0; id < 10; ++id) counts.Change(100'000 * (id + 1), 1);
  EXPECT_LE(counts.bytes(), 512U);

  for (uint32_t id = 0; id < 1'000'000; ++id) counts.Change(id, 1);
  EXPECT_LE(counts.bytes(), 8'000'000U);
  for (uint32_t id = 0; id < 1'000'000; ++id) counts.Change(id, -1);

  EXPECT_EQ(counts.size(), 10U);
  EXPECT_LE(counts.bytes(), 2'000'000U);
}

TEST(Counts, AreZeroAgainAfterClear) {
  Counts counts;
  counts.Change(3, 2);

  counts.Clear();

  EXPECT_EQ(counts.of(3), 0);
  EXPECT_EQ(counts.total(), 0);
}

}  // namespace
}  // namespace berth::cluster
