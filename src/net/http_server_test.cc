// SPDX-License-Identifier: Apache-2.0
#include "net/http_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/address.h"
#include "net/test_loopback.h"
#include "net/test_raw_peer.h"

namespace berth::net {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

void Echo(const ServerRequest& request, Responder responder) {
  responder.Send(200, {}, request.method + " " + request.target + " " + request.body + ";");
}

// What the server answers to `text`, until it closes or sent `expected`.
std::string Ask(Loopback& world, const HttpServer& server, const std::string& text, const std::string& expected) {
  RawClient client(world.loop, server.port());
  EXPECT_TRUE(world.RunUntil([&] { return client.peer != nullptr; }));
  client.peer->socket().Write(text);
  EXPECT_TRUE(world.RunUntil([&] { return client.peer->closed || client.peer->received.ends_with(expected); }));
  return client.peer->received;
}

TEST(HttpServer, PipelinedRequestsAreAnsweredInOrder) {
  Loopback world;
  std::vector<std::string> order;
  FunctionHandler handler([&](ServerRequest request, Responder responder) {
    order.push_back(request.target);
    if (request.target != "/1") return Echo(request, std::move(responder));
    // The first answer is late.
    auto kept = std::make_shared<Responder>(std::move(responder));
    world.loop.After(Milliseconds(20), [kept] { kept->Send(200, {}, "late;"); });
  });
  const auto server = world.Serve(handler);

  const std::string text = Ask(world, *server,
                               "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nPOST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: "
                               "3\r\n\r\nabcGET /3 HTTP/1.1\r\nHost: a\r\n\r\n",
                               "GET /3 ;");

  EXPECT_THAT(order, testing::ElementsAre("/1", "/2", "/3"));
  EXPECT_LT(text.find("late;"), text.find("POST /2 abc;"));
  EXPECT_LT(text.find("POST /2 abc;"), text.find("GET /3 ;"));
}

TEST(HttpServer, HeadHasTheHeadersButNoBody) {
  Loopback world;
  FunctionHandler handler([](ServerRequest request, Responder responder) { Echo(request, std::move(responder)); });
  const auto server = world.Serve(handler);

  const std::string text = Ask(world, *server, "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", "\r\n\r\n");

  EXPECT_THAT(text, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(text, HasSubstr("Content-Length: 8\r\n"));
  EXPECT_THAT(text, HasSubstr("Date: "));
  EXPECT_THAT(text, EndsWith("\r\n\r\n"));
}

TEST(HttpServer, BadRequestsAreRefusedAndTheConnectionCloses) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"garbage\r\n\r\n", "HTTP/1.1 400 "},
      {"GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400 "},
      {"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "HTTP/1.1 400 "},
      {"GET / HTTP/1.0\r\nHost: a\r\nhost: a\r\n\r\n", "HTTP/1.1 400 "},
      {"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 400 "},
      {"GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(70'000, 'x') + "\r\n\r\n", "HTTP/1.1 431 "},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 101\r\n\r\n", "HTTP/1.1 413 "},
      {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n" + std::string(101, 'x') + "\r\n",
       "HTTP/1.1 413 "},
  };
  for (const auto& [request, answer] : cases) {
    SCOPED_TRACE(request.substr(0, 100));
    Loopback world;
    FunctionHandler handler([](ServerRequest asked, Responder responder) { Echo(asked, std::move(responder)); });
    HttpServerOptions options;
    options.header_bytes_max = 64 * 1024;
    options.body_bytes_max = 100;
    const auto server = world.Serve(handler, options);

    const std::string text = Ask(world, *server, request, "never");

    EXPECT_THAT(text, StartsWith(answer));
    EXPECT_THAT(text, HasSubstr("Connection: close\r\n"));
  }
}

TEST(HttpServer, ATargetInAbsoluteFormSaysWhomItIsFor) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"/path?query", "here /path?query"}, {"http://There:80/path?query", "There:80 /path?query"},
      {"HTTPS://there", "there /"},        {"http://there?query", "there /?query"},
      {"http:///path", " /path"},          {"/http://there/", "here /http://there/"},
  };
  for (const auto& [target, expected] : cases) {
    SCOPED_TRACE(target);
    Loopback world;
    FunctionHandler handler([](ServerRequest asked, Responder responder) {
      responder.Send(200, {}, std::string(asked.Find("host")) + " " + asked.target + ";");
    });
    const auto server = world.Serve(handler, {});

    const std::string text = Ask(world, *server, "GET " + target + " HTTP/1.1\r\nHost: here\r\n\r\n", ";");

    EXPECT_THAT(text, EndsWith("\r\n\r\n" + expected + ";"));
  }
}

