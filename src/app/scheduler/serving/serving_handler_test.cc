// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/serving/serving_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "client/request/test_network.h"
#include "telemetry/log.h"

namespace berth::scheduler_app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kMetricsType = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";

// All paths are open, unless a test says otherwise.
struct Port {
  client::TestTimers timers;
  AuthenticationOptions authentication;
  AuthorizationOptions authorization = OpenToAll();
  AuthenticationConfig config{authentication, nullptr, timers, [] {}};
  DelegatedAuth auth{authentication, authorization, config, nullptr, nullptr, timers};
  telemetry::Registry metrics;
  bool is_leading = true;
  Result<void> sync = {};
  std::vector<ServingParts::OnUsage> asked;
  std::vector<BerthApi::Done> questions;
  struct Posted {
    std::string kind, body;
    BerthApi::Done done;
    std::weak_ptr<void> asker;
  };
  std::vector<Posted> posted;
  std::move_only_function<void()> gone;  // Of the peer that asked last.
  uint64_t body_max = 0;                 // What it may send.
  ServingHandler handler;

  explicit Port(bool with_leader_election = false, bool serves_profiling = true)
      : handler(
            {.auth = auth,
             .metrics = metrics,
             .timers = timers,
             .healthz = Healthz(with_leader_election),
             .readyz = {{"shutdown", [] { return Result<void>(); }}, {"sched-handler-sync", [this] { return sync; }}},
             .configuration_json = "{\"a\":1}",
             .flags = {{"v", "2"}, {"config", "/x"}, {"record", "/y", true}},
             .binary_version = "1.37.1",
             .emulation_version = "1.37",
             .serves_profiling = serves_profiling,
             .is_leading = [this] { return is_leading; },
             .ask_pod_usage = [this](ServingParts::OnUsage done) { asked.push_back(std::move(done)); },
             .core_access = {.ask = [this](BerthApi::Question,
                                           BerthApi::Done done) { questions.push_back(std::move(done)); },
                             .ask_copy = [this](std::string kind, std::string body,
                                                BerthApi::Done done) -> Result<BerthApi::Asker> {
                               if (kind == "capacity") return Fail(Code::kLimit, "too many");
                               auto asker = std::make_shared<int>();
                               posted.push_back({std::move(kind), std::move(body), std::move(done), asker});
                               return asker;
                             }}}) {}

  static AuthorizationOptions OpenToAll() {
    AuthorizationOptions options;
    options.always_allow_paths = {"*"};
    return options;
  }
  static std::vector<HealthCheck> Healthz(bool with_leader_election) {
    if (!with_leader_election) return {};
    return {{"leaderElection", [] { return Result<void>(); }}};
  }

  std::optional<Answer> Ask(std::string method, std::string target, std::vector<net::Header> headers = {},
                            std::string body = {}) {
    std::optional<Answer> got;
    auto kept = std::make_shared<std::optional<Answer>>();
    handler.Handle({.method = std::move(method),
                    .target = std::move(target),
                    .headers = std::move(headers),
                    .body = {},
                    .peer_address = {},
                    .peer_certificate = {}},
                   {.read_body =
                        [&](uint64_t bytes_max, Peer::OnBody done) {
                          body_max = bytes_max;
                          done(std::move(body));
                        },
                    .on_gone = [this](std::move_only_function<void()> callback) { gone = std::move(callback); }},
                   [kept](Answer answer) { *kept = std::move(answer); });
    last = kept;
    return *kept;
  }
  Answer Get(std::string target, std::vector<net::Header> headers = {}) {
    return Ask("GET", std::move(target), std::move(headers))
        .value_or(Answer{.status = 0, .headers = {}, .body = "no answer"});
  }
  std::shared_ptr<std::optional<Answer>> last;
};

std::string HeaderOf(const Answer& answer, std::string_view name) {
  for (const net::Header& header : answer.headers) {
    if (header.name == name) return header.value;
  }
  return "(none)";
}

