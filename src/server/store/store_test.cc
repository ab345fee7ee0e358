// SPDX-License-Identifier: Apache-2.0
#include "server/store/store.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/store/test_objects.h"

namespace berth::server {
namespace {

using Type = Change::Type;

struct StoreWorld {
  Catalog catalog;
  const Resource& pods = catalog.Get("", "pods");
  const Resource& namespaces = catalog.Get("", "namespaces");
};

std::vector<std::string> Keys(const Snapshot& snapshot, std::string_view from = {}) {
  std::vector<std::string> keys;
  snapshot.VisitFrom(from, [&](const ObjectPtr& object) {
    keys.push_back(object->key());
    return true;
  });
  return keys;
}

using Strings = std::vector<std::string>;

TEST(Store, EveryWriteGetsTheNextRevision) {
  StoreWorld world;
  Store store(world.catalog);

  EXPECT_EQ(store.revision(), 0);
  EXPECT_EQ(store.Put(world.pods, TestPod("a", "x"))->revision(), 1);
  EXPECT_EQ(store.Put(world.namespaces, TestNamespace("a"))->revision(), 2);
  const ObjectPtr changed = store.Put(world.pods, TestPod("a", "x", "node-1"));
  EXPECT_EQ(changed->revision(), 3);
  EXPECT_EQ(changed->Tree()["metadata"]["resourceVersion"].text(), "3");
  const ObjectPtr removed = store.Remove(world.pods, changed->Tree());
  EXPECT_EQ(removed->revision(), 4);
  EXPECT_EQ(removed->Tree()["metadata"]["resourceVersion"].text(), "4");
  EXPECT_EQ(store.revision(), 4);
}

TEST(Store, FindsWhatWasPut) {
  StoreWorld world;
  Store store(world.catalog);
  const ObjectPtr pod = store.Put(world.pods, TestPod("a", "x"));
  const ObjectPtr ns = store.Put(world.namespaces, TestNamespace("a"));

  EXPECT_EQ(store.Find(world.pods, "a", "x"), pod);
  EXPECT_EQ(store.Find(world.pods, "b", "x"), nullptr);
  EXPECT_EQ(store.Find(world.namespaces, "", "a"), ns);
  EXPECT_EQ(store.Count(world.pods), 1);
  EXPECT_EQ(store.total_count(), 2);
  store.Remove(world.pods, pod->Tree());
  EXPECT_EQ(store.Find(world.pods, "a", "x"), nullptr);
  EXPECT_EQ(store.total_count(), 1);
}

TEST(Store, ListsByKey) {
  StoreWorld world;
  Store store(world.catalog);
  for (const char* ns : {"b", "a", "a-b"}) {
    for (const char* name : {"y", "x"}) store.Put(world.pods, TestPod(ns, name));
  }

  // As etcd orders them: a hyphen comes before the slash.
  const Snapshot now = *store.StateAt(world.pods, store.revision());
  EXPECT_EQ(Keys(now), (Strings{"a-b/x", "a-b/y", "a/x", "a/y", "b/x", "b/y"}));
  EXPECT_EQ(Keys(now, "a/y"), (Strings{"a/y", "b/x", "b/y"}));
}

TEST(Store, ChangesAreThoseOfTheResourceAfterTheRevision) {
  StoreWorld world;
  Store store(world.catalog);
  store.Put(world.pods, TestPod("a", "x"));
  store.Put(world.namespaces, TestNamespace("a"));
  const ObjectPtr changed = store.Put(world.pods, TestPod("a", "x", "node-1"));
  store.Remove(world.pods, changed->Tree());

  const auto changes = store.ChangesAfter(world.pods, 1);
  ASSERT_TRUE(changes);
  ASSERT_EQ(changes->size(), 2);
  EXPECT_EQ((*changes)[0]->type, Type::kModified);
  EXPECT_EQ((*changes)[0]->object, changed);
  EXPECT_EQ((*changes)[0]->before->revision(), 1);
  EXPECT_EQ((*changes)[1]->type, Type::kDeleted);
  EXPECT_EQ((*changes)[1]->before, changed);
  EXPECT_EQ((*changes)[1]->revision, 4);
  ASSERT_EQ(store.ChangesAfter(world.pods, 1, 1)->size(), 1);
  EXPECT_EQ(store.ChangesAfter(world.pods, 1, 1)->front(), changes->front());
  EXPECT_TRUE(store.ChangesAfter(world.pods, 4)->empty());
  EXPECT_TRUE(store.ChangesAfter(world.namespaces, 2)->empty());
}

TEST(Store, ShowsThePast) {
  StoreWorld world;
  Store store(world.catalog);
  store.Put(world.pods, TestPod("a", "x"));
  store.Put(world.pods, TestPod("a", "y"));
  store.Remove(world.pods, TestPod("a", "x"));
  store.Put(world.pods, TestPod("a", "w"));
  store.Put(world.pods, TestPod("a", "x", "node-1"));

  EXPECT_EQ(Keys(*store.StateAt(world.pods, 0)), Strings{});
  EXPECT_EQ(Keys(*store.StateAt(world.pods, 2)), (Strings{"a/x", "a/y"}));
  EXPECT_EQ(store.StateAt(world.pods, 2)->Find("a/x")->revision(), 1);
  EXPECT_EQ(Keys(*store.StateAt(world.pods, 3)), Strings{"a/y"});
  EXPECT_EQ(store.StateAt(world.pods, 3)->size(), 1);
  EXPECT_EQ(store.StateAt(world.pods, 3)->Find("a/x"), nullptr);
  EXPECT_EQ(Keys(*store.StateAt(world.pods, 5)), (Strings{"a/w", "a/x", "a/y"}));
}

TEST(Store, VisitEndsWhenToldTo) {
  StoreWorld world;
  Store store(world.catalog);
  for (const char* name : {"x", "y", "z"}) store.Put(world.pods, TestPod("a", name));

  Strings seen;
  store.StateAt(world.pods, 2)->VisitFrom("", [&](const ObjectPtr& object) {
    seen.push_back(object->key());
    return seen.size() < 2;
  });
  EXPECT_EQ(seen, (Strings{"a/x", "a/y"}));
}

TEST(Store, ForgetsTheOldestWhenTheHistoryIsFull) {
  StoreWorld world;
  Store store(world.catalog, {.history_bytes_max = 20000});
  store.Put(world.namespaces, TestNamespace("a"));
  for (int i = 0; i < 100; ++i) store.Put(world.pods, TestPod("a", "x", "node-" + std::to_string(i)));

  EXPECT_LE(store.history_bytes(), 20000);
  EXPECT_FALSE(store.ChangesAfter(world.pods, 1));
  EXPECT_FALSE(store.StateAt(world.pods, store.oldest() - 1));
  EXPECT_EQ(store.ChangesAfter(world.pods, store.oldest())->size(),
            static_cast<size_t>(store.revision() - store.oldest()));
  EXPECT_TRUE(store.StateAt(world.pods, store.oldest()));
}

TEST(Store, QuietResourceCanStillBeWatchedWhenOthersForgot) {
  StoreWorld world;
  Store store(world.catalog, {.history_bytes_max = 20000});
  for (int i = 0; i < 100; ++i) store.Put(world.pods, TestPod("a", "x", "node-" + std::to_string(i)));
  store.Put(world.namespaces, TestNamespace("a"));

  EXPECT_FALSE(store.ChangesAfter(world.pods, 0));
  EXPECT_EQ(store.ChangesAfter(world.namespaces, 0)->size(), 1);
}

TEST(Store, ForgetsOnRequest) {
  StoreWorld world;
  Store store(world.catalog);
  for (int i = 0; i < 10; ++i) store.Put(world.pods, TestPod("a", "x", "node-" + std::to_string(i)));

  store.Forget(4);
  EXPECT_EQ(store.oldest(), 4);
  EXPECT_FALSE(store.ChangesAfter(world.pods, 3));
  EXPECT_EQ(store.ChangesAfter(world.pods, 4)->size(), 6);
  store.Forget(100);
  EXPECT_EQ(store.oldest(), 10);
  EXPECT_EQ(store.history_bytes(), 0);
}

TEST(Store, KeepsFramesOfNewChangesOnly) {
  StoreWorld world;
  Store store(world.catalog, {.new_bytes_max = 2000});
  Bytes first;
  for (int i = 0; i < 100; ++i) {
    store.Put(world.pods, TestPod("a", "x", "node-" + std::to_string(i)));
    const Bytes frame = store.ChangesAfter(world.pods, store.revision() - 1)->back()->Frame(Encoding::kProtobuf);
    EXPECT_EQ(frame.use_count(), 2);
    if (i == 0) first = frame;
  }
  EXPECT_EQ(first.use_count(), 1);
}

TEST(Store, KeepsTheTreesOfPresentVersionsThatWereWrittenLast) {
  constexpr size_t kBytes = 2000;  // Of three pods or so.
  StoreWorld world;
  Store store(world.catalog, {.fresh_bytes_max = kBytes});
  const ObjectPtr first = store.Put(world.pods, TestPod("a", "first"));
  const Json* const tree = first->tree().get();
  // What is written again takes no room from others.
  for (size_t i = 0; i < 100; ++i) store.Put(world.pods, TestPod("a", "busy"));
  EXPECT_EQ(first->tree().get(), tree);
  EXPECT_EQ(first->tree().use_count(), 2);

  for (size_t i = 0; i < 10; ++i) store.Put(world.pods, TestPod("a", "other" + std::to_string(i)));
  EXPECT_EQ(first->tree().use_count(), 1);
}

TEST(Store, KeepsNoTreeOfAVersionThatHasItsTextAndASuccessor) {
  StoreWorld world;
  Store store(world.catalog);
  const ObjectPtr first = store.Put(world.pods, TestPod("a", "web"));
  const ObjectPtr other = store.Put(world.pods, TestPod("a", "other"));
  static_cast<void>(first->json());
  store.Put(world.pods, TestPod("a", "web", "node"));
  store.Put(world.pods, TestPod("a", "other", "node"));
  EXPECT_EQ(first->tree().use_count(), 1);

  static_cast<void>(other->json());
  EXPECT_EQ(other->tree().use_count(), 2);
  store.Forget(store.revision());
  EXPECT_EQ(other->tree().use_count(), 1);
}

TEST(Store, TellsAListenersWriteAfterThePresentChangeWasToldToAll) {
  StoreWorld world;
  Store store(world.catalog);
  Strings heard;
  store.Listen([&](const ChangePtr& change) {
    heard.push_back("first " + change->object->key());
    if (change->object->name() == "x") store.Put(world.pods, TestPod("a", "y"));
  });
  store.Listen([&](const ChangePtr& change) {
    heard.push_back("second " + change->object->key());
    if (change->object->name() == "y") store.Put(world.pods, TestPod("a", "z"));
  });

  store.Put(world.pods, TestPod("a", "x"));
  EXPECT_EQ(heard, (Strings{"first a/x", "second a/x", "first a/y", "second a/y", "first a/z", "second a/z"}));
}

TEST(Store, ImportsObjectsInTheirRevisions) {
  StoreWorld world;
  Store store(world.catalog);
  const ObjectPtr pod = store.Put(world.pods, TestPod("a", "x"));
  store.Put(world.pods, TestPod("a", "y"));
  store.Remove(world.pods, TestPod("a", "y"));

  Store restored(world.catalog);
  restored.Import(*StoredObject::FromText(world.pods, *pod->json()));
  restored.ImportRevision(3);

  EXPECT_EQ(restored.revision(), 3);
  EXPECT_EQ(*restored.Find(world.pods, "a", "x")->json(), *pod->json());
  EXPECT_FALSE(restored.ChangesAfter(world.pods, 2));
  EXPECT_TRUE(restored.ChangesAfter(world.pods, 3)->empty());
  EXPECT_EQ(restored.Put(world.pods, TestPod("a", "z"))->revision(), 4);
}

}  // namespace
}  // namespace berth::server