TEST(HttpServer, TooLargeABodyIsRefusedInTheGivenWords) {
  Loopback world;
  FunctionHandler handler([](ServerRequest asked, Responder responder) { Echo(asked, std::move(responder)); });
  HttpServerOptions options;
  options.body_bytes_max = 100;
  options.too_large_json = [](uint64_t bytes_max) { return fmt::format(R"({{"code":413,"max":{}}})", bytes_max); };
  const auto server = world.Serve(handler, options);

  const std::string text = Ask(world, *server, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 101\r\n\r\n", "never");

  EXPECT_THAT(text, HasSubstr("Content-Type: application/json\r\n"));
  EXPECT_THAT(text, EndsWith(R"({"code":413,"max":100})"));
}

TEST(HttpServer, APeerThatExpectsItIsToldToContinue) {
  Loopback world;
  FunctionHandler handler([](ServerRequest request, Responder responder) { Echo(request, std::move(responder)); });
  const auto server = world.Serve(handler);
  RawClient client(world.loop, server->port());
  ASSERT_TRUE(world.RunUntil([&] { return client.peer != nullptr; }));

  client.peer->socket().Write(
      std::string("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n"));
  ASSERT_TRUE(world.RunUntil([&] { return !client.peer->received.empty(); }));
  EXPECT_EQ(client.peer->received, "HTTP/1.1 100 Continue\r\n\r\n");
  client.peer->socket().Write(std::string("body"));

  EXPECT_TRUE(world.RunUntil([&] { return client.peer->received.ends_with("PUT / body;"); }));
}

TEST(HttpServer, OldPeersGetPlainStreamsThatEndWithTheConnection) {
  Loopback world;
  FunctionHandler handler([](ServerRequest, Responder responder) {
    responder.Begin(200, {});
    responder.Write(std::string("piece"));
    responder.End();
  });
  const auto server = world.Serve(handler);

  EXPECT_THAT(Ask(world, *server, "GET / HTTP/1.0\r\n\r\n", "never"), EndsWith("\r\n\r\npiece"));
  EXPECT_THAT(Ask(world, *server, "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "0\r\n\r\n"),
              EndsWith("\r\n\r\n5\r\npiece\r\n0\r\n\r\n"));
}

TEST(HttpServer, AForgottenAnswerIsAnErrorAndAForgottenStreamIsCut) {
  Loopback world;
  FunctionHandler handler([](ServerRequest request, Responder responder) {
    if (request.target == "/stream") responder.Begin(200, {});
  });
  const auto server = world.Serve(handler);
  const auto client = world.Client(*server);

  const auto forgotten = world.Get(*client, "/");
  const auto cut = world.Get(*client, "/stream");

  ASSERT_TRUE(forgotten);
  EXPECT_EQ(forgotten->head.status, 500);
  EXPECT_FALSE(cut);
}

TEST(HttpServer, SlowPeersAreCutOff) {
  Loopback world;
  FunctionHandler handler([](ServerRequest request, Responder responder) { Echo(request, std::move(responder)); });
  HttpServerOptions options;
  options.header_timeout = Milliseconds(10);
  options.idle_timeout = Milliseconds(10);
  const auto server = world.Serve(handler, options);
  RawClient silent(world.loop, server->port());
  RawClient slow(world.loop, server->port());
  ASSERT_TRUE(world.RunUntil([&] { return silent.peer != nullptr && slow.peer != nullptr; }));
  slow.peer->socket().Write(std::string("GET / HT"));

  EXPECT_TRUE(world.RunUntil([&] { return silent.peer->closed && slow.peer->closed; }));
}

// A connection from one of the addresses that a machine has for itself.
std::unique_ptr<RawPeer> ConnectFrom(Loopback& world, const std::string& address, const HttpServer& server) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_storage from = *ParseAddress(address, 0);
  const sockaddr_storage to = *ParseAddress("127.0.0.1", server.port());
  EXPECT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&from), SizeOf(from)), 0);
  EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&to), SizeOf(to)), 0);
  fcntl(fd, F_SETFL, O_NONBLOCK);
  return std::make_unique<RawPeer>(Socket(world.loop, fd));
}

