// SPDX-License-Identifier: Apache-2.0
#include "server/patch/patch.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace berth::server {
namespace {

using enum FieldValidation;
using enum PatchType;

constexpr std::string_view kConfigMap =
    R"({"apiVersion":"v1","data":{"a":"1"},"kind":"ConfigMap","metadata":{"name":"c"}})";

// The object, its warnings behind it, or the code and message of the refusal.
std::string Patch(PatchType type, std::string_view text, FieldValidation validation = kWarn,
                  std::string_view object = kConfigMap) {
  const Json current = ParseTree(object).value();
  const auto* const kind = api::wire::FindKind(current["apiVersion"].text(), current["kind"].text());
  const Outcome<Body> patched = ApplyPatch(type, current, text, *kind, validation);
  if (!patched) return std::to_string(patched.error().code) + " " + patched.error().message;
  std::string shown = patched->object.ToText();
  for (const std::string& warning : patched->warnings) shown += "; " + warning;
  return shown;
}

TEST(Patch, TypesAreMediaTypes) {
  EXPECT_EQ(ParsePatchType("application/json-patch+json"), kJson);
  EXPECT_EQ(ParsePatchType("application/merge-patch+json"), kMerge);
  EXPECT_EQ(ParsePatchType("application/strategic-merge-patch+json"), kStrategic);
  EXPECT_EQ(ParsePatchType("application/json"), std::nullopt);
}

TEST(Patch, AppliesAllTypes) {
  const std::string want = R"({"apiVersion":"v1","data":{"a":"2"},"kind":"ConfigMap","metadata":{"name":"c"}})";

  EXPECT_EQ(Patch(kJson, R"([{"op":"replace","path":"/data/a","value":"2"}])"), want);
  EXPECT_EQ(Patch(kMerge, R"({"data":{"a":"2"}})"), want);
  EXPECT_EQ(Patch(kStrategic, R"({"data":{"a":"2"}})"), want);
  for (const PatchType type : {kJson, kStrategic}) EXPECT_EQ(Patch(type, "null"), kConfigMap);
}

TEST(Patch, BodiesOfTheWrongFormAreBadRequests) {
  for (const PatchType type : {kJson, kMerge, kStrategic}) {
    EXPECT_EQ(Patch(type, "{"), "400 invalid JSON patch");
    EXPECT_EQ(Patch(type, ""), "400 invalid JSON patch");
  }
  EXPECT_EQ(Patch(kJson, "{}"),
            "400 error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp");
  EXPECT_EQ(Patch(kJson, "{}", kIgnore), "400 json: cannot unmarshal object into Go value of type jsonpatch.Patch");
  EXPECT_EQ(
      Patch(kJson, R"([{"op":"add","path":5}])"),
      "400 error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string");
  EXPECT_EQ(Patch(kMerge, "[]"),
            "400 error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}");
  EXPECT_EQ(Patch(kMerge, "null"), "400 Invalid JSON Patch");
  EXPECT_EQ(Patch(kStrategic, "5", kIgnore),
            "400 json: cannot unmarshal number into Go value of type map[string]interface {}");
}

TEST(Patch, StrictnessFindsUnknownAndDuplicateFields) {
  const std::string_view patch = R"({"metadata":{"labels":{"x":"1","x":"2"}},"zz":1})";

  EXPECT_TRUE(Patch(kMerge, patch).ends_with(R"(; duplicate field "metadata.labels.x"; unknown field "zz")"));
  EXPECT_TRUE(Patch(kMerge, patch, kIgnore).ends_with("}"));
  EXPECT_EQ(
      Patch(kStrategic, patch, kStrict),
      R"(422  "" is invalid: patch: Invalid value: "map[metadata:map[labels:map[x:2]] zz:1]": strict decoding error: )"
      R"(duplicate field "metadata.labels.x", unknown field "zz")");
  EXPECT_TRUE(Patch(kJson, R"([{"op":"add","path":"/data/b","value":"1","foo":{"a":1,"a":1}}])")
                  .ends_with(R"(; json patch unknown field "[0].foo")"));
}

TEST(Patch, ShowsTheResultIfItIsNoObject) {
  EXPECT_EQ(Patch(kMerge, R"({"data":{"a":5},"metadata":null})"),
            R"(422  "" is invalid: patch: Invalid value: "{\"apiVersion\":\"v1\",\"data\":{\"a\":5},)"
            R"(\"kind\":\"ConfigMap\"}": )"
            "json: cannot unmarshal number into Go struct field ConfigMap.data of type string");
  EXPECT_EQ(Patch(kMerge, R"({"kind":"Foo","data":null,"metadata":null})"),
            R"(422  "" is invalid: patch: Invalid value: "{\"apiVersion\":\"v1\",\"kind\":\"Foo\"}": )"
            R"(no kind "Foo" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111")");
  EXPECT_EQ(Patch(kMerge, R"({"kind":"Pod","data":null,"metadata":null})"),
            R"(422  "" is invalid: patch: Invalid value: "{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}": )"
            "converting (v1.Pod) to (core.ConfigMap): unknown conversion");
  EXPECT_TRUE(
      Patch(kMerge, "[]", kIgnore)
          .starts_with(R"(422  "" is invalid: patch: Invalid value: "[]": couldn't get version/kind; json parse )"
                       "error: json: cannot unmarshal array into Go value of type struct { APIVersion string"));
  EXPECT_EQ(Patch(kStrategic, R"({"kind":"Foo"})"), kConfigMap);
}

TEST(Patch, StrategicMergesConvertNumbersTheirOwnWay) {
  constexpr std::string_view kScale =
      R"({"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{},"spec":{"replicas":1}})";
  const auto replicas = [&](std::string_view value) {
    return Patch(kStrategic, R"({"spec":{"replicas":)" + std::string(value) + "}}", kWarn, kScale);
  };
  const std::string refused = R"(422  "" is invalid: patch: Invalid value: "map[spec:map[replicas:)";

  EXPECT_NE(replicas("2.0").find(R"("replicas":2})"), std::string::npos);
  EXPECT_NE(replicas("5000000000").find(R"("replicas":705032704})"), std::string::npos);
  EXPECT_EQ(replicas(R"("x")"), refused + R"(x]]": unrecognized type: int32)");
  EXPECT_EQ(replicas("1.5"), refused + R"(1.5]]": cannot convert float64 to int32)");
  EXPECT_EQ(Patch(kStrategic, R"({"data":{"a":5}})"),
            R"(422  "" is invalid: patch: Invalid value: "map[data:map[a:5]]": cannot convert int64 to string)");
  EXPECT_EQ(Patch(kStrategic, R"({"metadata":5})"),
            R"(422  "" is invalid: patch: Invalid value: "map[metadata:5]": cannot restore struct from: int64)");
}

}  // namespace
}  // namespace berth::server
