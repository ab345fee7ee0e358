// SPDX-License-Identifier: Apache-2.0
#include "base/uuid.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(Uuid, SaysItsVersionAndVariantWhateverTheNumbersAre) {
  EXPECT_EQ(MakeUuid(0, 0), "00000000-0000-4000-8000-000000000000");
  EXPECT_EQ(MakeUuid(~uint64_t{0}, ~uint64_t{0}), "ffffffff-ffff-4fff-bfff-ffffffffffff");
  EXPECT_EQ(MakeUuid(0x0123456789abcdef, 0x0123456789abcdef), "01234567-89ab-4def-8123-456789abcdef");
}

}  // namespace
}  // namespace berth
