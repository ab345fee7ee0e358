// SPDX-License-Identifier: Apache-2.0
#include "server/objects/snapshot.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

constexpr std::string_view kDefinition =
    "metadata: {name: things.example.com}\nspec: {group: example.com, scope: Namespaced, names: {plural: things, kind: "
    "Thing}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}";

// Otherwise they would stay in the store, where nobody sees them and nothing deletes them.
TEST(Snapshot, CustomResourcesStayWithTheirDefinition) {
  TestCluster cluster(false);
  cluster.Create("apiextensions.k8s.io", "customresourcedefinitions", kDefinition);
  cluster.Create("example.com", "things", "metadata: {name: t}");
  const Json all = ParseTree(TakeSnapshot(cluster.objects)).value();
  Json part = all;
  std::erase_if(part.Find("items")->mutable_items(),
                [](const Json& item) { return item["kind"].text() == "CustomResourceDefinition"; });
  const Revision before = cluster.store.revision();

  const auto refused = RestoreSnapshot(cluster.objects, part.ToText());

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "it has things.example.com, but not their definition");
  EXPECT_EQ(cluster.store.revision(), before);
  const auto restored = RestoreSnapshot(cluster.objects, all.ToText());
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->removed + restored->created + restored->changed, 0U);
}

}  // namespace
}  // namespace berth::server
