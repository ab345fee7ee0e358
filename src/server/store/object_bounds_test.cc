// SPDX-License-Identifier: Apache-2.0
#include "server/store/object_bounds.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

constexpr std::string_view kClaim =
    "metadata: {name: claim}\n"
    "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: c}}], "
    "config: [{opaque: {driver: d.example.com, parameters: {}}}]}}";

Json Nested(size_t levels) {
  Json value = Json::MakeMap();
  for (size_t i = 1; i < levels; ++i) value = Json{{"a", std::move(value)}};
  return value;
}

// A claim with parameters of so many levels.
Json Claim(const TestCluster& cluster, size_t levels) {
  Json claim = TestCluster::Parse(cluster.Get("resource.k8s.io", "resourceclaims"), kClaim);
  Json& config = claim.Make({"spec", "devices", "config"}).mutable_items().front();
  config.Make({"opaque", "parameters"}) = Nested(levels);
  return claim;
}

size_t LevelsOf(const Json& value) { return SizeOf(value).levels; }

TEST(ObjectBounds, WhatIsStoredCanBeRead) {
  TestCluster cluster(false);
  const Resource& claims = cluster.Get("resource.k8s.io", "resourceclaims");
  size_t stored = 0;
  for (size_t levels = 170; levels < 200; ++levels) {
    SCOPED_TRACE(levels);
    const Outcome<ObjectPtr> created =
        cluster.objects.Create(claims, "default", Claim(cluster, levels), {.manager = "m"});
    if (!created) {
      EXPECT_EQ(created.error().code, 400);
      EXPECT_NE(created.error().message.find("nested too deeply"), std::string::npos) << created.error().message;
      continue;
    }
    ++stored;
    const Result<ObjectPtr> read = StoredObject::FromText(claims, *(*created)->json());
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_LE(LevelsOf((*read)->Tree()), kObjectLevelsMax);
    EXPECT_FALSE((*read)->protobuf()->empty());
    cluster.Delete("resource.k8s.io", "resourceclaims", "claim");
  }
  EXPECT_GT(stored, 0U);
  EXPECT_LT(stored, 30U);
}

TEST(ObjectBounds, AnUpdateThatIsTooDeepIsRefused) {
  TestCluster cluster(false);
  const Resource& claims = cluster.Get("resource.k8s.io", "resourceclaims");
  ASSERT_TRUE(cluster.objects.Create(claims, "default", Claim(cluster, 1), {}));
  const auto written = cluster.objects.Update(claims, "default", "claim", {}, [](const Json& current) -> Outcome<Json> {
    Json changed = current;
    changed.Make({"metadata", "annotations"}).Set("deep", Nested(kObjectLevelsMax));
    return changed;
  });
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, 400);
}

TEST(ObjectBounds, LevelsBytesAndNamesEndWhereTheyAreSaidTo) {
  const Catalog catalog;
  const Resource& roles = catalog.Get("rbac.authorization.k8s.io", "clusterroles");
  const auto check = [&](const Json& object) {
    const Outcome<void> checked = CheckBounds(roles, object);
    return checked ? 0 : checked.error().code;
  };
  EXPECT_EQ(check(Nested(kObjectLevelsMax)), 0);
  EXPECT_EQ(check(Nested(kObjectLevelsMax + 1)), 400);

  const auto large = [](size_t bytes) { return Json{{"a", Json::String(std::string(bytes, 'x'))}}; };
  const size_t rest = large(0).ToText().size();
  EXPECT_EQ(check(large(kObjectBytesMax - rest)), 0);
  EXPECT_EQ(check(large(kObjectBytesMax - rest + 1)), 413);

  const auto named = [](size_t bytes) {
    return Json{{"metadata", Json{{"name", Json::String(std::string(bytes, 'x'))}}}};
  };
  EXPECT_EQ(check(named(kObjectKeyBytesMax)), 0);
  EXPECT_EQ(check(named(kObjectKeyBytesMax + 1)), 422);
}

TEST(ObjectBounds, ObjectsOfADumpAreWithinThemToo) {
  TestCluster cluster(false);
  const Resource& roles = cluster.Get("rbac.authorization.k8s.io", "clusterroles");
  const auto restore = [&](const std::string& name) {
    const Outcome<void> restored =
        cluster.objects.Restore(roles, TestCluster::Parse(roles, "metadata: {name: \"" + name + "\"}"));
    return restored ? 0 : restored.error().code;
  };
  EXPECT_EQ(restore("a:b"), 0);
  EXPECT_EQ(restore("a/b"), 422);
  EXPECT_EQ(restore(""), 422);
  EXPECT_EQ(restore(std::string(70'000, 'x')), 422);
}

}  // namespace
}  // namespace berth::server
