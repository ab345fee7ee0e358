// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/pod_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/store/test_objects.h"

namespace berth::server {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ObjectPtr IndexedPod(std::string_view name, std::string_view node, std::string_view owner) {
  static const Catalog catalog;
  Json pod = TestPod("default", name, node);
  if (!owner.empty()) {
    pod.Make({"metadata", "ownerReferences"})
        .Append(Json{{"kind", Json::String("ReplicaSet")},
                     {"name", Json::String("web")},
                     {"uid", Json::String(owner)},
                     {"controller", Json::Bool(true)}});
  }
  return std::make_shared<StoredObject>(catalog.Get("", "pods"), pod, 1);
}

TEST(PodIndex, FollowsPodsFromOwnerToOwnerAndToTheirNode) {
  PodIndex index;
  index.Put(IndexedPod("a", "", ""));
  EXPECT_THAT(index.OfOwner(""), ElementsAre("default/a"));

  index.Put(IndexedPod("a", "node-1", "u"));

  EXPECT_THAT(index.OfOwner(""), IsEmpty());
  EXPECT_THAT(index.OfOwner("u"), ElementsAre("default/a"));
  EXPECT_THAT(index.OnNode("node-1"), ElementsAre("default/a"));
  EXPECT_EQ(index.Find("default/a")->owner_kind, "ReplicaSet");
}

TEST(PodIndex, FindsEveryPodUntilItIsRemoved) {
  PodIndex index;
  const ObjectPtr a = IndexedPod("a", "node-1", "u");
  index.Put(a);
  index.Put(IndexedPod("b", "", ""));
  EXPECT_EQ(index.Find("default/a")->object, a);
  EXPECT_EQ(index.Find("default/b")->node, "");

  index.Put(a);
  index.Remove(*a);

  EXPECT_EQ(index.Find("default/a"), nullptr);
  EXPECT_THAT(index.OfOwner("u"), IsEmpty());
  EXPECT_THAT(index.OnNode("node-1"), IsEmpty());
  EXPECT_EQ(index.all().size(), 1);
}

}  // namespace
}  // namespace berth::server
