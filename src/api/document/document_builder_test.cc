// SPDX-License-Identifier: Apache-2.0
#include "api/document/document_builder.h"

#include <gtest/gtest.h>

namespace berth::api {
namespace {

using Kind = Value::Kind;

TEST(DocumentBuilder, BuildsListsAndMapsInOrder) {
  DocumentBuilder builder;
  builder.Begin(Kind::kMap);
  builder.Key("a");
  builder.Begin(Kind::kList, 7);
  builder.Scalar(Kind::kNumber, "1");
  builder.Scalar(Kind::kString, "x");
  builder.End();
  builder.Key("b");
  builder.Scalar(Kind::kNull, "");
  EXPECT_EQ(builder.depth(), 1U);
  builder.End();

  const auto document = builder.Finish();

  ASSERT_TRUE(document);
  EXPECT_EQ(document->root().ToJson(), R"({"a":[1,"x"],"b":null})");
  EXPECT_EQ(document->root()["a"].line(), 7U);
}

TEST(DocumentBuilder, SharedValuesHaveTheirOwnName) {
  DocumentBuilder builder;
  builder.Begin(Kind::kMap);
  builder.Key("a");
  const uint32_t list = builder.Begin(Kind::kList);
  builder.Scalar(Kind::kNumber, "1");
  builder.End();
  builder.Key("b");
  builder.Share(list, 3);
  builder.End();

  const auto document = builder.Finish();

  ASSERT_TRUE(document);
  EXPECT_EQ(document->root().ToJson(), R"({"a":[1],"b":[1]})");
  EXPECT_EQ(document->root()["b"].line(), 3U);
}

TEST(DocumentBuilder, MergeReplacesAMapByItsMembers) {
  DocumentBuilder builder;
  builder.Begin(Kind::kMap);
  builder.Begin(Kind::kMap);
  builder.Key("a");
  builder.Scalar(Kind::kNumber, "1");
  builder.End();
  EXPECT_TRUE(builder.MergeLast());
  builder.Key("b");
  builder.Scalar(Kind::kNumber, "2");
  builder.End();

  const auto document = builder.Finish();

  ASSERT_TRUE(document);
  EXPECT_EQ(document->root().ToJson(), R"({"a":1,"b":2})");
}

}  // namespace
}  // namespace berth::api
