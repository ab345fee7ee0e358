// SPDX-License-Identifier: Apache-2.0
// An HttpClient whose server speaks HTTP/2.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "net/http2_session.h"
#include "net/test_http2_server.h"

namespace berth::net {
namespace {

using testing::HasSubstr;

// Answers with what was asked for.
void Echo(Http2Peer& peer, int32_t id) {
  Http2Peer::Stream& stream = peer.streams[id];
  peer.Answer(id, {{":status", "201"}, {"x-token", stream.fields["authorization"]}},
              stream.fields[":method"] + " " + stream.fields[":path"] + " " + stream.body);
}

TEST(Http2Client, CallsShareAConnectionAndLeaveTogether) {
  Http2World world(Echo);
  const auto client = world.MakeClient();
  ASSERT_TRUE(world.Get(*client, "/first"));  // By now the connection is open.
  Http2Peer& peer = *world.peers.begin()->second;
  peer.pieces = 0;

  std::set<std::string> answers;
  for (int i = 0; i < 30; ++i) {
    Request request = MakeRequest("POST", "/a?b=" + std::to_string(i), "body");
    request.headers = {{"Authorization", "Bearer x"}, {"Connection", "close"}};
    Send(*client, std::move(request), [&](Result<Response> answer) {
      ASSERT_TRUE(answer) << answer.error().message;
      EXPECT_EQ(answer->head.status, 201);
      EXPECT_EQ(answer->head.Find("X-Token"), "Bearer x");
      answers.insert(answer->body);
    });
  }
  ASSERT_TRUE(world.RunUntil([&] { return answers.size() == 30; }));

  EXPECT_TRUE(answers.contains("POST /a?b=7 body"));
  EXPECT_EQ(world.server.peers.size(), 1U);
  EXPECT_EQ(client->connection_count(), 1U);
  EXPECT_LE(peer.pieces, 2);
}

TEST(Http2Client, CallsThatStartBeforeTheConnectionIsOpenWaitForIt) {
  Http2World world(Echo);
  const auto client = world.MakeClient();

  int ended = 0;
  for (int i = 0; i < 20; ++i) {
    Send(*client, MakeRequest("GET", "/"), [&](Result<Response> answer) { ended += answer ? 1 : 0; });
  }
  ASSERT_TRUE(world.RunUntil([&] { return ended == 20; }));

  EXPECT_EQ(world.server.peers.size(), 1U);
}

TEST(Http2Client, AServerOfTheOldProtocolGetsAConnectionForEachCall) {
  Loopback world;
  const KeyPair pair = *MakeSelfSigned("server", {"127.0.0.1"}, world.loop.Now());
  HttpServerOptions server_options;
  server_options.tls.emplace();
  server_options.tls->certificate_pem = pair.certificate_pem;
  server_options.tls->key_pem = pair.key_pem;
  std::vector<Responder> unanswered;
  FunctionHandler handler(
      [&](const ServerRequest&, Responder responder) { unanswered.push_back(std::move(responder)); });
  const auto server = world.Serve(handler, server_options);
  HttpClientOptions options;
  options.endpoint.scheme = "https";
  options.tls.insecure_skip_verify = true;
  const auto client = world.Client(*server, options);

  int ended = 0;
  for (int i = 0; i < 5; ++i) {
    Send(*client, MakeRequest("GET", "/"), [&](Result<Response> answer) { ended += answer ? 1 : 0; });
  }
  ASSERT_TRUE(world.RunUntil([&] { return unanswered.size() == 5; }));
  for (Responder& responder : unanswered) responder.Send(200, {}, "ok");

  EXPECT_TRUE(world.RunUntil([&] { return ended == 5; }));
}

TEST(Http2Client, AnotherConnectionIsOpenedWhenOneIsFull) {
  Http2World world([](Http2Peer& peer, int32_t id) {
    if (peer.streams[id].fields[":path"] != "/watch") Echo(peer, id);
  });
  world.streams_max = 2;
  const auto client = world.MakeClient();
  ASSERT_TRUE(world.Get(*client, "/"));

  for (int i = 0; i < 2; ++i) client->Start(MakeRequest("GET", "/watch"), {});
  const auto answer = world.Get(*client, "/third");

  EXPECT_TRUE(answer);
  EXPECT_EQ(client->connection_count(), 2U);
}

TEST(Http2Client, ACallThatTheServerHasNotLookedAtIsSentAgain) {
  int refused = 0;
  Http2World world([&](Http2Peer& peer, int32_t id) {
    if (refused++ == 0) return peer.Refuse(id, NGHTTP2_REFUSED_STREAM);
    Echo(peer, id);
  });
  const auto client = world.MakeClient();

  const auto answer = world.Call(*client, MakeRequest("POST", "/binding", "x"));

  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "POST /binding x");
  EXPECT_EQ(client->connection_count(), 1U);
}

TEST(Http2Client, ACallThatIsRefusedTwiceCertainlyHadNoEffect) {
  Http2World world([&](Http2Peer& peer, int32_t id) { peer.Refuse(id, NGHTTP2_REFUSED_STREAM); });
  const auto client = world.MakeClient();

  const auto answer = world.Call(*client, MakeRequest("POST", "/binding", "x"));

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kUnavailable);
  EXPECT_THAT(answer.error().message, HasSubstr("REFUSED_STREAM"));
}

