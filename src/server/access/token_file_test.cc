// SPDX-License-Identifier: Apache-2.0
#include "server/access/token_file.h"

#include <gtest/gtest.h>

namespace berth::server {
namespace {

std::string TokenFileError(std::string_view csv) {
  const Result<TokenFile> parsed = TokenFile::Parse(csv);
  return parsed ? "" : parsed.error().message;
}

TEST(TokenAuthFile, FindsUsersByTheirTokens) {
  const Result<TokenFile> file = TokenFile::Parse(
      "t1,ann,1\r\n"
      "\n"
      "t2,\"bob \"\"the\"\" builder\",2,\"g1,g2\"\n"
      ",nobody,3\n"
      "\"t\n4\",dan,4,g,ignored");
  ASSERT_TRUE(file) << file.error().message;

  ASSERT_NE(file->Find("t1"), nullptr);
  EXPECT_EQ(file->Find("t1")->name, "ann");
  EXPECT_EQ(file->Find("t1")->uid, "1");
  EXPECT_TRUE(file->Find("t1")->groups.empty());
  ASSERT_NE(file->Find("t2"), nullptr);
  EXPECT_EQ(file->Find("t2")->name, "bob \"the\" builder");
  EXPECT_EQ(file->Find("t2")->groups, (std::vector<std::string>{"g1", "g2"}));
  ASSERT_NE(file->Find("t\n4"), nullptr);
  EXPECT_EQ(file->Find("t\n4")->groups, std::vector<std::string>{"g"});
  EXPECT_EQ(file->Find(""), nullptr);
  EXPECT_EQ(file->Find("t"), nullptr);
}

TEST(TokenAuthFile, TheLastOfEqualTokensCounts) {
  const Result<TokenFile> file = TokenFile::Parse("t,ann,1\nt,bob,2\n");
  ASSERT_TRUE(file);

  EXPECT_EQ(file->Find("t")->name, "bob");
}

TEST(TokenAuthFile, ErrorsNameTheLineAndNoToken) {
  EXPECT_EQ(TokenFileError("a,b,c\nsecret,user\n"),
            "line 2: must have at least 3 columns (token, user name, user uid), found 2");
  EXPECT_EQ(TokenFileError("a\"b,c,d"), "line 1: bare \" in non-quoted field");
  EXPECT_EQ(TokenFileError("\"a\"b,c,d"), "line 1: extraneous or missing \" in quoted-field");
  EXPECT_EQ(TokenFileError("a,b,\"c"), "line 1: extraneous or missing \" in quoted-field");
}

}  // namespace
}  // namespace berth::server
