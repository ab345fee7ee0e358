// SPDX-License-Identifier: Apache-2.0
// The recorded pairs of tests/wire check the codec on every kind; here is what a reader relies on in small.
#include "api/wire/protobuf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::api::wire {
namespace {

using testing::HasSubstr;

std::string Encode(std::string_view json) {
  const auto bytes = ToProtobuf(ParseJson(json)->root());
  EXPECT_TRUE(bytes) << bytes.error().message;
  return bytes.value_or("");
}

std::string Decode(std::string_view bytes, const ReadOptions& options = {}) {
  const auto document = ParseProtobuf(bytes, options);
  return document ? document->root().ToJson() : "error: " + document.error().message;
}

std::string EncodeError(std::string_view json) {
  const auto bytes = ToProtobuf(ParseJson(json)->root());
  return bytes ? "no error" : bytes.error().message;
}

// A message of one field inside the envelope of a kind. Lengths must be below 128.
std::string Enveloped(std::string_view api_version, std::string_view kind, std::string_view message) {
  const auto field = [](char tag, std::string_view content) {
    return std::string{tag, static_cast<char>(content.size())} + std::string(content);
  };
  return std::string(kMagic) + field('\x0a', field('\x0a', api_version) + field('\x12', kind)) + field('\x12', message);
}

constexpr const char* kPod =
    R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","creationTimestamp":"2026-01-01T00:00:00Z","labels":{"a":"1",)"
    R"("b":""}},"spec":{"volumes":[{"name":"v","emptyDir":{}}],"containers":[{"name":"c","ports":[{"containerPort":0}],)"
    R"("resources":{"requests":{"cpu":"100m","memory":"1Gi"}},"livenessProbe":{"httpGet":{"port":"http"}}}],)"
    R"("priority":-5},"status":{}})";

TEST(Protobuf, TreeSurvivesTheWayThroughBytes) { EXPECT_EQ(Decode(Encode(kPod)), kPod); }

TEST(Protobuf, SchemasOfCustomResourcesSurviveTheWayThroughBytes) {
  const std::string definition =
      R"({"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","metadata":{},"spec":{"group":"g","names":)"
      R"({"plural":"ps","kind":"P"},"scope":"Cluster","versions":[{"name":"v1","served":true,"storage":true,"schema":)"
      R"({"openAPIV3Schema":{"description":"d","type":"object","default":{"a":[null,1]},"maximum":0,"minimum":-1.5,"maxLength":0,)"
      R"("enum":["a",null,2],"required":["a"],"properties":{"a":{"items":{"type":"string"}},"b":{"items":[{"type":"x"}]},)"
      R"("c":{"additionalProperties":false},"d":{"additionalProperties":{"nullable":true}}},"dependencies":{"e":["f"],"g":{}},)"
      R"("externalDocs":{"url":"u"},"x-kubernetes-preserve-unknown-fields":false,"x-kubernetes-list-map-keys":["k"],)"
      R"("x-kubernetes-validations":[{"rule":"true","reason":"FieldValueInvalid","optionalOldSelf":false}]}}}]},)"
      R"("status":{"conditions":null,"acceptedNames":{"plural":"","kind":""},"storedVersions":null}})";

  EXPECT_EQ(Decode(Encode(definition)), definition);
}

TEST(Protobuf, ZeroValuesAreThereExactlyWhereJsonHasThem) {
  EXPECT_EQ(Decode(Encode(R"({"apiVersion":"v1","kind":"Pod"})")),
            R"({"kind":"Pod","apiVersion":"v1","metadata":{},"spec":{"containers":null},"status":{}})");
}

TEST(Protobuf, ItemsOfListsCarryNoTypeMeta) {
  EXPECT_EQ(
      Decode(Encode(R"({"apiVersion":"v1","kind":"NamespaceList","items":[{"apiVersion":"v1","kind":"Namespace"}]})")),
      R"({"kind":"NamespaceList","apiVersion":"v1","metadata":{},"items":[{"metadata":{},"spec":{},"status":{}}]})");
}

TEST(Protobuf, LeavesOutWhatIsNotWanted) {
  const std::string bytes = Encode(
      R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n","managedFields":[{"manager":"m","fieldsV1":{"f:a":{}}}]}})");
  constexpr std::string_view kLeftOut[] = {"managedFields"};

  EXPECT_THAT(Decode(bytes), HasSubstr(R"("managedFields":[{"manager":"m","fieldsV1":{"f:a":{}}}])"));
  EXPECT_EQ(Decode(bytes, {.leave_out = kLeftOut}),
            R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":"n"},"spec":{},"status":{}})");
}

TEST(Protobuf, SkipsUnknownFields) {
  // Field 100 of Namespace with every wire type.
  const std::string_view message(
      "\xa0\x06\x05\xa2\x06\x01x\xa5\x06\x00\x00\x00\x00\xa1\x06\x00\x00\x00\x00\x00\x00\x00\x00", 23);

  EXPECT_EQ(Decode(Enveloped("v1", "Namespace", message)),
            R"({"kind":"Namespace","apiVersion":"v1","metadata":{},"spec":{},"status":{}})");
}

TEST(Protobuf, TakesMapEntriesInAnyOrderAndTheLastOfEqualKeys) {
  // ConfigMap.data: b=1, a=2, b=3.
  const std::string message =
      "\x12\x06\x0a\x01"
      "b\x12\x01"
      "1"
      "\x12\x06\x0a\x01"
      "a\x12\x01"
      "2"
      "\x12\x06\x0a\x01"
      "b\x12\x01"
      "3";

  EXPECT_THAT(Decode(Enveloped("v1", "ConfigMap", message)), HasSubstr(R"("data":{"a":"2","b":"3"})"));
}

TEST(Protobuf, TakesPackedNumbers) {
  // PodSecurityContext.supplementalGroups is field 4.
  const std::string message = "\x12\x06\x72\x04\x22\x02\x07\x08";

  EXPECT_THAT(Decode(Enveloped("v1", "Pod", message)), HasSubstr(R"("securityContext":{"supplementalGroups":[7,8]})"));
}

TEST(Protobuf, WrongBytesInTextsBecomeReplacementCharacters) {
  const std::string message =
      "\x0a\x07\x0a\x05"
      "a\xff"
      "b\xc3(";

  EXPECT_THAT(Decode(Enveloped("v1", "Namespace", message)), HasSubstr("\"name\":\"a\uFFFDb\uFFFD(\""));
}

TEST(Protobuf, RefusesMalformedBytes) {
  const std::string pod = Encode(kPod);
  EXPECT_THAT(Decode(""), HasSubstr("error: "));
  EXPECT_THAT(Decode("{}"), HasSubstr("error: not an object in protobuf form"));
  EXPECT_THAT(Decode(Enveloped("v1", "Namespace", "\x0a\x7f")), HasSubstr("error: protobuf v1 Namespace: "));
  EXPECT_THAT(Decode(Enveloped("v1", "Namespace", "\x08\x01")), HasSubstr("wrong wire type"));
  EXPECT_THAT(Decode(Enveloped("v1", "Nothing", "")), HasSubstr("no such kind: v1 Nothing"));
  for (size_t size = 0; size + 5 < pod.size(); ++size) {  // The last four bytes are the empty ends of the envelope.
    const auto cut = ParseProtobuf(std::string_view(pod).substr(0, size));
    EXPECT_TRUE(!cut || cut->root().ToJson() != kPod) << size;
  }
}

TEST(Protobuf, ErrorsOfWritingNameTheField) {
  EXPECT_EQ(EncodeError("[]"), "protobuf: no such kind:  ");
  EXPECT_EQ(EncodeError(R"({"apiVersion":"v1","kind":"Pod","spec":[]})"), "spec: expected an object, found a list");
  EXPECT_EQ(EncodeError(R"({"apiVersion":"v1","kind":"Pod","spec":{"containers":[{},{"ports":"x"}]}})"),
            "spec.containers[1].ports: expected a list, found a string");
  EXPECT_EQ(EncodeError(R"({"apiVersion":"v1","kind":"Pod","spec":{"priority":2147483648}})"),
            "spec.priority: 2147483648 is not an integer of this field");
  EXPECT_EQ(EncodeError(R"({"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":1}}})"),
            "metadata.labels.a: expected a string, found a number");
  EXPECT_EQ(EncodeError(R"({"apiVersion":"v1","kind":"Pod","metadata":{"creationTimestamp":"now"}})"),
            "metadata.creationTimestamp: \"now\" is not a time");
  EXPECT_EQ(EncodeError(R"({"apiVersion":"v1","kind":"Secret","data":{"a":"%"}})"), "data.a: not base64");
  EXPECT_THAT(EncodeError(R"({"apiVersion":"v1","kind":"PersistentVolume","spec":{"capacity":{"storage":"x"}}})"),
              HasSubstr("spec.capacity.storage: "));
}

}  // namespace
}  // namespace berth::api::wire