TEST(ServingHandler, HealthIsOkInOneWord) {
  Port port;
  for (const char* path : {"/healthz", "/livez", "/readyz", "/healthz/ping", "/readyz/shutdown"}) {
    const Answer answer = port.Get(path);
    EXPECT_EQ(answer.status, 200) << path;
    EXPECT_EQ(answer.body, "ok") << path;
    EXPECT_EQ(HeaderOf(answer, "Content-Type"), "text/plain; charset=utf-8");
    EXPECT_EQ(HeaderOf(answer, "Cache-Control"), "no-cache, private");
  }
}

TEST(ServingHandler, QuestionsAreAnsweredByTheCore) {
  Port port;
  EXPECT_FALSE(port.Ask("GET", "/berth/v1/explain/pods/default/a?whyNot=n1"));
  port.questions.at(0)("{}");
  EXPECT_EQ((*port.last)->status, 200);
  EXPECT_EQ((*port.last)->body, "{}");
  EXPECT_EQ(HeaderOf(**port.last, "Content-Type"), "application/json");

  EXPECT_FALSE(port.Ask("GET", "/berth/v1/queue?limit=10000"));
  port.questions.at(1)(Fail(Code::kNotFound, "pod default/a: not found"));
  EXPECT_EQ((*port.last)->status, 404);
  EXPECT_THAT((*port.last)->body, HasSubstr("pod default/a: not found"));
}

TEST(ServingHandler, QuestionsThatMakeNoSenseAreRefused) {
  Port port;
  for (const char* path : {"/berth/v1/", "/berth/v1/other", "/berth/v1/explain/pods/default", "/berth/v1/queue/x"}) {
    EXPECT_EQ(port.Get(path).status, 404) << path;
  }
  for (const char* limit : {"0", "-1", "10001", "x", "1x", "99999999999999999999999"}) {
    EXPECT_EQ(port.Get(std::string("/berth/v1/queue?limit=") + limit).status, 400) << limit;
  }
  EXPECT_EQ(port.Ask("POST", "/berth/v1/queue")->status, 405);
  EXPECT_TRUE(port.questions.empty());
  EXPECT_THAT(port.Get("/berth/v1/openapi").body, HasSubstr("\"openapi\""));
}

TEST(ServingHandler, QuestionsAreBoundedInNumberAndTime) {
  Port port;
  std::vector<std::shared_ptr<std::optional<Answer>>> answers;
  for (size_t i = 0; i < BerthApi::kQuestionsMax; ++i) {
    EXPECT_FALSE(port.Ask("GET", "/berth/v1/queue"));
    answers.push_back(port.last);
  }
  const std::optional<Answer> refused = port.Ask("GET", "/berth/v1/queue");
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 429);
  EXPECT_EQ(HeaderOf(*refused, "Retry-After"), "1");
  port.questions.at(0)("{}");
  EXPECT_EQ((*answers[0])->status, 200);
  EXPECT_FALSE(port.Ask("GET", "/berth/v1/queue"));

  port.timers.Advance(BerthApi::kTimeMax);
  ASSERT_TRUE(*answers[1]);
  EXPECT_EQ((*answers[1])->status, 504);
  // They are under way until the core has answered.
  EXPECT_EQ(port.Ask("GET", "/berth/v1/queue")->status, 429);
  for (size_t i = 1; i < port.questions.size(); ++i) port.questions[i]("{}");
  EXPECT_EQ((*answers[1])->status, 504);
  EXPECT_FALSE(port.Ask("GET", "/berth/v1/queue"));
}

TEST(ServingHandler, PostedQuestionsGoToACopy) {
  Port port;

  EXPECT_FALSE(port.Ask("POST", "/berth/v1/plan", {}, "{}"));

  EXPECT_EQ(port.body_max, 8U << 20);
  ASSERT_EQ(port.posted.size(), 1U);
  EXPECT_EQ(port.posted[0].kind, "plan");
  EXPECT_EQ(port.posted[0].body, "{}");
  EXPECT_FALSE(port.posted[0].asker.expired());
  port.posted[0].done("answer");
  EXPECT_EQ((*port.last)->status, 200);
  EXPECT_EQ((*port.last)->body, "answer");
  EXPECT_EQ(HeaderOf(**port.last, "Content-Type"), "application/json");
  EXPECT_TRUE(port.posted[0].asker.expired());
  EXPECT_EQ(port.Get("/berth/v1/plan").status, 405);
  EXPECT_EQ(HeaderOf(port.Get("/berth/v1/what-if"), "Allow"), "POST");
  EXPECT_EQ(port.Ask("POST", "/berth/v1/capacity")->status, 429) << "as many as may be work on copies";
}

