// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/serving/delegated_auth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/scheduler/serving/front_proxy.h"
#include "client/test_network.h"

namespace berth::scheduler_app {
namespace {

using ::testing::HasSubstr;

constexpr const char* kConfigMap = R"({"kind":"ConfigMap","data":{
    "client-ca-file":"CA","requestheader-client-ca-file":"PROXY-CA","requestheader-allowed-names":"[\"proxy\"]",
    "requestheader-username-headers":"[\"X-Remote-User\"]","requestheader-group-headers":"[\"X-Remote-Group\"]",
    "requestheader-extra-headers-prefix":"[\"X-Remote-Extra-\"]"}})";

struct World {
  client::TestTimers timers;
  client::TestTransport transport;
  std::unique_ptr<client::Credentials> credentials = client::NoCredentials();
  client::RestClient client{
      transport, timers, *credentials, {.server = "http://127.0.0.1", .user_agent = "test", .qps = 0}, nullptr};
  AuthenticationOptions authentication;
  AuthorizationOptions authorization;
  int changes = 0;
  std::unique_ptr<AuthenticationConfig> config;
  std::unique_ptr<DelegatedAuth> auth;
  std::vector<std::optional<Answer>> answers;

  void Make(bool with_server = true) {
    client::RestClient* const server = with_server ? &client : nullptr;
    config = std::make_unique<AuthenticationConfig>(authentication, server, timers, [this] { ++changes; });
    auth = std::make_unique<DelegatedAuth>(authentication, authorization, *config, server, server, timers);
  }
  Result<void> Start(int status = 200, std::string_view body = kConfigMap) {
    std::optional<Result<void>> started;
    config->Start([&](Result<void> result) { started = std::move(result); });
    timers.Run();
    if (!started) transport.Answer(transport.last().id, status, body, {{"Content-Type", "application/json"}});
    timers.Run();
    return started ? *started : Fail(Code::kInternal, "no answer");
  }
  void Ask(net::ServerRequest request) {
    auth->Admit(request, [this](std::optional<Answer> answer) { answers.push_back(std::move(answer)); });
    timers.Run();
  }
  void Reply(std::string_view body, int status = 200) {
    transport.Answer(transport.last().id, status, body, {{"Content-Type", "application/json"}});
    timers.Run();
  }
};

net::ServerRequest Get(std::string path, std::string token = {}) {
  net::ServerRequest request{.method = "GET",
                             .target = std::move(path),
                             .headers = {},
                             .body = {},
                             .peer_address = {},
                             .peer_certificate = {}};
  if (!token.empty()) request.headers.push_back({"Authorization", "Bearer " + token});
  return request;
}

std::shared_ptr<net::PeerCertificate> Certificate(std::string name, std::vector<std::string> organizations) {
  auto certificate = std::make_shared<net::PeerCertificate>();
  certificate->common_name = std::move(name);
  certificate->organizations = std::move(organizations);
  return certificate;
}

TEST(DelegatedAuth, OpenPathsNeedNoQuestion) {
  World world;
  world.authorization.always_allow_paths = {"/healthz", "/open/*"};
  world.Make();
  world.Ask(Get("/healthz?verbose"));
  world.Ask(Get("/open/door"));

  ASSERT_EQ(world.answers.size(), 2U);
  EXPECT_FALSE(world.answers[0]);
  EXPECT_FALSE(world.answers[1]);
  EXPECT_EQ(world.transport.started(), 0U);
}

TEST(DelegatedAuth, AnonymousIsForbiddenWhatTheServerDoesNotAllow) {
  World world;
  world.Make();
  world.Ask(Get("/metrics"));

  EXPECT_EQ(world.transport.last().request.target, "/apis/authorization.k8s.io/v1/subjectaccessreviews");
  EXPECT_THAT(
      world.transport.last().request.body,
      HasSubstr(
          R"("spec":{"nonResourceAttributes":{"path":"/metrics","verb":"get"},"user":"system:anonymous","groups":["system:unauthenticated"]})"));
  world.Reply(R"({"status":{"allowed":false}})");
  ASSERT_EQ(world.answers.size(), 1U);
  EXPECT_EQ(world.answers[0]->status, 403);
  EXPECT_EQ(
      world.answers[0]->body,
      "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\"forbidden: User "
      "\\\"system:anonymous\\\" cannot get path "
      "\\\"/metrics\\\"\",\"reason\":\"Forbidden\",\"details\":{},\"code\":403}\n");

  world.Ask(Get("/metrics"));
  EXPECT_EQ(world.answers.size(), 2U) << "the answer is remembered";
  world.timers.Advance(Seconds(11));
  world.Ask(Get("/metrics"));
  EXPECT_EQ(world.transport.started(), 2U) << "but not for ever";
}

TEST(DelegatedAuth, TokenIsReviewedOnceAndItsOwnerAuthorized) {
  World world;
  world.Make();
  world.Ask(Get("/metrics", "secret"));
  world.Ask(Get("/metrics", "secret"));
  ASSERT_EQ(world.transport.started(), 1U) << "one question while its answer is under way";
  EXPECT_EQ(world.transport.last().request.target, "/apis/authentication.k8s.io/v1/tokenreviews");
  world.Reply(
      R"({"status":{"authenticated":true,"user":{"username":"ann","uid":"3","groups":["dev"],"extra":{"k":["v"]}}}})");

  EXPECT_THAT(world.transport.last().request.body,
              HasSubstr(R"("user":"ann","groups":["dev","system:authenticated"],"extra":{"k":["v"]},"uid":"3")"));
  world.Reply(R"({"status":{"allowed":true}})");
  ASSERT_EQ(world.answers.size(), 2U);
  EXPECT_FALSE(world.answers[0]);
  EXPECT_FALSE(world.answers[1]);
}

