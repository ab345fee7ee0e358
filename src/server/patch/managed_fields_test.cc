// SPDX-License-Identifier: Apache-2.0
#include "server/patch/managed_fields.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "api/typed/typed.h"

namespace berth::server {
namespace {

constexpr Time kNow{1'700'000'000'000'000'000};
constexpr std::string_view kNowText = "2023-11-14T22:13:20Z";

const api::wire::Message& MessageOf(std::string_view kind) {
  return api::wire::MessageAt(api::wire::FindKind("v1", kind)->message);
}

Json Object(std::string_view kind, std::string_view text) {
  Json object = ParseTree(text).value();
  EXPECT_TRUE(Canonicalize(object, MessageOf(kind)));
  return object;
}

// A config map with a uid, as one from the store.
Json ConfigMap(std::string_view data) {
  return Object("ConfigMap", fmt::format(R"({{"metadata":{{"name":"x","uid":"u"}},"data":{}}})", data));
}

Json Track(const Json* old, Json object, std::string_view manager, std::string_view subresource = {}) {
  TrackUpdate(old, object, MessageOf("ConfigMap"),
              {.manager = manager, .api_version = "v1", .kind = "ConfigMap", .subresource = subresource, .now = kNow});
  return object;
}

// `manager/operation fields` of all entries.
std::string Owners(const Json& object) {
  std::string text;
  for (const Json& entry : object["metadata"]["managedFields"].items()) {
    text += fmt::format("{}/{} {}\n", entry["manager"].text(), entry["operation"].text(), entry["fieldsV1"].ToText());
  }
  return text;
}

TEST(ManagerName, IsTheProgramOfTheUserAgentUnlessItIsGiven) {
  EXPECT_EQ(ManagerName("me", "kubectl/v1.37 (linux)"), "me");
  EXPECT_EQ(ManagerName("", "kubectl/v1.37 (linux)"), "kubectl");
  EXPECT_EQ(ManagerName("", "a\tb\x01"), "ab");
  EXPECT_EQ(ManagerName("", std::string(200, 'x')).size(), 128u);
}

TEST(TrackUpdate, ANewObjectBelongsToItsCreator) {
  Json pod = Object("Pod", R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"x","labels":{"a":"b"}},
    "spec":{"containers":[{"name":"c","image":"i","ports":[{"containerPort":80,"protocol":"TCP"}]}],
    "tolerations":[{"key":"k"}],"securityContext":{}},"status":{"phase":"Pending"}})");
  const FieldSet status = FieldSet::OfNames({{"status"}});

  TrackUpdate(nullptr, pod, MessageOf("Pod"),
              {.manager = "m", .api_version = "v1", .kind = "Pod", .subresource = {}, .now = kNow, .reset = &status});

  const Json& entry = pod["metadata"]["managedFields"][size_t{0}];
  EXPECT_EQ(entry["time"].text(), kNowText);
  EXPECT_EQ(entry["fieldsType"].text(), "FieldsV1");
  EXPECT_FALSE(entry.Has("subresource"));
  EXPECT_EQ(entry["fieldsV1"].ToText(),
            R"({"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":)"
            R"({".":{},"f:image":{},"f:name":{},"f:ports":{".":{},"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":)"
            R"({".":{},"f:containerPort":{},"f:protocol":{}}},"f:resources":{}}},"f:securityContext":{},)"
            R"("f:tolerations":{}}})");
}

TEST(TrackUpdate, WhoeverChangesAFieldOwnsItAlone) {
  const Json first = Track(nullptr, ConfigMap(R"({"a":"1","b":"1"})"), "alice");
  Json changed = first;
  changed.Make("data").Set("b", "2");

  const Json second = Track(&first, changed, "bob");

  EXPECT_EQ(Owners(second),
            "alice/Update {\"f:data\":{\".\":{},\"f:a\":{}}}\n"
            "bob/Update {\"f:data\":{\"f:b\":{}}}\n");
}

TEST(TrackUpdate, AFieldThatGoesHasNoOwner) {
  const Json first = Track(nullptr, ConfigMap(R"({"a":"1","b":"1"})"), "alice");
  Json changed = first;
  changed.Make("data").Erase("b");

  EXPECT_EQ(Owners(Track(&first, changed, "bob")), "alice/Update {\"f:data\":{\".\":{},\"f:a\":{}}}\n");
}

TEST(TrackUpdate, AWriteThatChangesNothingChangesNoEntry) {
  const Json first = Track(nullptr, ConfigMap(R"({"a":"1"})"), "alice");
  Json without = first;
  without.Make("metadata").Erase("managedFields");

  EXPECT_EQ(Track(&first, first, "bob"), first);
  EXPECT_EQ(Track(&first, without, "bob"), first);
}