TEST(Http2Client, AfterAGoodbyeRunningCallsEndAndNewOnesGoElsewhere) {
  std::vector<std::pair<Http2Peer*, int32_t>> slow;
  Http2World world([&](Http2Peer& peer, int32_t id) {
    if (peer.streams[id].fields[":path"] == "/slow") return slow.emplace_back(&peer, id), void();
    Echo(peer, id);
  });
  const auto client = world.MakeClient();
  std::optional<Result<Response>> late;
  Send(*client, MakeRequest("POST", "/slow"), [&](Result<Response> answer) { late = std::move(answer); });
  ASSERT_TRUE(world.RunUntil([&] { return slow.size() == 1; }));

  slow[0].first->SayGoodbye(slow[0].second);
  world.RunFor(Milliseconds(20));
  const auto answer = world.Get(*client, "/new");
  slow[0].first->Ok(slow[0].second, "at last");
  ASSERT_TRUE(world.RunUntil([&] { return late.has_value(); }));

  EXPECT_TRUE(answer);
  ASSERT_TRUE(*late) << late->error().message;
  EXPECT_EQ((*late)->body, "at last");
  EXPECT_EQ(world.server.peers.size(), 2U);
  EXPECT_TRUE(world.RunUntil([&] { return client->connection_count() == 1; }));
}

TEST(Http2Client, OfALostConnectionOnlyHarmlessCallsAreSentAgain) {
  int lost = 0;
  Http2World world([&](Http2Peer& peer, int32_t id) {
    if (lost > 0 || peer.streams[id].fields[":path"] == "/first") return Echo(peer, id);
    if (peer.streams.size() == 3) {
      ++lost;
      peer.raw().socket().Close();
    }
  });
  const auto client = world.MakeClient();
  ASSERT_TRUE(world.Get(*client, "/first"));

  std::optional<Result<Response>> read;
  std::optional<Result<Response>> written;
  Send(*client, MakeRequest("GET", "/read"), [&](Result<Response> answer) { read = std::move(answer); });
  Send(*client, MakeRequest("POST", "/write", "x"), [&](Result<Response> answer) { written = std::move(answer); });
  ASSERT_TRUE(world.RunUntil([&] { return read && written; }));

  EXPECT_TRUE(*read);
  ASSERT_FALSE(*written);
  EXPECT_NE(written->error().code, Code::kUnavailable);
}