TEST(DelegatedAuth, UnknownTokenIsUnauthorizedEvenOnOpenPaths) {
  World world;
  world.Make();
  world.Ask(Get("/healthz", "nobody"));
  world.Reply(R"({"status":{"user":{}}})");

  ASSERT_EQ(world.answers.size(), 1U);
  EXPECT_EQ(world.answers[0]->status, 401);
  EXPECT_EQ(
      world.answers[0]->body,
      "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\"Unauthorized\","
      "\"reason\":\"Unauthorized\",\"code\":401}\n");
}

TEST(DelegatedAuth, WithoutServerTokensSayNothing) {
  World world;
  world.Make(false);
  ASSERT_TRUE(world.Start());
  world.Ask(Get("/metrics", "secret"));
  world.Ask(Get("/healthz", "secret"));

  ASSERT_EQ(world.answers.size(), 2U);
  EXPECT_THAT(world.answers[0]->body, HasSubstr("system:anonymous"));
  EXPECT_FALSE(world.answers[1]);
}

TEST(DelegatedAuth, MastersAndFailuresOfTheServer) {
  World world;
  world.Make();
  world.Ask(Get("/metrics", "root"));
  world.Reply(R"({"status":{"authenticated":true,"user":{"username":"root","groups":["system:masters"]}}})");
  ASSERT_EQ(world.answers.size(), 1U);
  EXPECT_FALSE(world.answers[0]);

  world.Ask(Get("/configz"));
  for (int i = 0; i < 5; ++i) {
    world.Reply("{}", 500);
    world.timers.Advance(Seconds(5));
  }
  ASSERT_EQ(world.answers.size(), 2U);
  EXPECT_EQ(world.answers[1]->status, 500);
  EXPECT_THAT(world.answers[1]->body, HasSubstr("Internal Server Error: \"/configz\": "));
}

TEST(DelegatedAuth, CertificateOfAKnownAuthorityIsAUser) {
  World world;
  world.Make();
  ASSERT_TRUE(world.Start());
  EXPECT_EQ(world.config->client_ca_pem(), "CA");
  EXPECT_EQ(world.changes, 1);

  net::ServerRequest request = Get("/metrics");
  request.peer_certificate = Certificate("bob", {"system:masters"});
  world.Ask(request);
  auto stranger = Certificate("eve", {"system:masters"});
  stranger->error = "x509: certificate signed by unknown authority";
  request.peer_certificate = stranger;
  world.Ask(request);

  ASSERT_EQ(world.answers.size(), 2U);
  EXPECT_FALSE(world.answers[0]);
  EXPECT_EQ(world.answers[1]->status, 401);
}

TEST(DelegatedAuth, ConfigurationIsReadAgain) {
  World world;
  world.Make();
  ASSERT_TRUE(world.Start());
  world.timers.Advance(Seconds(60));
  world.Reply(R"({"data":{"client-ca-file":"NEW"}})");

  EXPECT_EQ(world.config->client_ca_pem(), "NEW");
  EXPECT_EQ(world.changes, 2);
}

TEST(DelegatedAuth, FailedLookupIsToleratedOrNot) {
  World tolerant;
  tolerant.Make();
  EXPECT_TRUE(tolerant.Start(403, R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":"Forbidden","code":403})"));

  World strict;
  strict.authentication.tolerate_lookup_failure = false;
  strict.Make();
  const Result<void> started = strict.Start(403, R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":"Forbidden","code":403})");
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().message, "unable to load configmap based request-header-client-ca-file: no");
}

TEST(FrontProxy, SpeaksForUsersIfItsNameIsAllowed) {
  const FrontProxy proxy{.ca_pem = "PROXY-CA",
                         .allowed_names = {"proxy"},
                         .username_headers = {"X-Remote-User"},
                         .uid_headers = {"X-Remote-Uid"},
                         .group_headers = {"X-Remote-Group"},
                         .extra_headers_prefixes = {"X-Remote-Extra-"}};
  const std::vector<net::Header> headers = {
      {"x-remote-user", "ann"}, {"X-Remote-Group", "a"}, {"X-Remote-Group", "b"}, {"X-Remote-Extra-Sco%2fpe", "s"}};
  auto certificate = Certificate("proxy", {});
  EXPECT_FALSE(UserOfProxy(proxy, *certificate, headers)) << "nobody vouches for the proxy";
  certificate->front_proxy_error.clear();

  const Result<std::optional<User>> user = UserOfProxy(proxy, *certificate, headers);

  ASSERT_TRUE(user && *user);
  EXPECT_EQ(**user, (User{.name = "ann", .uid = "", .groups = {"a", "b"}, .extra = {{"sco/pe", {"s"}}}}));
  certificate->common_name = "other";
  EXPECT_FALSE(UserOfProxy(proxy, *certificate, headers));
  certificate->common_name = "proxy";
  const Result<std::optional<User>> nobody = UserOfProxy(proxy, *certificate, {});
  EXPECT_TRUE(nobody && !*nobody);
}

}  // namespace
}  // namespace berth::scheduler_app
