// SPDX-License-Identifier: Apache-2.0
#include "server/store/stored_object.h"

#include <gtest/gtest.h>

#include "api/wire/protobuf.h"
#include "server/store/test_objects.h"

namespace berth::server {
namespace {

const Catalog& TestCatalog() {
  static const Catalog catalog;
  return catalog;
}
const Resource& Pods() { return TestCatalog().Get("", "pods"); }
const Resource& Namespaces() { return TestCatalog().Get("", "namespaces"); }

Json AtRevision(Json object, std::string_view revision) {
  object.Make({"metadata", "resourceVersion"}) = Json::String(revision);
  return object;
}

TEST(StoredObject, AnswersWhatListsAskOfIt) {
  const StoredObject pod(Pods(), AtRevision(TestPod("default", "web", "node-7"), "5"), 5);

  EXPECT_EQ(pod.key(), "default/web");
  EXPECT_EQ(pod.ns(), "default");
  EXPECT_EQ(pod.name(), "web");
  EXPECT_EQ(pod.uid(), "uid-of-web");
  EXPECT_EQ(pod.revision(), 5);
  EXPECT_EQ(pod.labels().Get("app"), "web");
  EXPECT_EQ(pod.Field("metadata.name"), "web");
  EXPECT_EQ(pod.Field("metadata.namespace"), "default");
  EXPECT_EQ(pod.Field("spec.nodeName"), "node-7");
  EXPECT_EQ(pod.Field("status.phase"), "Pending");
  EXPECT_EQ(pod.Field("status.podIP"), "");
  EXPECT_EQ(pod.Field("spec.unknown"), "");
}

TEST(StoredObject, OfTheClusterHasTheNameAsItsKey) {
  const StoredObject ns(Namespaces(), AtRevision(TestNamespace("default"), "1"), 1);

  EXPECT_EQ(ns.key(), "default");
  EXPECT_EQ(ns.ns(), "");
  EXPECT_EQ(ns.name(), "default");
}

TEST(StoredObject, ProtobufSaysTheSameAsJson) {
  const StoredObject pod(Pods(), AtRevision(TestPod("default", "web"), "5"), 5);

  const Bytes protobuf = pod.protobuf();
  const Result<api::Document> document = api::wire::ParseProtobuf(*protobuf);

  ASSERT_TRUE(document);
  EXPECT_EQ(Json::FromValue(document->root()), pod.Tree());
}

TEST(StoredObject, KeepsItsTreeWhileItIsFreshOrSomebodyHoldsIt) {
  const Json expected = AtRevision(TestPod("default", "web"), "5");
  const StoredObject pod(Pods(), expected, 5);

  TreePtr tree = pod.tree();
  EXPECT_EQ(pod.tree(), tree);
  pod.Rest();
  EXPECT_EQ(pod.tree(), tree);
  EXPECT_EQ(tree.use_count(), 1);

  tree.reset();
  const TreePtr parsed = pod.tree();
  EXPECT_EQ(*parsed, expected);
  EXPECT_EQ(pod.tree(), parsed);
  EXPECT_EQ(parsed.use_count(), 1);
}

TEST(StoredObject, StaysATreeOnceItIsSupersededUnlessItHasItsText) {
  const StoredObject unseen(Pods(), AtRevision(TestPod("default", "web"), "5"), 5);
  const StoredObject seen(Pods(), AtRevision(TestPod("default", "web"), "5"), 5);
  const Bytes text = seen.json();
  for (const StoredObject* const pod : {&unseen, &seen}) {
    pod->Supersede();
    pod->Rest();
  }

  EXPECT_EQ(unseen.tree().use_count(), 2);
  EXPECT_EQ(seen.tree().use_count(), 1);
  EXPECT_EQ(*unseen.json(), *text);
}

TEST(StoredObject, KnowsWhetherItIsOwnedAndMarkedForDeletion) {
  Json tree = AtRevision(TestPod("default", "web"), "5");
  const StoredObject plain(Pods(), tree, 5);
  EXPECT_TRUE(plain.owners().is_null());
  EXPECT_FALSE(plain.is_being_deleted());

  tree.Make("metadata").Set("deletionTimestamp", "2026-01-01T00:00:00Z");
  tree.Make({"metadata", "ownerReferences"}).Append(Json{{"uid", Json::String("u")}});
  const StoredObject marked(Pods(), tree, 5);
  EXPECT_EQ(marked.owners().size(), 1);
  EXPECT_TRUE(marked.is_being_deleted());
}

TEST(StoredObject, KeepsItsProtobufFormOnlyWhileItIsNew) {
  const StoredObject pod(Pods(), AtRevision(TestPod("default", "web"), "5"), 5);

  const Bytes first = pod.protobuf();
  EXPECT_EQ(pod.protobuf(), first);
  pod.Settle();
  EXPECT_EQ(first.use_count(), 1);
  const Bytes second = pod.protobuf();
  EXPECT_EQ(*second, *first);
  EXPECT_EQ(second.use_count(), 1);
}

TEST(StoredObject, ComesBackFromItsText) {
  const StoredObject pod(Pods(), AtRevision(TestPod("default", "web", "node-7"), "5"), 5);

  const Result<ObjectPtr> again = StoredObject::FromText(Pods(), *pod.json());

  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*(*again)->json(), *pod.json());
  EXPECT_EQ((*again)->key(), pod.key());
  EXPECT_EQ((*again)->uid(), pod.uid());
  EXPECT_EQ((*again)->labels(), pod.labels());
  EXPECT_EQ((*again)->revision(), 5);
  EXPECT_EQ((*again)->Field("spec.nodeName"), "node-7");
}

TEST(StoredObject, ComesFromNoOtherText) {
  const StoredObject pod(Pods(), AtRevision(TestPod("default", "web"), "5"), 5);
  const StoredObject unkept(Pods(), TestPod("default", "web"), 0);

  EXPECT_FALSE(StoredObject::FromText(Pods(), ""));
  EXPECT_FALSE(StoredObject::FromText(Pods(), "{}"));
  EXPECT_FALSE(StoredObject::FromText(Pods(), "[]"));
  EXPECT_FALSE(StoredObject::FromText(Namespaces(), *pod.json()));
  EXPECT_FALSE(StoredObject::FromText(Pods(), *unkept.json()));
}

}  // namespace
}  // namespace berth::server