TEST(TrackUpdate, SubresourcesHaveEntriesOfTheirOwn) {
  const Json first = Track(nullptr, ConfigMap(R"({"a":"1"})"), "alice");
  Json changed = first;
  changed.Make("data").Set("b", "2");

  const Json second = Track(&first, changed, "alice", "status");

  EXPECT_EQ(second["metadata"]["managedFields"].size(), 2u);
  EXPECT_EQ(second["metadata"]["managedFields"][size_t{1}]["subresource"].text(), "status");
}

TEST(TrackUpdate, OneEmptyEntryClearsAllAndEndsTheTracking) {
  const Json first = Track(nullptr, ConfigMap(R"({"a":"1"})"), "alice");
  Json cleared = first;
  cleared.Make({"metadata", "managedFields"}) = Json::MakeList({Json::MakeMap()});

  const Json second = Track(&first, cleared, "bob");
  EXPECT_FALSE(second["metadata"].Has("managedFields"));

  Json changed = second;
  changed.Make("data").Set("a", "2");
  EXPECT_FALSE(Track(&second, changed, "bob")["metadata"].Has("managedFields"));
}

TEST(TrackUpdate, AnEmptyListClearsToo) {
  Json object = ParseTree(R"({"metadata":{"name":"x","managedFields":[]}})").value();

  MarkCleared(object);

  EXPECT_EQ(object["metadata"]["managedFields"].ToText(), "[{}]");
}

TEST(TrackUpdate, EntriesOfAnotherGroupAreForgotten) {
  Json first = Track(nullptr, ConfigMap(R"({"a":"1"})"), "alice");
  first.Make("metadata").Make("managedFields").mutable_items()[0].Set("apiVersion", "apps/v1");
  Json changed = first;
  changed.Make("data").Set("b", "2");

  EXPECT_EQ(Owners(Track(&first, changed, "bob")), "bob/Update {\"f:data\":{\"f:b\":{}}}\n");
}

TEST(TrackUpdate, WritesToScaleHaveNoTime) {
  const Json object = Track(nullptr, ConfigMap(R"({"a":"1"})"), "alice", "scale");

  EXPECT_FALSE(object["metadata"]["managedFields"][size_t{0}].Has("time"));
}

TEST(TrackUpdate, InvalidEntriesAreIgnored) {
  const Json first = Track(nullptr, ConfigMap(R"({"a":"1"})"), "alice");
  Json spoiled = first;
  spoiled.Make("metadata").Make("managedFields").mutable_items()[0].Set("operation", "Else");

  EXPECT_EQ(Track(&first, spoiled, "bob"), first);
}

TEST(TrackUpdate, TheOldestOfManyUpdatersAreMerged) {
  Json object = Track(nullptr, ConfigMap(R"({"a":"1"})"), "m0");
  for (int i = 1; i < 12; ++i) {
    Json changed = object;
    changed.Make("data").Set(fmt::format("k{}", i), "1");
    TrackUpdate(&object, changed, MessageOf("ConfigMap"),
                {.manager = fmt::format("m{}", i),
                 .api_version = "v1",
                 .kind = "ConfigMap",
                 .subresource = {},
                 .now = kNow + Seconds(i)});
    object = std::move(changed);
  }

  const Json& entries = object["metadata"]["managedFields"];
  EXPECT_EQ(entries.size(), 10u);
  EXPECT_EQ(entries[size_t{0}]["manager"].text(), "ancient-changes");
  EXPECT_EQ(entries[size_t{0}]["fieldsV1"].ToText(), R"({"f:data":{".":{},"f:a":{},"f:k1":{},"f:k2":{}}})");
  EXPECT_EQ(entries[size_t{1}]["manager"].text(), "m3");
}

TEST(KeepTimesIfSame, TakesTimesBackOnlyIfTheyAreAllThatChanged) {
  const Json old = Track(nullptr, ConfigMap(R"({"a":"1"})"), "alice");
  Json later = old;
  later.Make("metadata").Make("managedFields").mutable_items()[0].Set("time", "2030-01-01T00:00:00Z");
  Json changed = later;
  changed.Make("data").Set("a", "2");
  const Json kept = changed;

  KeepTimesIfSame(old, later);
  KeepTimesIfSame(old, changed);

  EXPECT_EQ(later, old);
  EXPECT_EQ(changed, kept);
}

}  // namespace
}  // namespace berth::server
