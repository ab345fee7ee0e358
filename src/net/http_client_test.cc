// SPDX-License-Identifier: Apache-2.0
#include "net/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "net/test_loopback.h"
#include "net/test_raw_peer.h"

namespace berth::net {
namespace {

using testing::HasSubstr;

TEST(HttpClient, AnswersComeBackWithStatusHeadersAndBody) {
  Loopback world;
  FunctionHandler handler([](ServerRequest request, Responder responder) {
    responder.Send(201, {{"X-Method", request.method}}, request.target + "|" + request.body);
  });
  const auto server = world.Serve(handler);
  const auto client = world.Client(*server);

  const auto answer = world.Call(*client, MakeRequest("POST", "/a?b=c", "body"));

  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->head.status, 201);
  EXPECT_EQ(answer->head.Find("x-method"), "POST");
  EXPECT_EQ(answer->body, "/a?b=c|body");
}

TEST(HttpClient, AConnectionIsUsedAgain) {
  Loopback world;
  std::set<std::string> peers;
  FunctionHandler handler([&](ServerRequest request, Responder responder) {
    peers.insert(request.peer_address);
    responder.Send(200, {}, "ok");
  });
  const auto server = world.Serve(handler);
  const auto client = world.Client(*server);

  for (int i = 0; i < 5; ++i) ASSERT_TRUE(world.Get(*client, "/"));

  EXPECT_EQ(peers.size(), 1U);
  EXPECT_EQ(client->connection_count(), 1U);
}

TEST(HttpClient, CallsBeyondTheLimitWaitAndStreamsDoNotCount) {
  Loopback world;
  std::vector<Responder> streams;
  size_t running = 0;
  size_t most = 0;
  FunctionHandler handler([&](ServerRequest request, Responder responder) {
    if (request.target == "/watch") {
      responder.Begin(200, {});
      responder.Write(std::string("x"));
      streams.push_back(std::move(responder));
      return;
    }
    most = std::max(most, ++running);
    auto kept = std::make_shared<Responder>(std::move(responder));
    world.loop.After(Milliseconds(2), [&running, kept] {
      --running;
      kept->Send(200, {}, "ok");
    });
  });
  const auto server = world.Serve(handler);
  HttpClientOptions options;
  options.connections_max = 2;
  const auto client = world.Client(*server, options);
  int heads = 0;
  for (int i = 0; i < 10; ++i) {
    Receiver receiver;
    receiver.on_head = [&](const ResponseHead&) { ++heads; };
    client->Start(MakeRequest("GET", "/watch"), std::move(receiver));
  }
  ASSERT_TRUE(world.RunUntil([&] { return heads == 10; }));

  int ended = 0;
  for (int i = 0; i < 20; ++i) {
    Send(*client, MakeRequest("GET", "/"), [&](Result<Response> answer) { ended += answer ? 1 : 0; });
  }
  ASSERT_TRUE(world.RunUntil([&] { return ended == 20; }));

  EXPECT_EQ(most, 2U);
}

TEST(HttpClient, AServerThatTakesItsTimeGetsMoreConnections) {
  Loopback world;
  std::vector<Responder> unanswered;
  FunctionHandler handler(
      [&](const ServerRequest&, Responder responder) { unanswered.push_back(std::move(responder)); });
  const auto server = world.Serve(handler);
  HttpClientOptions options;
  options.connections_max = 40;
  const auto client = world.Client(*server, options);

  for (int i = 0; i < 50; ++i) Send(*client, MakeRequest("GET", "/"), [](const Result<Response>&) {});

  EXPECT_TRUE(world.RunUntil([&] { return unanswered.size() == 40; }));
  EXPECT_EQ(client->connection_count(), 40U);
}

TEST(HttpClient, AnUrgentCallDoesNotWaitForOthers) {
  Loopback world;
  std::vector<Responder> unanswered;
  FunctionHandler handler([&](ServerRequest request, Responder responder) {
    if (request.target == "/lease") return responder.Send(200, {}, "renewed");
    unanswered.push_back(std::move(responder));
  });
  const auto server = world.Serve(handler);
  HttpClientOptions options;
  options.connections_max = 2;
  const auto client = world.Client(*server, options);
  int ended = 0;
  const auto count = [&](const Result<Response>&) { ++ended; };
  for (int i = 0; i < 5; ++i) Send(*client, MakeRequest("GET", "/binding"), count);
  ASSERT_TRUE(world.RunUntil([&] { return unanswered.size() == 2; }));

  Request urgent = MakeRequest("GET", "/lease");
  urgent.urgent = true;
  Send(*client, std::move(urgent), count);

  ASSERT_TRUE(world.RunUntil([&] { return ended == 1; }));
  EXPECT_EQ(unanswered.size(), 2U);
}

TEST(HttpClient, StreamsArriveInPieces) {
  Loopback world;
  std::optional<Responder> stream;
  FunctionHandler handler([&](ServerRequest, Responder responder) {
    responder.Begin(200, {});
    stream.emplace(std::move(responder));
  });
  const auto server = world.Serve(handler);
  const auto client = world.Client(*server);
  std::vector<std::string> pieces;
  std::optional<Result<void>> end;
  Receiver receiver;
  receiver.on_body = [&](std::string_view piece) { pieces.emplace_back(piece); };
  receiver.on_end = [&](Result<void> result) { end = std::move(result); };
  client->Start(MakeRequest("GET", "/watch"), std::move(receiver));

  ASSERT_TRUE(world.RunUntil([&] { return stream.has_value(); }));
  stream->Write(std::string("one"));
  ASSERT_TRUE(world.RunUntil([&] { return pieces.size() == 1; }));
  stream->Write(std::make_shared<const std::string>("two"));
  ASSERT_TRUE(world.RunUntil([&] { return pieces.size() == 2; }));
  stream->End();
  ASSERT_TRUE(world.RunUntil([&] { return end.has_value(); }));

  EXPECT_TRUE(*end);
  EXPECT_THAT(pieces, testing::ElementsAre("one", "two"));
}

TEST(HttpClient, LargeBodiesGoBothWays) {
  Loopback world;
  FunctionHandler handler(
      [](ServerRequest request, Responder responder) { responder.Send(200, {}, std::move(request.body)); });
  HttpServerOptions server_options;
  server_options.body_bytes_max = 64 << 20;
  const auto server = world.Serve(handler, server_options);
  const auto client = world.Client(*server);
  std::string body(20 << 20, 'x');
  for (size_t i = 0; i < body.size(); i += 1000) body[i] = static_cast<char>('a' + i % 26);

  const auto answer = world.Call(*client, MakeRequest("POST", "/", body));

  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_TRUE(answer->body == body);
}

TEST(HttpClient, RefusedConnectionsAreUnavailableInGosWords) {
  Loopback world;
  HttpClientOptions options;
  options.endpoint = {"http", "127.0.0.1", 1, "", "", ""};
  const auto client = HttpClient::Create(world.loop, options);

  const auto answer = world.Get(**client, "/");

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kUnavailable);
  EXPECT_EQ(answer.error().message, "dial tcp 127.0.0.1:1: connect: connection refused");
}

