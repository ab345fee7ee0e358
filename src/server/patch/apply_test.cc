// SPDX-License-Identifier: Apache-2.0
#include "server/patch/apply.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "api/typed/typed.h"

namespace berth::server {
namespace {

constexpr Time kApplyTime{1'700'000'000'000'000'000};

// One object to which managers apply, as in a server.
class Applied {
 public:
  explicit Applied(std::string_view kind)
      : kind_(*api::wire::FindKind("v1", kind)), message_(api::wire::MessageAt(kind_.message)) {}

  // The error; empty if it was applied.
  std::string Apply(std::string_view manager, std::string_view config, bool force = false) {
    Json tree = ParseTree(config).value();
    tree.SetDefault("apiVersion", Json::String("v1"));
    tree.SetDefault("kind", Json::String(kind_.kind));
    auto applied = ApplyConfig(is_new_ ? nullptr : &live_, tree, message_, Options(manager, force));
    if (!applied) {
      error_ = applied.error();
      return error_.message;
    }
    Store(*std::move(applied));
    return {};
  }

  void Update(std::string_view manager, std::string_view object) {
    Json tree = ParseTree(object).value();
    EXPECT_TRUE(Canonicalize(tree, message_));
    TrackUpdate(is_new_ ? nullptr : &live_, tree, message_, Options(manager, false));
    Store(std::move(tree));
  }

  void Clear() { live_.Make("metadata").Erase("managedFields"); }

  const Json& live() const { return live_; }
  const StatusError& error() const { return error_; }
  // The fields of a manager that applies.
  std::string Owned(std::string_view manager, std::string_view operation = "Apply") const {
    for (const Json& entry : live_["metadata"]["managedFields"].items()) {
      if (entry["manager"].text() == manager && entry["operation"].text() == operation)
        return entry["fieldsV1"].ToText();
    }
    return "none";
  }

 private:
  FieldManagerOptions Options(std::string_view manager, bool force) const {
    return {.manager = manager,
            .api_version = "v1",
            .kind = kind_.kind,
            .subresource = {},
            .now = kApplyTime,
            .force = force};
  }

  void Store(Json object) {
    EXPECT_TRUE(Canonicalize(object, message_));
    object.Make("metadata").Set("uid", "u");
    live_ = std::move(object);
    is_new_ = false;
  }