TEST(Http2Client, ACallThatIsGivenUpLeavesTheOthersAlone) {
  Http2Peer* seen = nullptr;
  Http2World world([&](Http2Peer& peer, int32_t id) {
    seen = &peer;
    peer.Ok(id, "begun", false);
  });
  const auto client = world.MakeClient();
  std::string kept;
  Receiver receiver;
  receiver.on_body = [&](std::string_view piece) { kept += piece; };
  client->Start(MakeRequest("GET", "/kept"), std::move(receiver));
  bool called = false;
  Receiver dropped;
  dropped.on_end = [&](const Result<void>&) { called = true; };
  const auto id = client->Start(MakeRequest("GET", "/dropped"), std::move(dropped));
  ASSERT_TRUE(world.RunUntil([&] { return kept == "begun" && seen->streams.size() == 2; }));

  client->Cancel(id);
  ASSERT_TRUE(world.RunUntil([&] { return seen->streams.rbegin()->second.was_reset; }));
  seen->More(seen->streams.begin()->first, " and goes on", false);

  EXPECT_TRUE(world.RunUntil([&] { return kept == "begun and goes on"; }));
  EXPECT_FALSE(called);
  EXPECT_EQ(client->connection_count(), 1U);
}

TEST(Http2Client, ACallThatTakesTooLongEndsAlone) {
  Http2World world([](Http2Peer& peer, int32_t id) {
    if (peer.streams[id].fields[":path"] != "/never") Echo(peer, id);
  });
  const auto client = world.MakeClient();

  const auto late = world.Call(*client, MakeRequest("POST", "/never", "x", Milliseconds(50)));
  const auto next = world.Get(*client, "/");

  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::kDeadline);
  EXPECT_TRUE(next);
  EXPECT_EQ(world.server.peers.size(), 1U);
}

TEST(Http2Client, APausedAnswerIsBoundedAndHoldsUpNoOther) {
  constexpr size_t kSize = 3 << 20;
  Http2World world([](Http2Peer& peer, int32_t id) {
    if (peer.streams[id].fields[":path"] != "/large") return Echo(peer, id);
    peer.Ok(id, std::string(kSize, 'x'));
  });
  const auto client = world.MakeClient();
  size_t received = 0;
  bool ended = false;
  Receiver receiver;
  receiver.on_body = [&](std::string_view piece) { received += piece.size(); };
  receiver.on_end = [&](const Result<void>&) { ended = true; };
  const auto id = client->Start(MakeRequest("GET", "/large"), std::move(receiver));
  client->Pause(id, true);

  const auto other = world.Get(*client, "/");
  world.RunFor(Milliseconds(50));

  EXPECT_TRUE(other);
  EXPECT_LE(received, static_cast<size_t>(Http2Session::kWindow));
  client->Pause(id, false);
  EXPECT_TRUE(world.RunUntil([&] { return ended; }));
  EXPECT_EQ(received, kSize);
}

TEST(Http2Client, AnswersBeyondTheLimitsAreErrors) {
  Http2World world([](Http2Peer& peer, int32_t id) {
    const std::string path = peer.streams[id].fields[":path"];
    if (path == "/head") return peer.Answer(id, {{":status", "200"}, {"x", std::string(5000, 'x')}}, "");
    peer.Ok(id, std::string(path == "/body" ? 20'000 : 10, 'x'));
  });
  HttpClientOptions options;
  options.limits = {.header_bytes = 4096, .body_bytes = 16'384};
  const auto client = world.MakeClient(options);

  for (const char* path : {"/head", "/body"}) {
    const auto answer = world.Get(*client, path);
    ASSERT_FALSE(answer) << path;
    EXPECT_EQ(answer.error().code, Code::kLimit) << path;
  }
  EXPECT_TRUE(world.Get(*client, "/"));
  EXPECT_EQ(world.server.peers.size(), 1U);
}

TEST(Http2Client, AServerThatBreaksTheRulesIsLeft) {
  Http2World world(Echo);
  world.server.on_data = [](RawPeer& peer) { peer.socket().Write(std::string("HTTP/1.1 400 Bad Request\r\n\r\n")); };
  const auto client = world.MakeClient();

  const auto answer = world.Call(*client, MakeRequest("POST", "/"));

  EXPECT_FALSE(answer);
  EXPECT_TRUE(world.RunUntil([&] { return client->connection_count() == 0; }));
}

}  // namespace
}  // namespace berth::net