TEST(HttpClient, NamesAreResolvedAndUnknownOnesUnavailable) {
  Loopback world;
  FunctionHandler handler([](ServerRequest, Responder responder) { responder.Send(200, {}, "ok"); });
  const auto server = world.Serve(handler);
  HttpClientOptions options;
  options.endpoint.host = "localhost";
  const auto client = world.Client(*server, options);
  options.endpoint.host = "no-such-host.invalid";
  const auto lost = world.Client(*server, options);

  EXPECT_TRUE(world.Get(*client, "/"));
  const auto answer = world.Get(*lost, "/");

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kUnavailable);
  EXPECT_THAT(answer.error().message, HasSubstr("dial tcp: lookup no-such-host.invalid: "));
}

TEST(HttpClient, ATimeoutEndsTheCallAndTheRequestMayHaveArrived) {
  Loopback world;
  std::vector<Responder> kept;
  FunctionHandler handler([&](ServerRequest, Responder responder) { kept.push_back(std::move(responder)); });
  const auto server = world.Serve(handler);
  const auto client = world.Client(*server);

  const auto answer = world.Call(*client, MakeRequest("POST", "/", "", Milliseconds(50)));

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kDeadline);
  EXPECT_EQ(client->connection_count(), 0U);
}

TEST(HttpClient, TheTimeInLineDoesNotCount) {
  Loopback world;
  FunctionHandler handler([&](const ServerRequest&, Responder responder) {
    auto kept = std::make_shared<Responder>(std::move(responder));
    world.loop.After(Milliseconds(250), [kept] { kept->Send(200, {}, "slow"); });
  });
  const auto server = world.Serve(handler);
  HttpClientOptions options;
  options.connections_max = 1;
  const auto client = world.Client(*server, options);
  int ended = 0;
  int answered = 0;

  for (int i = 0; i < 5; ++i) {
    Request request = MakeRequest("GET", "/");
    request.timeout = Seconds(1);  // Less than five answers take.
    Send(*client, std::move(request), [&](const Result<Response>& answer) {
      ++ended;
      answered += answer ? 1 : 0;
    });
  }

  ASSERT_TRUE(world.RunUntil([&] { return ended == 5; }));
  EXPECT_EQ(answered, 5);
}