  const api::wire::Kind& kind_;
  const api::wire::Message& message_;
  bool is_new_ = true;
  Json live_;
  StatusError error_;
};

TEST(ApplyConfig, CreatesAndOwnsWhatItNames) {
  Applied target("ConfigMap");

  EXPECT_EQ(target.Apply("m", R"({"metadata":{"name":"x","labels":{"l":"1"}},"data":{"a":"1"}})"), "");

  EXPECT_EQ(target.live()["data"].ToText(), R"({"a":"1"})");
  EXPECT_EQ(target.Owned("m"), R"({"f:data":{"f:a":{}},"f:metadata":{"f:labels":{"f:l":{}}}})");
}

TEST(ApplyConfig, ApplyingTheSameTwiceChangesNothing) {
  Applied target("ConfigMap");
  target.Apply("m", R"({"metadata":{"name":"x"},"data":{"a":"1"}})");
  const Json before = target.live();

  EXPECT_EQ(target.Apply("m", R"({"metadata":{"name":"x"},"data":{"a":"1"}})"), "");

  EXPECT_EQ(target.live(), before);
}

TEST(ApplyConfig, TakingAFieldOfAnotherIsAConflict) {
  Applied target("ConfigMap");
  target.Update("kubectl", R"({"metadata":{"name":"x"},"data":{"a":"1","b":"1"}})");

  EXPECT_EQ(target.Apply("m", R"({"data":{"a":"2"}})"),
            R"(Apply failed with 1 conflict: conflict with "kubectl" using v1: .data.a)");
  EXPECT_EQ(target.error().code, 409);
  EXPECT_EQ(target.error().reason, "Conflict");
  ASSERT_EQ(target.error().causes.size(), 1u);
  EXPECT_EQ(target.error().causes[0].reason, "FieldManagerConflict");
  EXPECT_EQ(target.error().causes[0].message, R"(conflict with "kubectl" using v1)");
  EXPECT_EQ(target.error().causes[0].field, ".data.a");
  EXPECT_EQ(target.Apply("m", R"({"data":{"a":"2","b":"2"}})"),
            "Apply failed with 2 conflicts: conflicts with \"kubectl\" using v1:\n- .data.a\n- .data.b");
}

TEST(ApplyConfig, ForceTakesTheField) {
  Applied target("ConfigMap");
  target.Apply("a", R"({"metadata":{"name":"x"},"data":{"a":"1","b":"1"}})");

  EXPECT_EQ(target.Apply("b", R"({"data":{"a":"2"}})", true), "");

  EXPECT_EQ(target.live()["data"].ToText(), R"({"a":"2","b":"1"})");
  EXPECT_EQ(target.Owned("a"), R"({"f:data":{"f:b":{}}})");
  EXPECT_EQ(target.Owned("b"), R"({"f:data":{"f:a":{}}})");
}

TEST(ApplyConfig, TheSameValueIsOwnedByBoth) {
  Applied target("ConfigMap");
  target.Apply("a", R"({"metadata":{"name":"x"},"data":{"a":"1"}})");

  EXPECT_EQ(target.Apply("b", R"({"data":{"a":"1"}})"), "");
  EXPECT_EQ(target.Owned("a"), target.Owned("b"));

  EXPECT_EQ(target.Apply("a", R"({"metadata":{"name":"x"}})"), "");
  EXPECT_EQ(target.live()["data"].ToText(), R"({"a":"1"})");
}

TEST(ApplyConfig, WhatItsOnlyOwnerDropsGoes) {
  Applied target("ConfigMap");
  target.Apply("m", R"({"metadata":{"name":"x","labels":{"l":"1"}},"data":{"a":"1","b":"1"}})");

  EXPECT_EQ(target.Apply("m", R"({"metadata":{"name":"x"},"data":{"b":"1"}})"), "");

  EXPECT_EQ(target.live()["data"].ToText(), R"({"b":"1"})");
  EXPECT_FALSE(target.live()["metadata"].Has("labels"));
}

TEST(ApplyConfig, ListsMergeByTheirKeys) {
  Applied target("Pod");
  target.Apply("a", R"({"metadata":{"name":"x"},"spec":{"containers":[{"name":"c","image":"i","ports":[
    {"containerPort":80},{"containerPort":81}]}],"tolerations":[{"key":"a"}]}})");

  EXPECT_EQ(target.Apply("b", R"({"spec":{"containers":[{"name":"d","image":"j"},{"name":"c","ports":[
    {"containerPort":80,"protocol":"TCP","name":"web"}]}]}})"),
            "");

  EXPECT_EQ(target.live()["spec"]["containers"].ToText(),
            R"([{"image":"j","name":"d","resources":{}},{"image":"i","name":"c","ports":[{"containerPort":80,)"
            R"("name":"web","protocol":"TCP"},{"containerPort":81}],"resources":{}}])");
  EXPECT_EQ(target.Apply("b", R"({"spec":{"tolerations":[{"key":"b"}]}})"),
            R"(Apply failed with 1 conflict: conflict with "a": .spec.tolerations)");
}

TEST(ApplyConfig, SetsKeepTheItemsOfOthers) {
  Applied target("ConfigMap");
  target.Apply("a", R"({"metadata":{"name":"x","finalizers":["a","b"]}})");

  EXPECT_EQ(target.Apply("b", R"({"metadata":{"finalizers":["c","b"]}})"), "");
  EXPECT_EQ(target.live()["metadata"]["finalizers"].ToText(), R"(["a","c","b"])");

  EXPECT_EQ(target.Apply("a", R"({"metadata":{"name":"x"}})"), "");
  EXPECT_EQ(target.live()["metadata"]["finalizers"].ToText(), R"(["c","b"])");
}

