// SPDX-License-Identifier: Apache-2.0
#include "plugins/helpers/broken_linear.h"

#include <gtest/gtest.h>

namespace berth::plugins {
namespace {

TEST(BrokenLinear, IsALineBetweenIntegersToo) {
  const BrokenLinear line({{0, 0}, {3, 100}});

  EXPECT_TRUE(line.At(Fine(3)) == Fine(100));
  EXPECT_TRUE(line.At(Fine(3) / 2) == Fine(50));
  EXPECT_TRUE(line.At(Fine(1)) > Fine(33));
  EXPECT_TRUE(line.At(Fine(200)) == Fine(100));
}

}  // namespace
}  // namespace berth::plugins
