// SPDX-License-Identifier: Apache-2.0
#include "server/model/joined_errors.h"

#include <gtest/gtest.h>

namespace berth::server {
namespace {

TEST(JoinErrors, TellsEachOnceInItsOrder) {
  EXPECT_EQ(JoinErrors({}), "");
  EXPECT_EQ(JoinErrors({"b"}), "b");
  EXPECT_EQ(JoinErrors({"b", "b"}), "b");
  EXPECT_EQ(JoinErrors({"b", "a", "b", "c"}), "[b, a, c]");
}

}  // namespace
}  // namespace berth::server
