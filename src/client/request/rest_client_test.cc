// SPDX-License-Identifier: Apache-2.0
#include "client/request/rest_client.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "client/request/test_network.h"

namespace berth::client {
namespace {

using ::testing::ElementsAre;

class Log final : public RequestObserver {
 public:
  void OnRateLimiterWait(const ObservedRequest& request, Duration wait, std::string_view reason) override {
    lines.push_back(fmt::format("wait {} {} {}", request.verb, FormatDuration(wait), reason));
  }
  void OnTry(const ObservedRequest& request, std::optional<int> status, bool is_retry) override {
    lines.push_back(fmt::format("try {} {} {}", request.server, status.value_or(-1), is_retry));
  }
  void OnRequestSize(const ObservedRequest& request, size_t bytes) override {
    lines.push_back(fmt::format("sent {} {}", request.path, bytes));
  }
  void OnResponseSize(const ObservedRequest&, size_t bytes) override { lines.push_back(fmt::format("got {}", bytes)); }
  void OnDuration(const ObservedRequest&, Duration duration) override {
    lines.push_back(fmt::format("took {}", FormatDuration(duration)));
  }

  std::vector<std::string> lines;
};

// Credentials that come when the test says so.
class SlowCredentials final : public Credentials {
 public:
  void Get(Ready ready) override { waiting.push_back(std::move(ready)); }
  void OnUnauthorized(uint64_t version) override { refused.push_back(version); }

  std::vector<Ready> waiting;
  std::vector<uint64_t> refused;
};

struct ClientBench {
  explicit ClientBench(float qps = 0, int32_t burst = 1, std::string server = "https://kube:6443/base")
      : client(transport, timers, *credentials, {std::move(server), "berth/1", qps, burst}, &log) {}

  RestClient::CallId Get(std::string path) {
    RestRequest request;
    request.path = std::move(path);
    return Send(std::move(request));
  }
  RestClient::CallId Send(RestRequest request) {
    return client.Send(std::move(request), [this](Result<RestAnswer> answer) { answers.push_back(std::move(answer)); });
  }

