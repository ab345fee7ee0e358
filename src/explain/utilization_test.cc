// SPDX-License-Identifier: Apache-2.0
#include "explain/utilization.h"

#include <gtest/gtest.h>

namespace berth::explain {
namespace {

TEST(Utilization, AmountsAreShort) {
  EXPECT_EQ(FormatCpu(1500), "1.5");
  EXPECT_EQ(FormatCpu(250), "250m");
  EXPECT_EQ(FormatCpu(4000), "4");
  EXPECT_EQ(FormatBytes(0), "0");
  EXPECT_EQ(FormatBytes(1536), "1.5Ki");
  EXPECT_EQ(FormatBytes(int64_t{64} << 30), "64Gi");
}

}  // namespace
}  // namespace berth::explain
