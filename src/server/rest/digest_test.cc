// SPDX-License-Identifier: Apache-2.0
#include "server/rest/digest.h"

#include <gtest/gtest.h>

namespace berth::server {
namespace {

TEST(Digest, IsSha256) {
  EXPECT_EQ(HexDigest("abc"), "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD");
  EXPECT_EQ(ShortDigest("/v1/Pod"), "xPOwRZ+Yhw8=");
}

}  // namespace
}  // namespace berth::server
