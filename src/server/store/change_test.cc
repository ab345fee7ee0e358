// SPDX-License-Identifier: Apache-2.0
#include "server/store/change.h"

#include <gtest/gtest.h>

#include "server/store/store.h"
#include "server/store/test_objects.h"

namespace berth::server {
namespace {

using Type = Change::Type;

struct ChangeWorld {
  Catalog catalog;
  const Resource& pods = catalog.Get("", "pods");
  Store store{catalog};

  ChangePtr Last() { return store.ChangesAfter(pods, store.revision() - 1)->back(); }
};

struct ReadEvent {
  api::wire::WatchEvent::Type type{};
  Json object;
};

// What a client reads from the frame of a pod.
ReadEvent Read(Encoding encoding, std::string_view frame) {
  api::wire::WatchStream stream(encoding);
  stream.Feed(frame);
  const auto next = stream.Next();
  if (!next || !*next) {
    ADD_FAILURE() << "no whole frame";
    return {};
  }
  const auto event = api::wire::CutWatchFrame(encoding, **next);
  if (!event) {
    ADD_FAILURE() << event.error().message;
    return {};
  }
  const auto object = api::wire::ReadObject(event->object, *api::wire::FindKind("v1", "Pod"));
  if (!object) {
    ADD_FAILURE() << object.error().message;
    return {};
  }
  EXPECT_TRUE(stream.Next() && !*stream.Next() && !stream.has_partial());
  return {event->type, Json::FromValue(object->root())};
}

TEST(Change, FrameIsReadByClientsInBothEncodings) {
  ChangeWorld world;
  const ObjectPtr pod = world.store.Put(world.pods, TestPod("default", "web"));

  EXPECT_EQ(*world.Last()->Frame(Encoding::kJson), R"({"type":"ADDED","object":)" + *pod->json() + "}\n");
  for (const Encoding encoding : {Encoding::kJson, Encoding::kProtobuf}) {
    const ReadEvent event = Read(encoding, *world.Last()->Frame(encoding));
    EXPECT_EQ(event.type, api::wire::WatchEvent::Type::kAdded);
    EXPECT_EQ(event.object, pod->Tree());
  }
}

TEST(Change, FrameOfALargeObjectIsWhole) {
  for (const size_t size : {100, 127, 128, 16383, 16384, 300000}) {
    Json pod = TestPod("default", "web");
    pod.Make({"metadata", "annotations", "filler"}) = Json::String(std::string(size, 'x'));
    ChangeWorld world;
    const ObjectPtr stored = world.store.Put(world.pods, pod);

    const ReadEvent event = Read(Encoding::kProtobuf, *world.Last()->Frame(Encoding::kProtobuf));
    EXPECT_EQ(event.object, stored->Tree());
  }
}

TEST(Change, FrameIsEncodedOnceForAllWatchers) {
  ChangeWorld world;
  world.store.Put(world.pods, TestPod("default", "web"));

  const ChangePtr change = world.Last();
  for (const Encoding encoding : {Encoding::kJson, Encoding::kProtobuf}) {
    EXPECT_EQ(change->Frame(encoding), change->Frame(encoding));
  }
}

TEST(Change, FrameIsMadeAgainWhenTheChangeIsOld) {
  ChangeWorld world;
  world.store.Put(world.pods, TestPod("default", "web"));
  const ChangePtr change = world.Last();
  const Bytes frame = change->Frame(Encoding::kJson);

  change->Settle();
  EXPECT_EQ(frame.use_count(), 1);
  EXPECT_EQ(*change->Frame(Encoding::kJson), *frame);
  EXPECT_EQ(change->Frame(Encoding::kJson).use_count(), 1);
}

TEST(Change, ObjectThatComesIntoSightIsAdded) {
  ChangeWorld world;
  world.store.Put(world.pods, TestPod("default", "web"));
  const ObjectPtr bound = world.store.Put(world.pods, TestPod("default", "web", "node-1"));

  const ChangePtr change = world.Last();
  EXPECT_EQ(change->type, Type::kModified);
  EXPECT_EQ(change->Shown(Type::kAdded), bound);
  EXPECT_EQ(*change->Frame(Encoding::kJson, Type::kAdded), R"({"type":"ADDED","object":)" + *bound->json() + "}\n");
}

TEST(Change, ObjectThatGoesOutOfSightIsDeletedAsItWasBeforeInTheNewRevision) {
  ChangeWorld world;
  world.store.Put(world.pods, TestPod("default", "web", "node-1", "Running"));
  world.store.Put(world.pods, TestPod("default", "web", "node-1", "Succeeded"));

  const ChangePtr change = world.Last();
  for (const bool is_old : {false, true}) {
    if (is_old) change->Settle();
    for (const Encoding encoding : {Encoding::kJson, Encoding::kProtobuf}) {
      const ReadEvent event = Read(encoding, *change->Frame(encoding, Type::kDeleted));
      const Json object = event.object;
      EXPECT_EQ(event.type, api::wire::WatchEvent::Type::kDeleted);
      EXPECT_EQ(object["status"]["phase"].text(), "Running");
      EXPECT_EQ(object["metadata"]["resourceVersion"].text(), "2");
    }
  }
}

}  // namespace
}  // namespace berth::server