TEST(ServingHandler, ErrorsOfPostedQuestionsSayWhoseTheyAre) {
  const std::vector<std::pair<Code, int>> statuses = {{Code::kInvalid, 400},     {Code::kLimit, 400},
                                                      {Code::kNotFound, 404},    {Code::kInternal, 500},
                                                      {Code::kUnavailable, 503}, {Code::kDeadline, 504}};
  for (const auto& [code, status] : statuses) {
    Port port;
    EXPECT_FALSE(port.Ask("POST", "/berth/v1/what-if", {}, "{}"));
    port.posted.at(0).done(Fail(code, "changes[0]: no"));
    EXPECT_EQ((*port.last)->status, status);
    EXPECT_THAT((*port.last)->body, HasSubstr("changes[0]: no"));
  }
}

TEST(ServingHandler, PostedQuestionsEndWithThoseWhoAsk) {
  Port port;
  EXPECT_FALSE(port.Ask("POST", "/berth/v1/plan", {}, "{}"));
  port.gone();
  EXPECT_TRUE(port.posted.at(0).asker.expired());

  EXPECT_FALSE(port.Ask("POST", "/berth/v1/plan", {}, "{}"));
  port.timers.Advance(BerthApi::kTimeMax);
  EXPECT_EQ((*port.last)->status, 504);
  EXPECT_TRUE(port.posted.at(1).asker.expired());
}

TEST(ServingHandler, BodiesAreNotReadBeforeThereIsRoomForTheirQuestions) {
  Port port;
  for (size_t i = 0; i < BerthApi::kQuestionsMax; ++i) EXPECT_FALSE(port.Ask("POST", "/berth/v1/plan", {}, "{}"));
  port.body_max = 0;

  EXPECT_EQ(port.Ask("POST", "/berth/v1/plan", {}, "{}")->status, 429);

  EXPECT_EQ(port.body_max, 0U);
  port.posted.at(0).done("{}");
  EXPECT_FALSE(port.Ask("POST", "/berth/v1/plan", {}, "{}"));

  Port closed;
  closed.authorization.always_allow_paths.clear();
  EXPECT_EQ(closed.Ask("POST", "/berth/v1/plan", {}, "{}")->status, 403);
  EXPECT_EQ(closed.body_max, 0U);
}

TEST(ServingHandler, HealthIsToldInDetail) {
  Port port;
  EXPECT_EQ(port.Get("/healthz?verbose").body, "[+]ping ok\nhealthz check passed\n");
  EXPECT_EQ(port.Get("/readyz?verbose").body, "[+]shutdown ok\n[+]sched-handler-sync ok\nreadyz check passed\n");
  EXPECT_EQ(port.Get("/readyz?exclude=shutdown&verbose").body,
            "[+]shutdown excluded: ok\n[+]sched-handler-sync ok\nreadyz check passed\n");
  EXPECT_EQ(port.Get("/readyz?exclude=nope&verbose").body,
            "[+]shutdown ok\n[+]sched-handler-sync ok\nwarn: some health checks cannot be excluded: no matches for "
            "\"nope\"\nreadyz check passed\n");
  Port elected(true);
  EXPECT_EQ(elected.Get("/healthz?verbose").body, "[+]leaderElection ok\nhealthz check passed\n");
  EXPECT_EQ(elected.Get("/healthz/ping").status, 404);
}

