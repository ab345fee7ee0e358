// SPDX-License-Identifier: Apache-2.0
// What upstream sends is checked by tests/wire/sources.cc.
#include "api/source.h"

#include <gtest/gtest.h>

#include "api/decode/decode.h"

namespace berth::api {
namespace {

constexpr std::string_view kPod =
    R"({"apiVersion":"v1","kind":"Pod","spec":{"nodeName":"n","containers":[{"image":"i","name":"c","unknown":1}]},)"
    R"("metadata":{"name":"p","namespace":"ns","managedFields":[{"manager":"m"}]}})";

TEST(Source, IsTheWholeObjectInCanonicalForm) {
  const Document document = ParseJson(kPod).value();
  Object object = DecodeObject(document.root()).value();

  ASSERT_TRUE(KeepSource(object, document.root()));

  EXPECT_EQ(
      *std::get<Pod>(object).source,
      R"({"metadata":{"name":"p","namespace":"ns"},"spec":{"containers":[{"name":"c","image":"i","resources":{}}],)"
      R"("nodeName":"n"},"status":{}})");
}

TEST(Source, OfANodeHasItsManagedFields) {
  const Document document = ParseJson(R"({"metadata":{"name":"n","managedFields":[{"manager":"m"}]}})").value();
  Node node = DecodeNode(document.root()).value();

  ASSERT_TRUE(KeepSource(node, document.root()));

  EXPECT_TRUE(node.source->starts_with(R"({"metadata":{"name":"n","managedFields":[{"manager":"m"}]},"spec":{})"));
}

TEST(Source, OfOtherKindsIsNotKept) {
  const Document document = ParseJson(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"}})").value();
  Object object = DecodeObject(document.root()).value();
  const Object before = object;

  EXPECT_TRUE(KeepSource(object, document.root()));

  EXPECT_EQ(object, before);
}

TEST(Source, IsMissingIfAFieldIsWrongThatSchedulingDoesNotRead) {
  const Document document =
      ParseJson(R"({"metadata":{"name":"p","namespace":"ns"},"spec":{"hostname":1,"containers":[]}})").value();
  Pod pod = DecodePod(document.root()).value();

  const Result<void> kept = KeepSource(pod, document.root());

  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().message,
            "Pod ns/p: json: cannot unmarshal number into Go struct field PodSpec.spec.hostname of type string");
  EXPECT_EQ(pod.source, nullptr);
}

TEST(Source, ComparesByItsText) {
  Pod a;
  Pod b;
  a.source = std::make_shared<const std::string>("{}");
  EXPECT_NE(a, b);

  b.source = std::make_shared<const std::string>("{}");
  EXPECT_EQ(a, b);

  b.source = std::make_shared<const std::string>("[]");
  EXPECT_NE(a, b);
}

}  // namespace
}  // namespace berth::api