TEST(HttpServer, ConnectionsBeyondTheMaximumWaitForThoseThatAreAnswered) {
  Loopback world;
  std::optional<Responder> kept;
  FunctionHandler handler([&](ServerRequest request, Responder responder) {
    if (request.target != "/slow") return Echo(request, std::move(responder));
    kept.emplace(std::move(responder));
  });
  HttpServerOptions options;
  options.connections_max = 1;
  const auto server = world.Serve(handler, options);
  const auto first = world.Client(*server);
  first->Start(MakeRequest("GET", "/slow"), {});
  ASSERT_TRUE(world.RunUntil([&] { return kept.has_value(); }));
  const auto client = world.Client(*server);
  std::optional<Result<Response>> answer;
  Send(*client, MakeRequest("GET", "/"), [&](Result<Response> result) { answer = std::move(result); });
  world.RunFor(Milliseconds(50));
  EXPECT_FALSE(answer);

  kept->Send(200, {}, "");

  EXPECT_TRUE(world.RunUntil([&] { return answer.has_value(); }));
  EXPECT_TRUE(*answer);
}

TEST(HttpServer, WhoOpensManyConnectionsDoesNotKeepOthersOut) {
  Loopback world;
  FunctionHandler handler([](ServerRequest request, Responder responder) { Echo(request, std::move(responder)); });
  HttpServerOptions options;
  options.connections_max = 8;
  const auto server = world.Serve(handler, options);
  const auto patient = ConnectFrom(world, "127.0.0.2", *server);
  ASSERT_TRUE(world.RunUntil([&] { return server->connection_count() == 1; }));
  std::vector<std::unique_ptr<RawPeer>> crowd;
  for (int i = 0; i < 50; ++i) {
    crowd.push_back(ConnectFrom(world, "127.0.0.3", *server));
    crowd.back()->socket().Write(std::string("GET / HT"));
    ASSERT_TRUE(world.RunUntil([&] { return i < 7 || crowd[static_cast<size_t>(i - 7)]->closed; }));
    EXPECT_LE(server->connection_count(), 8U);
  }
  EXPECT_FALSE(crowd.back()->closed) << "the one that has waited longest goes";

  patient->socket().Write(std::string("GET /old HTTP/1.1\r\nHost: a\r\n\r\n"));
  const auto newcomer = ConnectFrom(world, "127.0.0.4", *server);
  newcomer->socket().Write(std::string("GET /new HTTP/1.1\r\nHost: a\r\n\r\n"));

  EXPECT_TRUE(world.RunUntil([&] { return patient->received.ends_with("GET /old ;"); }));
  EXPECT_TRUE(world.RunUntil([&] { return newcomer->received.ends_with("GET /new ;"); }));
}