TEST(ServingHandler, FailedCheckIsNamedButNotExplained) {
  Port port;
  port.sync = Fail(Code::kUnavailable, "handlers are not fully synchronized");

  const Answer answer = port.Get("/readyz");

  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body, "[+]shutdown ok\n[-]sched-handler-sync failed: reason withheld\nreadyz check failed\n");
  EXPECT_EQ(port.Get("/readyz/sched-handler-sync").body,
            "internal server error: handlers are not fully synchronized\n");
  EXPECT_THAT(
      port.Get("/metrics/slis").body,
      AllOf(HasSubstr("kubernetes_healthcheck{name=\"sched-handler-sync\",type=\"readyz\"} 0\n"),
            HasSubstr("kubernetes_healthchecks_total{name=\"shutdown\",status=\"success\",type=\"readyz\"} 1\n"),
            HasSubstr("# HELP process_start_time_seconds [ALPHA]")));
}

TEST(ServingHandler, UnknownPathsAreNotFound) {
  Port port;
  for (const char* path :
       {"/", "/nope", "/version", "/healthz/nope", "/healthz/", "/readyz/leaderElection", "/debug/x"}) {
    const Answer answer = port.Get(path);
    EXPECT_EQ(answer.status, 404) << path;
    EXPECT_EQ(answer.body, "404 page not found\n");
    EXPECT_EQ(HeaderOf(answer, "X-Content-Type-Options"), "nosniff");
  }
}

TEST(ServingHandler, MetricsAreServedFilteredCompressedAndReset) {
  Port port;
  telemetry::Counter& counter = port.metrics.AddCounter({"a_total", "A."}, {"l"}).With("x");
  port.metrics.AddCounter({"b_total", "B."});
  counter.Add();

  const Answer answer = port.Get("/metrics");
  EXPECT_EQ(HeaderOf(answer, "Content-Type"), kMetricsType);
  EXPECT_THAT(answer.body, HasSubstr("a_total{l=\"x\"} 1\n"));
  EXPECT_THAT(port.Get("/metrics?name[]=b_total").body, StartsWith("# HELP b_total"));
  EXPECT_EQ(
      HeaderOf(port.Get("/metrics", {{"Accept", "text/plain;version=0.0.4;escaping=allow-utf-8"}}), "Content-Type"),
      "text/plain; version=0.0.4; charset=utf-8; escaping=allow-utf-8");

  const Answer compressed = port.Get("/metrics", {{"Accept-Encoding", "gzip"}});
  EXPECT_EQ(HeaderOf(compressed, "Content-Encoding"), "gzip");
  z_stream stream{};
  ASSERT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string plain(answer.body.size() + 10, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.body.data()));
  stream.avail_in = static_cast<uInt>(compressed.body.size());
  stream.next_out = reinterpret_cast<Bytef*>(plain.data());
  stream.avail_out = static_cast<uInt>(plain.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  plain.resize(stream.total_out);
  inflateEnd(&stream);
  EXPECT_EQ(plain, answer.body);
  EXPECT_EQ(HeaderOf(port.Get("/metrics", {{"Accept-Encoding", "gzip;q=0, identity"}}), "Content-Encoding"), "(none)");

  EXPECT_EQ(port.Ask("DELETE", "/metrics")->body, "metrics reset\n");
  EXPECT_EQ(counter.value(), 0U);
}

TEST(ServingHandler, PodResourcesComeFromTheCoreWhileLeading) {
  Port port;
  EXPECT_FALSE(port.Ask("GET", "/metrics/resources")) << "the answer comes later";
  ASSERT_EQ(port.asked.size(), 1U);
  port.asked[0]({{.ns = "default",
                  .name = "p1",
                  .node = "n1",
                  .scheduler = "s",
                  .priority = "0",
                  .requests = {{"cpu", 0.5}, {"memory", 1073741824}, {"example.com/d", 0}},
                  .limits = {}}});

  ASSERT_TRUE(*port.last);
  EXPECT_EQ((*port.last)->body,
            "# HELP kube_pod_resource_request [STABLE] What a pod asks for of a resource.\n"
            "# TYPE kube_pod_resource_request gauge\n"
            "kube_pod_resource_request{namespace=\"default\",node=\"n1\",pod=\"p1\",priority=\"0\",resource=\"cpu\","
            "scheduler=\"s\",unit=\"cores\"} 0.5\n"
            "kube_pod_resource_request{namespace=\"default\",node=\"n1\",pod=\"p1\",priority=\"0\",resource=\"memory\","
            "scheduler=\"s\",unit=\"bytes\"} 1.073741824e+09\n");

  port.is_leading = false;
  const Answer standby = port.Get("/metrics/resources");
  EXPECT_EQ(standby.status, 200);
  EXPECT_EQ(standby.body, "");
  EXPECT_EQ(HeaderOf(standby, "Content-Type"), "(none)");
}

