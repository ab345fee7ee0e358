// SPDX-License-Identifier: Apache-2.0
#include "api/wire/encoded_object.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/document/document_builder.h"
#include "api/wire/protobuf.h"

namespace berth::api::wire {
namespace {

using testing::HasSubstr;

constexpr ReadOptions kWithoutOpaque = {.leave_out = {}, .leave_out_opaque = true};

const Kind& ClaimKind() { return *FindKind("resource.k8s.io/v1", "ResourceClaim"); }

// Lists in lists.
std::string Nested(size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

std::string ClaimWith(std::string_view parameters) {
  return fmt::format(R"({{"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1","metadata":{{"name":"c"}},)"
                     R"("spec":{{"devices":{{"config":[{{"opaque":{{"driver":"d","parameters":{}}}}}]}}}}}})",
                     parameters);
}

// The message of the claim in protobuf. The parameters may be no JSON.
std::string ClaimMessageWith(std::string_view parameters) {
  const std::string stand_in = '"' + std::string(parameters.size() - 2, 'x') + '"';
  const std::string bytes = ToProtobuf(ParseJson(ClaimWith(stand_in))->root()).value();
  std::string message(OpenEnvelope(bytes)->message);
  return message.replace(message.find(stand_in), stand_in.size(), parameters);
}

TEST(EncodedObject, OpaquePartsThatAreLeftOutMayHoldAnything) {
  for (const std::string& parameters : {Nested(300), Nested(100'000), std::string(R"({"a":"\ud800"})"),
                                        std::string("{\"a\":\"\xff\"}"), std::string("[1,,]")}) {
    SCOPED_TRACE(parameters.substr(0, 20));
    const std::string json = ClaimWith(parameters);
    const std::string message = ClaimMessageWith(parameters);
    const auto from_json = ReadObject({Encoding::kJson, json}, ClaimKind(), kWithoutOpaque);
    const auto from_protobuf = ReadObject({Encoding::kProtobuf, message}, ClaimKind(), kWithoutOpaque);

    ASSERT_TRUE(from_json) << from_json.error().message;
    ASSERT_TRUE(from_protobuf) << from_protobuf.error().message;
    const Value opaque = from_json->root()["spec"]["devices"]["config"][0]["opaque"];
    EXPECT_EQ(opaque.ToJson(), R"({"driver":"d"})");
    EXPECT_EQ(from_protobuf->root()["spec"]["devices"]["config"][0]["opaque"].ToJson(), opaque.ToJson());
  }
}

TEST(EncodedObject, OpaquePartsThatAreReadCountForTheDepth) {
  // The parameters stand in six others: the object, spec, devices, config, its element, opaque.
  constexpr size_t kRoom = DocumentBuilder::kDepthMax - 6;
  const std::string fits = ClaimWith(Nested(kRoom));
  const std::string too_deep = ClaimWith(Nested(kRoom + 1));

  EXPECT_TRUE(ReadObject({Encoding::kJson, fits}, ClaimKind()));
  EXPECT_TRUE(ReadObject({Encoding::kProtobuf, ClaimMessageWith(Nested(kRoom))}, ClaimKind()));
  EXPECT_THAT(ReadObject({Encoding::kJson, too_deep}, ClaimKind()).error().message, HasSubstr("deeper than 200"));
  EXPECT_FALSE(ReadObject({Encoding::kProtobuf, ClaimMessageWith(Nested(kRoom + 1))}, ClaimKind()));
}

TEST(EncodedObject, JsonIsReadByTheKindAndMapsWhatTheyHold) {
  constexpr std::string_view kLeftOut[] = {"managedFields"};
  const std::string json =
      R"({"unknown":)" + Nested(300) +
      R"(,"metadata":{"name":"c","managedFields":[{}],"labels":{"managedFields":"x","unknown":"y"}},"status":null})";
  const auto object = ReadObject({Encoding::kJson, json}, ClaimKind(), {.leave_out = kLeftOut});
  ASSERT_TRUE(object) << object.error().message;

  EXPECT_EQ(object->root().ToJson(),
            R"({"metadata":{"name":"c","labels":{"managedFields":"x","unknown":"y"}},"status":null})");
}

TEST(EncodedObject, TheMetadataOfABadOneCanBeRead) {
  const std::string json = R"({"metadata":{"name":"c"},"spec":{"devices":{"config":)" + Nested(300) + "}}}";
  const std::string message = std::string("\x0a\x03\x0a\x01") + "c" + "\x12\x02\x0a\x7f";
  for (const EncodedObject object :
       {EncodedObject{Encoding::kJson, json}, EncodedObject{Encoding::kProtobuf, message}}) {
    EXPECT_FALSE(ReadObject(object, ClaimKind()));
    const auto metadata = ReadMetadata(object, ClaimKind());
    ASSERT_TRUE(metadata) << metadata.error().message;
    EXPECT_EQ(metadata->root()["name"].text(), "c");
  }
}

TEST(CutList, GivesTheItemsOneByOne) {
  const std::string json = R"( {"kind":"ResourceClaimList","apiVersion":"resource.k8s.io/v1",)"
                           R"("metadata":{"resourceVersion":"7","continue":"t"},)"
                           R"("items":[{"metadata":{"name":"a"}} , {"metadata":{"name":"b"}}]})";
  const std::string protobuf = ToProtobuf(ParseJson(json)->root()).value();
  for (const Encoding encoding : {Encoding::kJson, Encoding::kProtobuf}) {
    const auto list = CutList(encoding, encoding == Encoding::kJson ? json : protobuf, ClaimKind());
    ASSERT_TRUE(list) << list.error().message;
    EXPECT_EQ(list->resource_version, "7");
    EXPECT_EQ(list->continue_token, "t");
    ASSERT_EQ(list->items.size(), 2u);
    EXPECT_EQ(ReadObject(list->items[1], ClaimKind())->root()["metadata"]["name"].text(), "b");
  }
  EXPECT_TRUE(CutList(Encoding::kJson, R"({"metadata":{},"items":null})", ClaimKind())->items.empty());
  EXPECT_TRUE(CutList(Encoding::kJson, R"({"metadata":{},"items":[]})", ClaimKind())->items.empty());
}

TEST(CutList, RefusesWhatIsNoList) {
  for (const char* const json :
       {"", "[]", "{}", R"({"metadata":{}})", R"({"items":[]})", R"({"metadata":{},"items":{}})",
        R"({"metadata":{},"items":[{})", R"({"metadata":{},"items":[,]})", R"({"metadata":{},"items":[{},)"}) {
    EXPECT_FALSE(CutList(Encoding::kJson, json, ClaimKind())) << json;
  }
  const std::string other = ToProtobuf(ParseJson(R"({"kind":"PodList","apiVersion":"v1"})")->root()).value();
  EXPECT_THAT(CutList(Encoding::kProtobuf, other, ClaimKind()).error().message,
              "the answer is no ResourceClaimList, but v1 PodList");
  EXPECT_FALSE(CutList(Encoding::kProtobuf, "", ClaimKind()));
}

}  // namespace
}  // namespace berth::api::wire