  TestTimers timers;
  TestTransport transport;
  Log log;
  std::unique_ptr<Credentials> credentials = BearerToken("secret");
  RestClient client;
  std::vector<Result<RestAnswer>> answers;
};

TEST(RestClient, SendsARequestWithItsHeadersAndBringsTheAnswer) {
  ClientBench bench;
  RestRequest request;
  request.method = "POST";
  request.path = "/api/v1/namespaces/default/pods/web/binding";
  request.query = "dryRun=All";
  request.content_type = kJson;
  request.body = "{}";
  bench.Send(request);

  ASSERT_EQ(bench.transport.started(), 1u);
  const TestTransport::Call& call = bench.transport.last();
  EXPECT_EQ(call.request.method, "POST");
  EXPECT_EQ(call.request.target, "/api/v1/namespaces/default/pods/web/binding?dryRun=All");
  EXPECT_EQ(call.request.body, "{}");
  EXPECT_EQ(call.Header("Authorization"), "Bearer secret");
  EXPECT_EQ(call.Header("User-Agent"), "berth/1");
  EXPECT_EQ(call.Header("Accept"), kJson);
  EXPECT_EQ(call.Header("Content-Type"), kJson);

  bench.timers.Advance(Milliseconds(20));
  bench.transport.Answer(call.id, 201, "done", {{"content-type", "text/plain"}});

  ASSERT_EQ(bench.answers.size(), 1u);
  EXPECT_EQ(bench.answers[0]->status, 201);
  EXPECT_EQ(bench.answers[0]->content_type, "text/plain");
  EXPECT_EQ(bench.answers[0]->body, "done");
  EXPECT_THAT(bench.log.lines, ElementsAre("wait POST 0s ", "try kube:6443 201 false",
                                           "sent /api/v1/namespaces/default/pods/web/binding 2", "took 20ms", "got 4"));
}

TEST(RestClient, WaitsForItsTurnFirstComeFirstServed) {
  ClientBench bench(10, 2);
  for (int i = 0; i < 4; ++i) bench.Get(fmt::format("/{}", i));
  EXPECT_EQ(bench.transport.started(), 2u);

  bench.timers.Advance(Milliseconds(101));
  EXPECT_EQ(bench.transport.started(), 3u);
  EXPECT_EQ(bench.transport.last().request.target, "/2");
  bench.timers.Advance(Milliseconds(101));
  EXPECT_EQ(bench.transport.last().request.target, "/3");
  EXPECT_EQ(bench.log.lines.back().substr(0, 14), "wait GET 200.0");
  EXPECT_EQ(bench.timers.pending(), 0u);
}

TEST(RestClient, RepeatsWhatTheServerAsksToRepeatTenTimesAtMost) {
  ClientBench bench;
  RestRequest request;
  request.method = "PATCH";
  request.path = "/p";
  bench.Send(request);

  for (size_t tries = 1; tries <= 10; ++tries) {
    bench.transport.Answer(bench.transport.last().id, tries % 2 == 0 ? 429 : 503, "busy", {{"Retry-After", "2"}});
    EXPECT_EQ(bench.transport.started(), tries);
    bench.timers.Advance(Milliseconds(1999));
    EXPECT_EQ(bench.transport.started(), tries);
    bench.timers.Advance(Milliseconds(1));
    ASSERT_EQ(bench.transport.started(), tries + 1);
  }
  EXPECT_TRUE(bench.answers.empty());
  bench.transport.Answer(bench.transport.last().id, 429, "no", {{"Retry-After", "2"}});

  ASSERT_EQ(bench.answers.size(), 1u);
  EXPECT_EQ(bench.answers[0]->status, 429);
  EXPECT_EQ(bench.answers[0]->body, "no");
  EXPECT_EQ(bench.timers.pending(), 0u);
}

TEST(RestClient, GivesTheReasonOfARepetition) {
  ClientBench bench;
  bench.Get("/p");
  bench.transport.Answer(bench.transport.last().id, 429, "",
                         {{"Retry-After", "1"}, {"X-Kubernetes-Pf-Flowschema-Uid", "abc"}});
  bench.timers.Advance(Seconds(1));
  EXPECT_EQ(bench.log.lines.back(),
            "wait GET 0s retries: 1, retry-after: 1s - retry-reason: due to server-side throttling, FlowSchema UID: "
            "\"abc\"");
}

TEST(RestClient, ARepetitionKeepsToTheRateToo) {
  ClientBench bench(1, 1);
  bench.Get("/a");
  bench.transport.Answer(1, 500, "", {{"Retry-After", "0"}});
  bench.timers.Run();
  EXPECT_EQ(bench.transport.started(), 1u);
  bench.timers.Advance(Milliseconds(1001));
  EXPECT_EQ(bench.transport.started(), 2u);
}

TEST(RestClient, AnswersWithoutAUsableRetryAfterAreFinal) {
  struct Case {
    int status;
    std::vector<net::Header> headers;
  };
  for (const Case& item : std::vector<Case>{{500, {}},
                                            {429, {}},
                                            {404, {{"Retry-After", "1"}}},
                                            {503, {{"Retry-After", "soon"}}},
                                            {503, {{"Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT"}}}}) {
    ClientBench bench;
    bench.Get("/p");
    bench.transport.Answer(1, item.status, "", item.headers);
    ASSERT_EQ(bench.answers.size(), 1u);
    EXPECT_EQ(bench.answers[0]->status, item.status);
  }
}

TEST(RestClient, AGetWhoseConnectionBrokeIsTriedAgainAfterASecond) {
  ClientBench bench;
  bench.Get("/p");
  bench.transport.Fail(1, Code::kInternal, "read: connection reset by peer");
  bench.timers.Advance(Milliseconds(999));
  EXPECT_EQ(bench.transport.started(), 1u);
  bench.timers.Advance(Milliseconds(1));
  ASSERT_EQ(bench.transport.started(), 2u);
  bench.transport.Fail(2, Code::kUnavailable, "dial tcp: connection refused");

  ASSERT_EQ(bench.answers.size(), 1u);
  EXPECT_EQ(bench.answers[0].error().code, Code::kUnavailable);
  EXPECT_EQ(bench.answers[0].error().message,
            "Get \"https://kube:6443/base/p\": dial tcp: connection refused - error from a previous attempt: read: "
            "connection reset by peer");
  EXPECT_THAT(bench.log.lines, ::testing::Contains("try kube:6443 -1 true"));
}

TEST(RestClient, OtherFailuresAreLeftToTheCaller) {
  struct Case {
    std::string method;
    Code code;
  };
  for (const Case& item : {Case{"POST", Code::kInternal}, Case{"PUT", Code::kUnavailable},
                           Case{"GET", Code::kUnavailable}, Case{"GET", Code::kDeadline}}) {
    ClientBench bench;
    RestRequest request;
    request.method = item.method;
    request.path = "/p";
    bench.Send(request);
    bench.transport.Fail(1, item.code, "EOF");
    ASSERT_EQ(bench.answers.size(), 1u);
    EXPECT_EQ(bench.answers[0].error().code, item.code);
    EXPECT_EQ(bench.timers.pending(), 0u);
  }
}

TEST(RestClient, ABodyThatBreaksOffIsAnErrorAndNotRepeated) {
  ClientBench bench;
  bench.Get("/p");
  bench.transport.Head(1, 200);
  bench.transport.Body(1, "{\"ki");
  bench.transport.Fail(1, Code::kInternal, "unexpected EOF");
  ASSERT_EQ(bench.answers.size(), 1u);
  EXPECT_EQ(bench.answers[0].error().message,
            "unexpected error when reading response body. Please retry. Original error: unexpected EOF");
}

TEST(RestClient, ACancelledCallIsNotHeardOfAgain) {
  ClientBench bench(1, 1);
  RestClient::CallId running = bench.Get("/running");
  RestClient::CallId waiting = bench.Get("/waiting");
  bench.Get("/other");

  bench.client.Cancel(running);
  bench.client.Cancel(waiting);
  bench.client.Cancel(waiting);
  bench.timers.Advance(Seconds(5));

  EXPECT_THAT(bench.transport.cancelled(), ElementsAre(1));
  ASSERT_EQ(bench.transport.started(), 2u);
  EXPECT_EQ(bench.transport.last().request.target, "/other");
  EXPECT_TRUE(bench.answers.empty());

  RestClient::CallId again = bench.Get("/again");
  bench.timers.Advance(Seconds(5));
  bench.transport.Answer(3, 503, "", {{"Retry-After", "1"}});
  bench.client.Cancel(again);
  bench.timers.Advance(Seconds(5));
  EXPECT_EQ(bench.transport.started(), 3u);
}

TEST(RestClient, StreamsAnAnswerInPiecesAndPausesIt) {
  ClientBench bench;
  std::string heard;
  RestRequest request;
  request.path = "/watch";
  RestClient::CallId call = bench.client.Stream(
      request, net::Receiver{[&](const net::ResponseHead& head) { heard += fmt::format("{};", head.status); },
                             [&](std::string_view piece) { heard += fmt::format("{};", piece); },
                             [&](Result<void> end) { heard += end ? "end" : end.error().message; }});
  bench.transport.Head(1, 200);
  bench.transport.Body(1, "a");
  bench.client.Pause(call, true);
  EXPECT_TRUE(bench.transport.last().paused);
  bench.client.Pause(call, false);
  EXPECT_FALSE(bench.transport.last().paused);
  bench.transport.Body(1, "b");
  bench.transport.Fail(1, Code::kInternal, "unexpected EOF");

  EXPECT_EQ(heard, "200;a;b;unexpected EOF");
  EXPECT_THAT(bench.log.lines, ElementsAre("wait GET 0s ", "try kube:6443 200 false"));
}

TEST(RestClient, AStreamIsNotRepeated) {
  ClientBench bench;
  std::string heard;
  RestRequest request;
  request.path = "/watch";
  bench.client.Stream(request,
                      net::Receiver{[&](const net::ResponseHead& head) { heard += fmt::format("{};", head.status); },
                                    {},
                                    [&](Result<void>) { heard += "end"; }});
  bench.transport.Answer(1, 429, "busy", {{"Retry-After", "1"}});
  EXPECT_EQ(heard, "429;end");
  EXPECT_EQ(bench.timers.pending(), 0u);
}

TEST(RestClient, AStreamMayCancelItselfAndEvenDestroyTheClient) {
  TestTimers timers;
  TestTransport transport;
  std::unique_ptr<Credentials> credentials = NoCredentials();
  auto client = std::make_unique<RestClient>(transport, timers, *credentials, RestClient::Options{}, nullptr);
  RestClient::CallId call = 0;
  std::string heard;
  call = client->Stream(RestRequest(), net::Receiver{{},
                                                     [&](std::string_view piece) {
                                                       client->Cancel(call);
                                                       heard += piece;
                                                     },
                                                     {}});
  transport.Body(1, "a");
  transport.Body(1, "b");
  EXPECT_EQ(heard, "a");

  client->Stream(RestRequest(), net::Receiver{{},
                                              [&](std::string_view piece) {
                                                client.reset();
                                                heard += piece;
                                              },
                                              {}});
  transport.Body(2, "c");
  EXPECT_EQ(heard, "ac");
  EXPECT_EQ(transport.open(), 0u);
}

TEST(RestClient, WaitsForCredentialsAndTellsThemOfRefusals) {
  TestTimers timers;
  TestTransport transport;
  SlowCredentials credentials;
  RestClient client(transport, timers, credentials, {}, nullptr);
  std::optional<Result<RestAnswer>> answer;
  client.Send(RestRequest(), [&](Result<RestAnswer> got) { answer = std::move(got); });
  EXPECT_EQ(transport.started(), 0u);

  credentials.waiting[0](Authorization{{{"Authorization", "Bearer x"}}, 7});
  ASSERT_EQ(transport.started(), 1u);
  transport.Answer(1, 401);
  ASSERT_TRUE(answer);
  EXPECT_EQ((*answer)->status, 401);
  EXPECT_THAT(credentials.refused, ElementsAre(7));
}

TEST(RestClient, FailsWhenThereAreNoCredentials) {
  TestTimers timers;
  TestTransport transport;
  SlowCredentials credentials;
  auto client = std::make_unique<RestClient>(transport, timers, credentials,
                                             RestClient::Options{"https://kube", "", 0, 0}, nullptr);
  std::optional<Result<RestAnswer>> answer;
  RestRequest request;
  request.path = "/p";
  client->Send(request, [&](Result<RestAnswer> got) { answer = std::move(got); });
  client->Send(request, [&](Result<RestAnswer>) { FAIL(); });

  credentials.waiting[0](Invalid("exec: executable x not found"));
  EXPECT_FALSE(answer);
  timers.Run();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->error().code, Code::kUnavailable);
  EXPECT_EQ(answer->error().message, "Get \"https://kube/p\": getting credentials: exec: executable x not found");

  client.reset();
  credentials.waiting[1](Authorization{});
  EXPECT_EQ(transport.started(), 0u);
}

}  // namespace
}  // namespace berth::client
