// SPDX-License-Identifier: Apache-2.0
#include "net/http_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <vector>

#include "net/header.h"

namespace berth::net {
namespace {

using testing::ElementsAre;

struct Message {
  MessageHead head;
  std::string body;
  bool ended = false;
};

struct Collector : HttpParser::Events {
  std::vector<Message> messages;

  void OnHead(MessageHead head) override { messages.push_back({std::move(head), "", false}); }
  void OnBody(std::string_view piece) override { messages.back().body += piece; }
  void OnEnd() override { messages.back().ended = true; }
};

std::string Gzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// Feeds `text` in pieces of `size`.
Result<void> FeedAll(HttpParser& parser, std::string_view text, size_t size) {
  while (!text.empty()) {
    std::string_view piece = text.substr(0, size);
    text.remove_prefix(piece.size());
    while (!piece.empty()) piece.remove_prefix(BERTH_TRY(parser.Feed(piece)));
  }
  return {};
}

TEST(HttpParser, MessagesAreTheSameHoweverTheirBytesAreCut) {
  const std::string text =
      "POST /a?b HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
      "GET / HTTP/1.1\r\nHost: y\r\n\r\n"
      "PUT /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;ext=1\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: "
      "t\r\n\r\n"
      "DELETE /d HTTP/1.0\r\n\r\n";
  for (size_t size = 1; size <= text.size(); ++size) {
    SCOPED_TRACE(size);
    Collector collector;
    HttpParser parser(HttpParser::Kind::kRequest, {}, collector);

    const auto fed = FeedAll(parser, text, size);

    ASSERT_TRUE(fed) << fed.error().message;
    ASSERT_EQ(collector.messages.size(), 4U);
    for (const Message& message : collector.messages) EXPECT_TRUE(message.ended);
    EXPECT_EQ(collector.messages[0].head.target, "/a?b");
    EXPECT_EQ(collector.messages[0].body, "hello");
    EXPECT_EQ(FindHeader(collector.messages[1].head.headers, "HOST"), "y");
    EXPECT_EQ(collector.messages[2].body, "abc0123456789");
    EXPECT_TRUE(collector.messages[3].head.is_http_1_0);
    EXPECT_FALSE(parser.keep_alive());
    EXPECT_TRUE(parser.is_between_messages());
  }
}

TEST(HttpParser, TheBodyOfARequestIsLeftUntilItIsFedAgain) {
  const std::string head = "PUT /a HTTP/1.1\r\nContent-Length: 4\r\n\r\n";
  Collector collector;
  HttpParser parser(HttpParser::Kind::kRequest, {}, collector);

  EXPECT_EQ(parser.Feed(head + "bodyGET"), head.size());
  ASSERT_EQ(collector.messages.size(), 1U);
  EXPECT_EQ(collector.messages[0].body, "");
  EXPECT_FALSE(collector.messages[0].ended);

  EXPECT_EQ(parser.Feed("bodyGET"), 4U);
  EXPECT_EQ(collector.messages[0].body, "body");
  EXPECT_TRUE(collector.messages[0].ended);
}

TEST(HttpParser, GzipBodiesAreUnpackedHoweverTheyAreCut) {
  const std::string body = std::string(100'000, 'a') + "end";
  const std::string packed = Gzip(body) + Gzip("second member");
  const std::string text =
      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " + std::to_string(packed.size()) + "\r\n\r\n" +
      packed;
  for (const size_t size : {size_t{1}, size_t{7}, text.size()}) {
    SCOPED_TRACE(size);
    Collector collector;
    HttpParser parser(HttpParser::Kind::kResponse, {}, collector);

    ASSERT_TRUE(FeedAll(parser, text, size));

    ASSERT_EQ(collector.messages.size(), 1U);
    EXPECT_TRUE(collector.messages[0].ended);
    EXPECT_TRUE(collector.messages[0].body == body + "second member");
  }
}

TEST(HttpParser, AGzipBodyThatGrowsBeyondTheLimitIsAnError) {
  const std::string packed = Gzip(std::string(10 << 20, 'a'));
  Collector collector;
  ParserLimits limits;
  limits.unpacked_bytes = 1 << 20;
  HttpParser parser(HttpParser::Kind::kResponse, limits, collector);

  const auto fed = FeedAll(parser, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + packed, 4096);

  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().code, Code::kLimit);
  EXPECT_LE(collector.messages[0].body.size(), size_t{1} << 20);
}

TEST(HttpParser, AGzipBodyCutShortIsAnError) {
  std::string packed = Gzip("some text");
  packed.resize(packed.size() - 3);
  Collector collector;
  HttpParser parser(HttpParser::Kind::kResponse, {}, collector);

  EXPECT_FALSE(FeedAll(parser,
                       "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " + std::to_string(packed.size()) +
                           "\r\n\r\n" + packed,
                       1000));
}

TEST(HttpParser, ResponsesKnowWhenTheyHaveNoBody) {
  Collector collector;
  HttpParser parser(HttpParser::Kind::kResponse, {}, collector);

  parser.ExpectNoBody();
  ASSERT_TRUE(
      FeedAll(parser,
              "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 10\r\nContent-Encoding: gzip\r\n\r\n"
              "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n"
              "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
              11));

  std::vector<int> statuses;
  for (const Message& message : collector.messages) statuses.push_back(message.head.status);
  EXPECT_THAT(statuses, ElementsAre(200, 204, 304, 200));
  EXPECT_EQ(collector.messages.back().body, "ok");
  EXPECT_TRUE(parser.keep_alive());
}

TEST(HttpParser, WhereTheEndOfInputIsTheEndOfTheMessage) {
  const std::vector<std::pair<std::string, bool>> cases = {
      {"", true},
      {"HTTP/1.1 200 OK\r\n\r\nbody", true},
      {"HTTP/1.1 200 OK\r\n\r\n", true},
      {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nbody", false},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n", false},
      {"HTTP/1.1 20", false},
  };
  for (const auto& [text, fine] : cases) {
    SCOPED_TRACE(text);
    Collector collector;
    HttpParser parser(HttpParser::Kind::kResponse, {}, collector);

    ASSERT_TRUE(FeedAll(parser, text, 3));

    EXPECT_EQ(parser.FeedEnd().has_value(), fine);
  }
}

TEST(HttpParser, LimitsHold) {
  ParserLimits limits;
  limits.header_bytes = 100;
  limits.body_bytes = 10;
  const std::vector<std::string> texts = {
      "GET /" + std::string(200, 'a') + " HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\nA: " + std::string(200, 'a') + "\r\n\r\n",
      "POST / HTTP/1.1\r\nContent-Length: 11\r\n\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nabcdef\r\n6\r\nabcdef\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n6;" + std::string(200, 'a'),
  };
  for (const std::string& text : texts) {
    for (const size_t size : {size_t{1}, size_t{1000}}) {
      SCOPED_TRACE(text);
      Collector collector;
      HttpParser parser(HttpParser::Kind::kRequest, limits, collector);

      const auto fed = FeedAll(parser, text, size);

      ASSERT_FALSE(fed);
      EXPECT_EQ(fed.error().code, Code::kLimit) << fed.error().message;
    }
  }
}

TEST(HttpParser, AmbiguousLengthsAreRefused) {
  for (const char* text :
       {"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: 0x1\r\n\r\n",
        "GET / HTTP/2.0\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nA : b\r\n\r\n"}) {
    SCOPED_TRACE(text);
    Collector collector;
    HttpParser parser(HttpParser::Kind::kRequest, {}, collector);

    EXPECT_FALSE(FeedAll(parser, text, 1000));
  }
}

TEST(Headers, TokensOfListsAreFoundInAnyCase) {
  const std::vector<Header> headers = {{"Connection", "Keep-Alive"}, {"connection", " foo ,CLOSE"}};

  EXPECT_TRUE(HasToken(headers, "CONNECTION", "close"));
  EXPECT_TRUE(HasToken(headers, "connection", "keep-alive"));
  EXPECT_FALSE(HasToken(headers, "connection", "clos"));
  EXPECT_FALSE(HasToken(headers, "other", "close"));
}

}  // namespace
}  // namespace berth::net
