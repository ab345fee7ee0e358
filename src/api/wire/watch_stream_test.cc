// SPDX-License-Identifier: Apache-2.0
#include "api/wire/watch_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "api/wire/protobuf.h"

namespace berth::api::wire {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kNamespace =
    R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":"n"},"spec":{},"status":{}})";

std::string Framed(std::string_view frame) {
  const size_t size = frame.size();
  return std::string{static_cast<char>(size >> 24), static_cast<char>(size >> 16), static_cast<char>(size >> 8),
                     static_cast<char>(size)} +
         std::string(frame);
}

// A field of a message. Its length must be below 128.
std::string Field(char tag, std::string_view content) {
  return std::string{tag, static_cast<char>(content.size())} + std::string(content);
}

std::string ProtobufEvent(std::string_view type, std::string_view json) {
  const std::string object = *ToProtobuf(ParseJson(json)->root());
  return Field('\x0a', type) + Field('\x12', Field('\x0a', object));
}

// Feeds in pieces of `piece` bytes; the frames, or "error" where one was refused.
std::vector<std::string> Frames(WatchStream& stream, std::string_view bytes, size_t piece) {
  std::vector<std::string> frames;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    stream.Feed(bytes.substr(0, piece));
    while (true) {
      const auto frame = stream.Next();
      if (!frame) return frames.emplace_back("error"), frames;
      if (!*frame) break;
      frames.emplace_back(**frame);
    }
  }
  return frames;
}

TEST(WatchStream, CutsJsonObjectsHoweverTheyArrive) {
  const std::string_view bytes = "{\"a\":{\"}\":\"{\\\"\"}}\n{}{\"b\":[{}]}\r\n \n{\"c\"";
  for (const size_t piece : {1u, 2u, 3u, 7u, 100u}) {
    SCOPED_TRACE(piece);
    WatchStream stream(Encoding::kJson);

    EXPECT_THAT(Frames(stream, bytes, piece), ElementsAre("{\"a\":{\"}\":\"{\\\"\"}}", "{}", "{\"b\":[{}]}"));
    EXPECT_TRUE(stream.has_partial());
  }
}

TEST(WatchStream, CutsLengthPrefixedFramesHoweverTheyArrive) {
  const std::string bytes = Framed("one") + Framed("") + Framed(std::string(300, 'x'));
  for (const size_t piece : {1u, 2u, 5u, 1000u}) {
    SCOPED_TRACE(piece);
    WatchStream stream(Encoding::kProtobuf);

    EXPECT_THAT(Frames(stream, bytes, piece), ElementsAre("one", "", std::string(300, 'x')));
    EXPECT_FALSE(stream.has_partial());
  }
}

TEST(WatchStream, RefusesFramesThatAreTooLong) {
  WatchStream json(Encoding::kJson, 10);
  WatchStream unfinished(Encoding::kJson, 10);
  WatchStream protobuf(Encoding::kProtobuf, 10);

  EXPECT_THAT(Frames(json, "{}{\"a\":12345}", 100), ElementsAre("{}", "error"));
  EXPECT_THAT(Frames(unfinished, "{\"aaaaaaaaaaaaaaaa", 1), ElementsAre("error"));
  EXPECT_THAT(Frames(protobuf, Framed("0123456789") + Framed("0123456789a"), 100), ElementsAre("0123456789", "error"));
}

TEST(WatchStream, RefusesBytesThatAreNoObject) {
  WatchStream stream(Encoding::kJson);

  EXPECT_THAT(Frames(stream, "{}\nInternal Server Error", 100), ElementsAre("{}", "error"));
}

TEST(CutWatchFrame, BothEncodingsGiveTheSameEvent) {
  const std::string json = std::string(R"({"type":"MODIFIED","object":)") + kNamespace + "}";
  const auto from_json = CutWatchFrame(Encoding::kJson, json);
  const std::string protobuf = ProtobufEvent("MODIFIED", kNamespace);
  const auto from_protobuf = CutWatchFrame(Encoding::kProtobuf, protobuf);
  ASSERT_TRUE(from_json) << from_json.error().message;
  ASSERT_TRUE(from_protobuf) << from_protobuf.error().message;

  EXPECT_EQ(from_json->type, WatchEvent::Type::kModified);
  EXPECT_EQ(from_protobuf->type, WatchEvent::Type::kModified);
  EXPECT_EQ(ReadObject(from_json->object, *FindKind("v1", "Namespace"))->root().ToJson(), kNamespace);
  EXPECT_EQ(ReadObject(from_protobuf->object, *FindKind("v1", "Namespace"))->root().ToJson(), kNamespace);
}

TEST(CutWatchFrame, ErrorsCarryAStatus) {
  const std::string frame =
      ProtobufEvent("ERROR", R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410})");
  const auto event = CutWatchFrame(Encoding::kProtobuf, frame);
  ASSERT_TRUE(event) << event.error().message;

  EXPECT_EQ(event->type, WatchEvent::Type::kError);
  EXPECT_EQ(ReadObject(event->object, *FindKind("v1", "Status"))->root()["code"].AsInt(), 410);
}

TEST(CutWatchFrame, RefusesWhatIsNoEvent) {
  EXPECT_FALSE(CutWatchFrame(Encoding::kJson, "{}"));
  EXPECT_FALSE(CutWatchFrame(Encoding::kJson, R"({"type":"ADDED"})"));
  EXPECT_FALSE(CutWatchFrame(Encoding::kJson, R"({"type":"EVICTED","object":{}})"));
  EXPECT_FALSE(CutWatchFrame(Encoding::kProtobuf, ""));
  EXPECT_FALSE(CutWatchFrame(Encoding::kProtobuf, "\x0a\x7f"));
  EXPECT_FALSE(CutWatchFrame(Encoding::kProtobuf, Field('\x0a', "ADDED")));
  EXPECT_FALSE(CutWatchFrame(Encoding::kProtobuf, ProtobufEvent("EVICTED", kNamespace)));
}

}  // namespace
}  // namespace berth::api::wire