TEST(ApplyConfig, FieldsThatWereNeverTrackedHaveAnOwnerToo) {
  Applied target("ConfigMap");
  target.Update("m", R"({"metadata":{"name":"x"},"data":{"a":"1"}})");
  target.Clear();

  EXPECT_EQ(target.Apply("m", R"({"data":{"a":"2"}})"),
            R"(Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.a)");
}

TEST(ApplyConfig, KubectlTakesOverWhatItAppliedOnTheClientsSide) {
  Applied target("ConfigMap");
  target.Update("kubectl-client-side-apply", R"({"metadata":{"name":"x","annotations":{
    "kubectl.kubernetes.io/last-applied-configuration":"{\"apiVersion\":\"v1\",\"data\":{\"a\":\"1\"}}"}},
    "data":{"a":"1","b":"1"}})");

  EXPECT_EQ(target.Apply("other", R"({"data":{"a":"2"}})"),
            R"(Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.a)");
  EXPECT_EQ(target.Apply("kubectl", R"({"data":{"a":"2","b":"2"}})"),
            R"(Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.b)");
  EXPECT_EQ(target.Apply("kubectl", R"({"data":{"a":"2"}})"), "");
  EXPECT_EQ(target.live()["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"].text(),
            "{\"apiVersion\":\"v1\",\"data\":{\"a\":\"2\"},\"kind\":\"ConfigMap\"}\n");
}

TEST(ApplyConfig, ConfigurationsThatDoNotFitAreRefused) {
  struct Case {
    std::string_view config;
    int code;
    std::string_view message;
  };
  constexpr std::string_view kPrefix = "failed to create typed patch object (/x; /v1, Kind=Pod): ";
  const Case cases[] = {
      {R"({"kind":"Node"})", 400, "invalid object type: /v1, Kind=Node"},
      {R"({"metadata":{"name":"x","managedFields":[]}})", 400, "metadata.managedFields must be nil"},
      {R"({"metadata":{"name":"x"},"speck":{}})", 500, ".speck: field not declared in schema"},
      {R"({"metadata":{"name":"x"},"spec":{"containers":[{"name":"a"},{"name":"a"}]}})", 500,
       R"(.spec.containers: duplicate entries for key [name="a"])"},
      {R"({"metadata":{"name":"x"},"spec":{"nodeName":5}})", 500,
       ".spec.nodeName: expected string, got &value.valueUnstructured{Value:5}"},
      {R"({"metadata":{"name":"x"},"spec":{"priority":"5","containers":{}}})", 500,
       "errors:\n  .spec.containers: expected list, got &{map[]}\n"
       "  .spec.priority: expected numeric (int or float), got string"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.config);
    Applied target("Pod");
    const std::string error = target.Apply("m", each.config);
    EXPECT_EQ(error, each.code == 500 ? fmt::format("{}{}", kPrefix, each.message) : each.message);
    EXPECT_EQ(target.error().code, each.code);
  }
}

TEST(ApplyConfig, ValuesThatCannotBeConvertedAreRefusedLast) {
  Applied target("Pod");
  EXPECT_EQ(target.Apply("m", R"({"metadata":{"name":"x"},"spec":{"containers":[{"name":"c","resources":{
    "requests":{"cpu":"much"}}}]}})"),
            "failed to convert new object (/x; /v1, Kind=Pod) to proper version: unable to convert unstructured object "
            "to /v1, Kind=Pod: quantities must match the regular expression "
            "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  EXPECT_EQ(target.error().code, 500);
}

TEST(ReadConfig, TakesMapsAlone) {
  EXPECT_EQ(ReadConfig("a: [1]")->ToText(), R"({"a":[1]})");
  EXPECT_EQ(ReadConfig("")->ToText(), "{}");
  EXPECT_EQ(ReadConfig("a: [").error().code, 400);
  EXPECT_EQ(ReadConfig("[]").error().message,
            "error decoding patch: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go "
            "value of type map[string]interface {}");
}

}  // namespace
}  // namespace berth::server