TEST(HttpClient, ACancelledCallIsSilentAndClosesItsConnection) {
  Loopback world;
  bool gone = false;
  std::optional<Responder> kept;
  FunctionHandler handler([&](ServerRequest, Responder responder) {
    responder.OnGone([&] { gone = true; });
    responder.Begin(200, {});
    responder.Write(std::string("piece"));
    kept.emplace(std::move(responder));
  });
  const auto server = world.Serve(handler);
  const auto client = world.Client(*server);
  bool heard_after = false;
  bool cancelled = false;
  Transport::CallId id = 0;
  Receiver receiver;
  receiver.on_body = [&](std::string_view) {
    heard_after = cancelled;
    client->Cancel(id);
    cancelled = true;
  };
  receiver.on_end = [&](Result<void>) { heard_after = true; };
  id = client->Start(MakeRequest("GET", "/"), std::move(receiver));

  ASSERT_TRUE(world.RunUntil([&] { return gone; }));

  EXPECT_TRUE(cancelled);
  EXPECT_FALSE(heard_after);
  EXPECT_FALSE(kept->is_open());
  EXPECT_EQ(client->connection_count(), 0U);
}

TEST(HttpClient, APausedCallStopsTheSender) {
  Loopback world;
  std::optional<Responder> stream;
  FunctionHandler handler([&](ServerRequest, Responder responder) {
    responder.Begin(200, {});
    stream.emplace(std::move(responder));
  });
  const auto server = world.Serve(handler);
  const auto client = world.Client(*server);
  size_t received = 0;
  Receiver receiver;
  receiver.on_body = [&](std::string_view piece) { received += piece.size(); };
  const auto id = client->Start(MakeRequest("GET", "/"), std::move(receiver));
  ASSERT_TRUE(world.RunUntil([&] { return stream.has_value(); }));
  client->Pause(id, true);
  const auto piece = std::make_shared<const std::string>(1 << 20, 'x');
  for (int i = 0; i < 64; ++i) stream->Write(piece);
  world.RunFor(Milliseconds(100));

  EXPECT_GT(stream->pending_bytes(), size_t{16} << 20);
  EXPECT_LT(received, size_t{1} << 20);
  bool drained = false;
  stream->OnDrained([&] { drained = true; });
  client->Pause(id, false);

  ASSERT_TRUE(world.RunUntil([&] { return drained && received == size_t{64} << 20; }));
}

TEST(HttpClient, AnIdleConnectionThatTheServerClosesIsNotUsed) {
  Loopback world;
  FunctionHandler handler([](ServerRequest, Responder responder) { responder.Send(200, {}, "ok"); });
  auto server = world.Serve(handler);
  HttpServerOptions options;
  options.port = server->port();
  const auto client = world.Client(*server);
  ASSERT_TRUE(world.Get(*client, "/"));

  server.reset();
  server = world.Serve(handler, options);
  const auto answer = world.Call(*client, MakeRequest("POST", "/", "x"));

  EXPECT_TRUE(answer) << answer.error().message;
}

