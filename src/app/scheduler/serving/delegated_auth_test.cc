// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/serving/delegated_auth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/document/json_writer.h"
#include "app/scheduler/serving/front_proxy.h"
#include "client/request/test_network.h"
#include "net/self_signed.h"
#include "runtime/test_files.h"

namespace berth::scheduler_app {
namespace {

using ::testing::HasSubstr;

std::string MakeBundle(const std::string& name) {
  return net::MakeSelfSigned(name, {}, Time{1'800'000'000'000'000'000})->certificate_pem;
}

std::string ConfigMap(std::string_view client_ca, std::string_view proxy_ca) {
  api::JsonWriter json;
  json.BeginObject().Key("kind").String("ConfigMap").Key("data").BeginObject();
  json.Key("client-ca-file").String(client_ca).Key("requestheader-client-ca-file").String(proxy_ca);
  json.Key("requestheader-allowed-names").String(R"(["proxy"])");
  json.Key("requestheader-username-headers").String(R"(["X-Remote-User"])");
  json.Key("requestheader-group-headers").String(R"(["X-Remote-Group"])");
  json.Key("requestheader-extra-headers-prefix").String(R"(["X-Remote-Extra-"])").EndObject().EndObject();
  return json.Take();
}

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
  const std::string ca = MakeBundle("ca");
  const std::string proxy_ca = MakeBundle("proxy-ca");

  Result<void> Start() { return Start(200, ConfigMap(ca, proxy_ca)); }
  Result<void> Start(int status, std::string_view body) {
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
  EXPECT_EQ(world.config->client_ca_pem(), world.ca);
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
  const std::string renewed = MakeBundle("new");
  world.Reply(ConfigMap(renewed, world.proxy_ca));

  EXPECT_EQ(world.config->client_ca_pem(), renewed);
  EXPECT_EQ(world.changes, 2);
}

TEST(DelegatedAuth, WhatHoldsNoCertificatesLeavesTheLastOnesInForce) {
  World world;
  const runtime::TestDirectory directory;
  world.authentication.request_header.client_ca_file = directory.Write("proxy.crt", world.proxy_ca);
  world.Make();
  ASSERT_TRUE(world.Start());
  for (const char* nonsense : {"", "garbage"}) {
    SCOPED_TRACE(nonsense);
    directory.Write("proxy.crt", nonsense);
    world.timers.Advance(Seconds(60));
    world.Reply(ConfigMap(nonsense, world.proxy_ca));

    EXPECT_EQ(world.config->client_ca_pem(), world.ca);
    EXPECT_EQ(world.config->front_proxy().ca_pem, world.proxy_ca);
    EXPECT_EQ(world.changes, 2) << "the file, then the ConfigMap";
  }
}

TEST(DelegatedAuth, AFileOfClientAuthoritiesThatIsEmptyIsAnErrorAtTheStart) {
  World world;
  const runtime::TestDirectory directory;
  world.authentication.client_ca_file = directory.Write("ca.crt", "");
  world.Make();

  EXPECT_FALSE(world.Start());
}

TEST(DelegatedAuth, WhatIsDeniedIsForbiddenWithItsReason) {
  World world;
  world.Make();
  world.Ask(Get("/metrics"));
  world.Reply(R"({"status":{"allowed":false,"denied":true,"reason":"because"}})");
  world.Ask(Get("/configz"));
  world.Reply(R"({"status":{"allowed":true,"denied":true}})");

  ASSERT_EQ(world.answers.size(), 2U);
  EXPECT_EQ(world.answers[0]->status, 403);
  EXPECT_THAT(world.answers[0]->body, HasSubstr("because"));
  EXPECT_EQ(world.answers[1]->status, 500);
  EXPECT_THAT(world.answers[1]->body, HasSubstr("both allow and deny response"));
}

TEST(DelegatedAuth, StrangersCannotHaveAnyNumberOfQuestionsAsked) {
  World world;
  world.Make();
  constexpr size_t kStrangers = 1000;
  for (size_t i = 0; i < kStrangers; ++i) world.Ask(Get("/metrics", "token-" + std::to_string(i)));
  EXPECT_EQ(world.transport.started(), Reviews::kRunningMax);
  ASSERT_EQ(world.answers.size(), kStrangers - Reviews::kRunningMax) << "the others are not kept waiting";
  EXPECT_EQ(world.answers[0]->status, 429);

  // The same for those who are not even known by a token.
  World anonymous;
  anonymous.Make();
  for (size_t i = 0; i < kStrangers; ++i) anonymous.Ask(Get("/metrics/" + std::to_string(i)));
  EXPECT_EQ(anonymous.transport.started(), Reviews::kRunningMax);
  ASSERT_EQ(anonymous.answers.size(), kStrangers - Reviews::kRunningMax);
  EXPECT_EQ(anonymous.answers[0]->status, 429);

  // One question that many ask is asked once, but not all of them are kept waiting.
  World same;
  same.Make();
  for (size_t i = 0; i < kStrangers; ++i) same.Ask(Get("/metrics"));
  EXPECT_EQ(same.transport.started(), 1U);
  EXPECT_EQ(same.answers.size(), kStrangers - Reviews::kWaitingMax);
  same.Reply(R"({"status":{"allowed":true}})");
  EXPECT_EQ(same.answers.size(), kStrangers);
  same.Ask(Get("/configz"));
  EXPECT_EQ(same.transport.started(), 2U) << "there is room again";
}

TEST(DelegatedAuth, NotAnyNumberOfAnswersIsRemembered) {
  World world;
  world.Make();
  const auto ask = [&](size_t stranger) {
    const size_t before = world.transport.started();
    world.Ask(Get("/metrics", "token-" + std::to_string(stranger)));
    const bool was_asked = world.transport.started() > before;
    if (was_asked) world.Reply(R"({"status":{"user":{}}})");
    world.timers.Advance(Milliseconds(1));
    return was_asked;
  };
  for (size_t i = 0; i < Reviews::kRememberedMax; ++i) ASSERT_TRUE(ask(i));
  EXPECT_FALSE(ask(0)) << "there is room for all of them";

  EXPECT_TRUE(ask(Reviews::kRememberedMax));

  EXPECT_FALSE(ask(1));
  EXPECT_TRUE(ask(0)) << "the oldest was forgotten";
  const std::string long_token(Reviews::kRememberedBytesMax, 'x');
  for (int i = 0; i < 2; ++i) {
    const size_t before = world.transport.started();
    world.Ask(Get("/metrics", long_token));
    ASSERT_EQ(world.transport.started(), before + 1) << "a long answer is not remembered";
    world.Reply(R"({"spec":{"token":")" + long_token + R"("},"status":{"user":{}}})");
  }
}

TEST(DelegatedAuth, FailedLookupIsToleratedOrNot) {
  World tolerant;
  tolerant.Make();
  EXPECT_TRUE(tolerant.Start(
      403, R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":"Forbidden","code":403})"));

  World strict;
  strict.authentication.tolerate_lookup_failure = false;
  strict.Make();
  const Result<void> started = strict.Start(
      403, R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":"Forbidden","code":403})");
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
