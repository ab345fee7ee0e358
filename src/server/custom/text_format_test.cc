// SPDX-License-Identifier: Apache-2.0
#include "server/custom/text_format.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::server {
namespace {

TEST(TextFormat, NumbersOfBooksAndCardsHaveCheckDigits) {
  EXPECT_TRUE(HasTextFormat("0321751043", "isbn10"));
  EXPECT_FALSE(HasTextFormat("0321751044", "isbn10"));
  EXPECT_FALSE(HasTextFormat("978-0321751041", "isbn10"));
  EXPECT_TRUE(HasTextFormat("978 0321751041", "isbn13"));
  EXPECT_FALSE(HasTextFormat("978 0321751042", "isbn13"));
  EXPECT_TRUE(HasTextFormat("978-0321751041", "isbn"));
  EXPECT_FALSE(HasTextFormat("1", "isbn"));
  EXPECT_TRUE(HasTextFormat("4111 1111 1111 1111", "creditcard"));
  EXPECT_FALSE(HasTextFormat("4111111111111112", "creditcard"));
  EXPECT_FALSE(HasTextFormat("", "creditcard"));
}

TEST(TextFormat, HostNamesOfSeveralLabelsEndWithLetters) {
  EXPECT_TRUE(HasTextFormat("host", "hostname"));
  EXPECT_TRUE(HasTextFormat("a-b.example", "hostname"));
  EXPECT_FALSE(HasTextFormat("a.b-c", "hostname"));
  EXPECT_FALSE(HasTextFormat("a_b", "hostname"));
  EXPECT_FALSE(HasTextFormat("a.b", "hostname"));
  EXPECT_FALSE(HasTextFormat(std::string(64, 'a') + ".example", "hostname"));
}

}  // namespace
}  // namespace berth::server