// Answers the first request of each connection and closes on the second one without a word.
struct ForgetfulServer {
  explicit ForgetfulServer(EventLoop& loop) : raw(loop) {
    raw.on_data = [this](RawPeer& peer) {
      if (++requests[&peer] == 1) {
        peer.socket().Write(std::string("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
      } else {
        peer.socket().Close();
      }
    };
  }
  RawServer raw;
  std::map<RawPeer*, int> requests;
};

TEST(HttpClient, OnlyHarmlessRequestsAreRepeatedOnANewConnection) {
  for (const bool harmless : {true, false}) {
    SCOPED_TRACE(harmless);
    Loopback world;
    ForgetfulServer server(world.loop);
    HttpClientOptions options;
    options.endpoint = {"http", "127.0.0.1", server.raw.port, "", "", ""};
    const auto client = HttpClient::Create(world.loop, options);
    ASSERT_TRUE(world.Get(**client, "/"));

    const auto answer = world.Call(**client, MakeRequest(harmless ? "GET" : "POST", "/"));

    EXPECT_EQ(answer.has_value(), harmless);
    EXPECT_TRUE(answer || answer.error().code == Code::kInternal) << answer.error().message;
    EXPECT_EQ(server.raw.peers.size(), harmless ? 2U : 1U);
  }
}

TEST(HttpClient, BadAnswersAreErrors) {
  const std::vector<std::string> answers = {
      "garbage\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
      "HTTP/1.1 101 Switching Protocols\r\n\r\n",
      "HTTP/1.1 200 OK\r\nX: " + std::string(2 << 20, 'x') + "\r\n\r\n",
      "",
  };
  for (const std::string& text : answers) {
    SCOPED_TRACE(text.substr(0, 100));
    Loopback world;
    RawServer server(world.loop);
    server.on_data = [&](RawPeer& peer) {
      peer.socket().Write(text);
      peer.socket().Finish();
    };
    HttpClientOptions options;
    options.endpoint = {"http", "127.0.0.1", server.port, "", "", ""};
    const auto client = HttpClient::Create(world.loop, options);

    const auto answer = world.Get(**client, "/");

    ASSERT_FALSE(answer);
    EXPECT_NE(answer.error().code, Code::kUnavailable) << answer.error().message;
    EXPECT_EQ((*client)->connection_count(), 0U);
  }
}

TEST(HttpClient, AnswersWithoutLengthEndWithTheConnection) {
  Loopback world;
  RawServer server(world.loop);
  server.on_data = [&](RawPeer& peer) {
    peer.socket().Write(std::string("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 200 OK\r\n\r\nall of it"));
    peer.socket().Finish();
  };
  HttpClientOptions options;
  options.endpoint = {"http", "127.0.0.1", server.port, "", "", ""};
  const auto client = HttpClient::Create(world.loop, options);

  const auto answer = world.Get(**client, "/");

  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "all of it");
}

TEST(HttpClient, IdleConnectionsAreClosedAfterAWhile) {
  Loopback world;
  FunctionHandler handler([](ServerRequest, Responder responder) { responder.Send(200, {}, "ok"); });
  const auto server = world.Serve(handler);
  HttpClientOptions options;
  options.idle_timeout = Milliseconds(30);
  const auto client = world.Client(*server, options);
  ASSERT_TRUE(world.Get(*client, "/"));
  ASSERT_EQ(client->connection_count(), 1U);

  EXPECT_TRUE(world.RunUntil([&] { return client->connection_count() == 0; }));
}

TEST(HttpClient, InvalidRequestsAreNotSent) {
  Loopback world;
  FunctionHandler handler([](ServerRequest, Responder responder) { responder.Send(200, {}, "ok"); });
  const auto server = world.Serve(handler);
  const auto client = world.Client(*server);
  Request smuggled = MakeRequest("GET", "/");
  smuggled.headers = {{"A", "secret\r\nB: c"}};

  const auto answer = world.Call(*client, std::move(smuggled));

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kInvalid);
  EXPECT_THAT(answer.error().message, testing::Not(HasSubstr("secret")));
  EXPECT_FALSE(world.Get(*client, "/a b"));
  EXPECT_EQ(server->connection_count(), 0U);
}

TEST(HttpClient, AnAnswerBeyondTheLimitOfSendIsAnError) {
  Loopback world;
  FunctionHandler handler([](ServerRequest, Responder responder) { responder.Send(200, {}, std::string(1000, 'x')); });
  const auto server = world.Serve(handler);
  const auto client = world.Client(*server);
  std::optional<Result<Response>> answer;

  Send(*client, MakeRequest("GET", "/"), [&](Result<Response> result) { answer = std::move(result); }, 999);
  ASSERT_TRUE(world.RunUntil([&] { return answer.has_value(); }));

  ASSERT_FALSE(*answer);
  EXPECT_EQ(answer->error().code, Code::kLimit);
}

}  // namespace
}  // namespace berth::net