TEST(ServingHandler, ConfigurationAndFlagsAreShown) {
  Port port;
  EXPECT_EQ(port.Get("/configz").body, "{\"componentconfig\":{\"a\":1}}");
  EXPECT_EQ(HeaderOf(port.Get("/configz"), "Content-Type"), "application/json");
  EXPECT_THAT(port.Get("/flagz").body,
              AllOf(StartsWith("\nkube-scheduler flagz\nWarning: "), HasSubstr("\nconfig=/x\nrecord=/y\nv=2\n")));
  const Answer structured = port.Get("/flagz", {{"Accept", "application/json;v=v1beta1;g=config.k8s.io;as=Flagz"}});
  EXPECT_EQ(HeaderOf(structured, "Content-Type"), "application/json;g=config.k8s.io;v=v1beta1;as=Flagz");
  EXPECT_EQ(structured.body,
            "{\"kind\":\"Flagz\",\"apiVersion\":\"config.k8s.io/v1beta1\",\"metadata\":{\"name\":\"kube-scheduler\"},"
            "\"flags\":{\"config\":\"/x\",\"v\":\"2\"}}\n");
  EXPECT_THAT(port.Get("/flagz", {{"Accept", "application/yaml;v=v1alpha1;g=config.k8s.io;as=Flagz"}}).body,
              HasSubstr("kind: Flagz\n"));
}

TEST(ServingHandler, StatusIsShownInTheFormThatWasAskedFor) {
  Port port;
  EXPECT_THAT(port.Get("/statusz", {{"Accept", "*/*"}}).body,
              AllOf(HasSubstr("\nEmulation version: 1.37\nPaths: /configz /flagz /healthz /livez /metrics /readyz\n")));
  EXPECT_THAT(port.Get("/statusz", {{"Accept", "application/json;v=v1alpha1;g=config.k8s.io;as=Statusz"}}).body,
              HasSubstr("\"uptimeSeconds\":"));
  for (const char* accept : {"application/json", "image/png", "application/json;v=v1;g=config.k8s.io;as=Statusz"}) {
    const Answer refused = port.Get("/statusz", {{"Accept", accept}});
    EXPECT_EQ(refused.status, 406);
    EXPECT_THAT(
        refused.body,
        HasSubstr("only the following media types are accepted: application/json, application/yaml, text/plain"));
  }
}

TEST(ServingHandler, VerbosityCanBeChanged) {
  Port port;
  const Answer changed = *port.Ask("PUT", "/debug/flags/v", {}, "3");
  EXPECT_EQ(changed.body, "successfully set klog.logging.verbosity to 3\n");
  EXPECT_EQ(HeaderOf(changed, "Content-Type"), "text/plain");
  EXPECT_EQ(telemetry::LogVerbosity(), 3);
  EXPECT_EQ(port.Ask("PUT", "/debug/flags/v", {}, "abc")->body, "strconv.ParseUint: parsing \"abc\": invalid syntax\n");
  EXPECT_EQ(port.Ask("PUT", "/debug/flags/v", {}, "99999999999")->status, 400);
  EXPECT_EQ(port.Get("/debug/flags/v").status, 406);
  telemetry::SetLogVerbosity(0);
  EXPECT_EQ(Port(false, false).Get("/debug/flags/v").status, 404);
}

TEST(ServingHandler, RefusalsAreNotCachedEither) {
  Port port;
  port.authorization.always_allow_paths.clear();
  const Answer answer = port.Get("/metrics");
  EXPECT_EQ(answer.status, 403);
  EXPECT_EQ(HeaderOf(answer, "Cache-Control"), "no-cache, private");
}

}  // namespace
}  // namespace berth::scheduler_app
