// SPDX-License-Identifier: Apache-2.0
#include "base/url.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(Url, PasswordsAreHidden) {
  EXPECT_EQ(WithoutPassword("http://me:pw@h/x"), "http://me:***@h/x");
  EXPECT_EQ(WithoutPassword("http://me:p@w:1@h:80?x"), "http://me:***@h:80?x");
  EXPECT_EQ(WithoutPassword("me:pw@h"), "me:***@h");
  EXPECT_EQ(WithoutPassword("http://me@h:80/x:y@z"), "http://me@h:80/x:y@z");
  EXPECT_EQ(WithoutPassword("http://h/x:y@z"), "http://h/x:y@z");
  EXPECT_EQ(WithoutPassword("h:80"), "h:80");
  EXPECT_EQ(WithoutPassword(""), "");
}

}  // namespace
}  // namespace berth
