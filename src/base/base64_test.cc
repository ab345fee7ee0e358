// SPDX-License-Identifier: Apache-2.0
#include "base/base64.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(Base64, EncodesAndDecodesEveryLength) {
  for (size_t length = 0; length < 10; ++length) {
    std::string bytes;
    for (size_t i = 0; i < length; ++i) bytes += static_cast<char>(251 * (i + 1));
    SCOPED_TRACE(length);
    EXPECT_EQ(DecodeBase64(EncodeBase64(bytes)), bytes);
  }
  EXPECT_EQ(EncodeBase64("ABCD"), "QUJDRA==");
}

TEST(Base64, SkipsLineEndsAndRefusesTheRest) {
  EXPECT_EQ(DecodeBase64("QU\nJD\r\n"), "ABC");
  for (const char* text : {"QUJ", "QUJD=", "Q===", "QU!D", "QU=D", "====", "QUJD RA=="}) {
    EXPECT_FALSE(DecodeBase64(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace berth