TEST(HttpServer, AHeadIsAnsweredBeforeItsBodyIsSent) {
  Loopback world;
  std::vector<std::string> seen;
  FunctionHandler handler([&](ServerRequest request, Responder responder) {
    seen.push_back(request.target);
    if (request.target == "/refused") return responder.Send(403, {}, "no;");
    auto kept = std::make_shared<Responder>(std::move(responder));
    kept->ReadBody(10, [kept](std::string body) { kept->Send(200, {}, "got " + body + ";"); });
  });
  HttpServerOptions options;
  options.answers_head = [](const ServerRequest&) { return true; };
  const auto server = world.Serve(handler, options);

  const std::string refused =
      Ask(world, *server, "PUT /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n", "never");
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(refused, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(refused, EndsWith("no;"));

  // Bodies of all kinds, and none, one after another on one connection.
  const std::string read = Ask(world, *server,
                               "PUT /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody"
                               "PUT /2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nxy\r\n0\r\n\r\n"
                               "GET /3 HTTP/1.1\r\nHost: a\r\n\r\n"
                               "GET /4 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
                               "never");
  EXPECT_THAT(read, HasSubstr("got body;"));
  EXPECT_THAT(read, HasSubstr("got xy;"));
  EXPECT_THAT(read, EndsWith("got ;"));
  EXPECT_THAT(seen, testing::ElementsAre("/refused", "/1", "/2", "/3", "/4"));

  const std::string large = Ask(
      world, *server, "PUT /5 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n01234567890\r\n", "never");
  EXPECT_THAT(large, StartsWith("HTTP/1.1 413"));
}

TEST(HttpServer, HowMuchABodyMayHoldIsSaidOnceItsHeadIsKnown) {
  Loopback world;
  FunctionHandler handler([](ServerRequest request, Responder responder) {
    if (request.target == "/plain") return responder.Send(200, {}, std::to_string(request.body.size()) + ";");
    auto kept = std::make_shared<Responder>(std::move(responder));
    kept->ReadBody(1000, [kept](std::string body) { kept->Send(200, {}, std::to_string(body.size()) + ";"); });
  });
  HttpServerOptions options;
  options.answers_head = [](const ServerRequest& head) { return head.target == "/large"; };
  options.body_bytes_max = 10;
  const auto server = world.Serve(handler, options);
  const auto post = [&](std::string_view target, size_t bytes) {
    return Ask(world, *server,
               fmt::format("POST {} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{}", target,
                           bytes, std::string(bytes, 'x')),
               "never");
  };

  EXPECT_THAT(post("/plain", 10), EndsWith("10;"));
  EXPECT_THAT(post("/plain", 11), StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(post("/large", 1000), EndsWith("1000;"));
  EXPECT_THAT(post("http://a/large", 1000), EndsWith("1000;"));
  EXPECT_THAT(post("/large", 1001), StartsWith("HTTP/1.1 413"));
}

TEST(HttpServer, APeerIsToldToContinueWhenItsBodyIsWanted) {
  Loopback world;
  std::shared_ptr<Responder> kept;
  FunctionHandler handler(
      [&](ServerRequest, Responder responder) { kept = std::make_shared<Responder>(std::move(responder)); });
  HttpServerOptions options;
  options.answers_head = [](const ServerRequest&) { return true; };
  const auto server = world.Serve(handler, options);
  RawClient client(world.loop, server->port());
  ASSERT_TRUE(world.RunUntil([&] { return client.peer != nullptr; }));
  client.peer->socket().Write(
      std::string("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n"));
  ASSERT_TRUE(world.RunUntil([&] { return kept != nullptr; }));
  world.RunFor(Milliseconds(10));
  EXPECT_EQ(client.peer->received, "");

  kept->ReadBody(4, [&](std::string body) { kept->Send(200, {}, body + ";"); });
  ASSERT_TRUE(world.RunUntil([&] { return client.peer->received == "HTTP/1.1 100 Continue\r\n\r\n"; }));
  client.peer->socket().Write(std::string("body"));

  EXPECT_TRUE(world.RunUntil([&] { return client.peer->received.ends_with("body;"); }));
  kept.reset();
}

TEST(HttpServer, WhoDoesNotReadAnswersIsNotGivenMore) {
  Loopback world;
  size_t answered = 0;
  const std::string answer(10'000, 'x');
  FunctionHandler handler([&](ServerRequest, Responder responder) {
    ++answered;
    responder.Send(200, {}, answer);
  });
  const auto server = world.Serve(handler);
  RawClient client(world.loop, server->port());
  ASSERT_TRUE(world.RunUntil([&] { return client.peer != nullptr; }));
  client.peer->socket().PauseReading(true);
  constexpr size_t kAsked = 20'000;
  std::string requests;
  for (size_t i = 0; i < kAsked; ++i) requests += "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

  client.peer->socket().Write(requests);
  size_t before = 0;
  do {
    before = answered;
    world.RunFor(Milliseconds(50));
  } while (answered != before);

  EXPECT_LT(answered, kAsked / 2) << "what the system takes, and little more";
  client.peer->socket().PauseReading(false);
  EXPECT_TRUE(world.RunUntil([&] { return answered == kAsked; }));
}

TEST(HttpServer, WhoReadsNothingOfAnAnswerIsCutOff) {
  Loopback world;
  bool gone = false;
  std::optional<Responder> kept;
  FunctionHandler handler([&](ServerRequest, Responder responder) {
    responder.OnGone([&] { gone = true; });
    responder.Begin(200, {});
    responder.Write(std::string(32 << 20, 'x'));
    kept.emplace(std::move(responder));
  });
  HttpServerOptions options;
  options.stall_timeout = Milliseconds(100);
  const auto server = world.Serve(handler, options);
  RawClient client(world.loop, server->port());
  ASSERT_TRUE(world.RunUntil([&] { return client.peer != nullptr; }));
  client.peer->socket().PauseReading(true);

  client.peer->socket().Write(std::string("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));

  EXPECT_TRUE(world.RunUntil([&] { return gone; }));
  EXPECT_EQ(server->connection_count(), 0U);
}

TEST(HttpServer, WhenFilesRunOutThoseThatWaitGo) {
  Loopback world;
  FunctionHandler handler([](ServerRequest request, Responder responder) { Echo(request, std::move(responder)); });
  const auto server = world.Serve(handler);
  std::vector<std::unique_ptr<RawPeer>> crowd;
  for (int i = 0; i < 6; ++i) crowd.push_back(ConnectFrom(world, "127.0.0.1", *server));
  const int next_file = dup(STDIN_FILENO);
  close(next_file);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = static_cast<rlim_t>(next_file) + 3;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);

  crowd.back()->socket().Write(std::string("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  const bool is_answered = world.RunUntil([&] { return crowd.back()->received.ends_with("GET / ;"); });

  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(is_answered);
  EXPECT_TRUE(crowd.front()->closed);
}

TEST(HttpServer, ShutdownLetsRunningRequestsEnd) {
  Loopback world;
  std::optional<Responder> kept;
  FunctionHandler handler([&](ServerRequest, Responder responder) { kept.emplace(std::move(responder)); });
  const auto server = world.Serve(handler);
  const auto client = world.Client(*server);
  RawClient idle(world.loop, server->port());
  std::optional<Result<Response>> answer;
  Send(*client, MakeRequest("GET", "/"), [&](Result<Response> result) { answer = std::move(result); });
  ASSERT_TRUE(world.RunUntil([&] { return kept.has_value() && server->connection_count() == 2; }));

  bool done = false;
  server->Shutdown(Seconds(5), [&] { done = true; });
  ASSERT_TRUE(world.RunUntil([&] { return idle.peer->closed; }));
  EXPECT_FALSE(done);
  kept->Send(200, {}, "last");

  ASSERT_TRUE(world.RunUntil([&] { return done; }));
  ASSERT_TRUE(answer && *answer);
  EXPECT_EQ((*answer)->body, "last");
  EXPECT_FALSE(world.Get(*client, "/"));
}

TEST(HttpServer, ShutdownDoesNotWaitLongerThanTold) {
  Loopback world;
  std::optional<Responder> kept;
  FunctionHandler handler([&](ServerRequest, Responder responder) { kept.emplace(std::move(responder)); });
  const auto server = world.Serve(handler);
  const auto client = world.Client(*server);
  client->Start(MakeRequest("GET", "/"), {});
  ASSERT_TRUE(world.RunUntil([&] { return kept.has_value(); }));

  bool done = false;
  server->Shutdown(Milliseconds(10), [&] { done = true; });

  EXPECT_TRUE(world.RunUntil([&] { return done; }));
  EXPECT_FALSE(kept->is_open());
}

TEST(HttpServer, APortInUseIsNamed) {
  Loopback world;
  FunctionHandler handler([](ServerRequest request, Responder responder) { Echo(request, std::move(responder)); });
  const auto server = world.Serve(handler);
  HttpServerOptions options;
  options.port = server->port();

  const auto second = HttpServer::Listen(world.loop, options, handler);

  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message,
            "listen tcp 127.0.0.1:" + std::to_string(server->port()) + ": bind: address already in use");
}

TEST(HttpServer, OneChangeIsSharedByManyStreams) {
  Loopback world;
  std::vector<Responder> streams;
  FunctionHandler handler([&](ServerRequest, Responder responder) {
    responder.Begin(200, {{"Content-Type", "application/json"}});
    streams.push_back(std::move(responder));
  });
  const auto server = world.Serve(handler);
  const auto client = world.Client(*server);
  constexpr size_t kWatchers = 300;
  size_t received = 0;
  for (size_t i = 0; i < kWatchers; ++i) {
    Receiver receiver;
    receiver.on_body = [&](std::string_view piece) { received += piece.size(); };
    client->Start(MakeRequest("GET", "/watch"), std::move(receiver));
  }
  ASSERT_TRUE(world.RunUntil([&] { return streams.size() == kWatchers; }));
  const auto change = std::make_shared<const std::string>(10'000, 'x');

  for (Responder& stream : streams) stream.Write(change);

  EXPECT_GE(change.use_count(), static_cast<long>(kWatchers));
  EXPECT_TRUE(world.RunUntil([&] { return received == kWatchers * change->size(); }));
  EXPECT_EQ(change.use_count(), 1);
}

}  // namespace
}  // namespace berth::net
