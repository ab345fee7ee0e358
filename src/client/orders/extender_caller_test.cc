// SPDX-License-Identifier: Apache-2.0
#include "client/orders/extender_caller.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "net/self_signed.h"
#include "net/test_loopback.h"
#include "net/test_raw_peer.h"
#include "runtime/test_files.h"

namespace berth::client {
namespace {

using framework::ExtenderConfiguration;
using scheduler::EffectAnswer;
using ::testing::HasSubstr;

using Answers = std::map<std::string, std::function<void(net::Responder)>>;  // By target.

// An extender on loopback that answers as it is told.
struct ExtenderServer {
  explicit ExtenderServer(std::optional<net::TlsServerOptions> tls = std::nullopt) {
    net::HttpServerOptions options;
    const std::string_view scheme = tls ? "https" : "http";
    options.tls = std::move(tls);
    options.body_bytes_max = uint64_t{1} << 30;
    server = loopback.Serve(handler, std::move(options));
    url = fmt::format("{}://127.0.0.1:{}", scheme, server->port());
  }

  ExtenderConfiguration Configuration(std::string prefix) const {
    ExtenderConfiguration extender;
    extender.url_prefix = std::move(prefix);
    extender.http_timeout = Seconds(30);
    return extender;
  }
  std::unique_ptr<ExtenderCaller> Caller(ExtenderConfiguration extender, ProxySettings proxies = {}) {
    auto caller = ExtenderCaller::Create(loopback.loop, {std::move(extender)}, std::move(proxies));
    EXPECT_TRUE(caller) << caller.error().message;
    return *std::move(caller);
  }
  EffectAnswer Ask(ExtenderCaller& caller, std::string verb, std::string body = "{}") {
    std::optional<EffectAnswer> answer;
    caller.Call(++last_id, 0, std::move(verb), std::move(body), [&](EffectAnswer got) { answer = std::move(got); });
    EXPECT_TRUE(loopback.RunUntil([&] { return answer.has_value(); }));
    EXPECT_EQ(answer->id, last_id);
    return *std::move(answer);
  }

  net::Loopback loopback;
  Answers answers;
  std::vector<net::ServerRequest> requests;
  std::vector<net::Responder> held;
  net::FunctionHandler handler{[this](net::ServerRequest request, net::Responder responder) {
    const std::string target = request.target;
    requests.push_back(std::move(request));
    if (answers.contains(target)) return answers[target](std::move(responder));
    responder.Send(200, {}, "answer to " + target);
  }};
  std::unique_ptr<net::HttpServer> server;
  std::string url;
  uint64_t last_id = 100;
};

TEST(ExtenderCaller, PostsJsonAndBringsTheBodyBack) {
  ExtenderServer extender;
  const auto caller = extender.Caller(extender.Configuration(extender.url + "/x//"));

  const EffectAnswer answer = extender.Ask(*caller, "v1/filter", R"({"Pod":{}})");

  EXPECT_EQ(answer.code, EffectAnswer::Code::kOk);
  EXPECT_EQ(answer.message, "answer to /x/v1/filter");
  ASSERT_EQ(extender.requests.size(), 1U);
  EXPECT_EQ(extender.requests[0].method, "POST");
  EXPECT_EQ(extender.requests[0].target, "/x/v1/filter");
  EXPECT_EQ(extender.requests[0].body, R"({"Pod":{}})");
  EXPECT_EQ(extender.requests[0].Find("Content-Type"), "application/json");
  EXPECT_EQ(extender.requests[0].Find("Content-Length"), "10");
  EXPECT_EQ(extender.requests[0].Find("Transfer-Encoding"), "");
  EXPECT_EQ(caller->running(), 0U);
}

TEST(ExtenderCaller, UsesOneConnectionForCallsAfterOneAnother) {
  ExtenderServer extender;
  const auto caller = extender.Caller(extender.Configuration(extender.url));

  for (int i = 0; i < 5; ++i) extender.Ask(*caller, "filter");

  EXPECT_EQ(extender.server->connection_count(), 1U);
}

TEST(ExtenderCaller, CallsDoNotWaitForOneAnother) {
  ExtenderServer extender;
  extender.answers["/filter"] = [&](net::Responder responder) { extender.held.push_back(std::move(responder)); };
  const auto caller = extender.Caller(extender.Configuration(extender.url));

  for (uint64_t id = 1; id <= 100; ++id) caller->Call(id, 0, "filter", "{}", [](const EffectAnswer&) {});

  EXPECT_TRUE(extender.loopback.RunUntil([&] { return extender.held.size() == 100; }));
}

TEST(ExtenderCaller, CarriesLargeBodies) {
  ExtenderServer extender;
  const std::string large(std::size_t{20} << 20, 'x');
  extender.answers["/filter"] = [&](net::Responder responder) { responder.Send(200, {}, large); };
  const auto caller = extender.Caller(extender.Configuration(extender.url));

  const EffectAnswer answer = extender.Ask(*caller, "filter", large);

  EXPECT_TRUE(answer.code == EffectAnswer::Code::kOk && answer.message == large);
  EXPECT_TRUE(extender.requests[0].body == large);
}

TEST(ExtenderCaller, AnyOtherStatusThan200IsAFailure) {
  ExtenderServer extender;
  const auto caller = extender.Caller(extender.Configuration(extender.url + "/x/"));
  for (const int status : {201, 204, 301, 400, 404, 500, 503}) {
    extender.answers["/x/bind"] = [&](net::Responder responder) { responder.Send(status, {}, ""); };

    const EffectAnswer answer = extender.Ask(*caller, "bind");

    EXPECT_EQ(answer.code, EffectAnswer::Code::kFailed);
    EXPECT_EQ(answer.message, fmt::format("failed bind with extender at URL {}/x/bind, code {}", extender.url, status));
  }
}

TEST(ExtenderCaller, AnUnreachableExtenderHasFailed) {
  ExtenderServer extender;
  const auto caller = extender.Caller(extender.Configuration("http://127.0.0.1:1/x"));

  const EffectAnswer answer = extender.Ask(*caller, "filter");

  EXPECT_EQ(answer.code, EffectAnswer::Code::kFailed);
  EXPECT_EQ(answer.message, R"(Post "http://127.0.0.1:1/x/filter": dial tcp 127.0.0.1:1: connect: connection refused)");
}

TEST(ExtenderCaller, WithoutAnAnswerInTimeTheOutcomeIsUnknown) {
  ExtenderServer extender;
  extender.answers["/filter"] = [&](net::Responder responder) { extender.held.push_back(std::move(responder)); };
  ExtenderConfiguration configuration = extender.Configuration(extender.url);
  configuration.http_timeout = Milliseconds(50);
  const auto caller = extender.Caller(configuration);

  const EffectAnswer answer = extender.Ask(*caller, "filter");

  EXPECT_EQ(answer.code, EffectAnswer::Code::kUnknown);
  EXPECT_EQ(answer.message, fmt::format("Post \"{}/filter\": context deadline exceeded (Client.Timeout exceeded while "
                                        "awaiting headers)",
                                        extender.url));
}

// Sends `bytes` once it has a whole request, and closes.
EffectAnswer AskRaw(const std::string& bytes) {
  ExtenderServer extender;
  net::RawServer raw(extender.loopback.loop);
  raw.on_data = [&](net::RawPeer& peer) {
    if (!peer.received.ends_with("{}")) return;
    if (!bytes.empty()) peer.socket().Write(bytes);
    extender.loopback.loop.After(Milliseconds(20), [&peer] { peer.socket().Close(); });
  };
  const auto caller = extender.Caller(extender.Configuration(fmt::format("http://127.0.0.1:{}", raw.port)));
  return extender.Ask(*caller, "bind");
}

TEST(ExtenderCaller, ALostConnectionLeavesTheOutcomeUnknown) {
  const EffectAnswer silent = AskRaw("");
  const EffectAnswer broken = AskRaw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{");

  EXPECT_EQ(silent.code, EffectAnswer::Code::kUnknown);
  EXPECT_THAT(silent.message, testing::EndsWith("/bind\": EOF"));
  EXPECT_EQ(broken.code, EffectAnswer::Code::kUnknown);
  EXPECT_EQ(broken.message, "unexpected EOF");
}

TEST(ExtenderCaller, ACancelledCallIsNotAnswered) {
  ExtenderServer extender;
  extender.answers["/filter"] = [&](net::Responder responder) { extender.held.push_back(std::move(responder)); };
  const auto caller = extender.Caller(extender.Configuration(extender.url));
  caller->Call(1, 0, "filter", "{}", [](const EffectAnswer&) { FAIL(); });
  ASSERT_TRUE(extender.loopback.RunUntil([&] { return extender.held.size() == 1; }));

  caller->Cancel(1);
  caller->Cancel(1);

  EXPECT_EQ(caller->running(), 0U);
  EXPECT_TRUE(extender.loopback.RunUntil([&] { return extender.server->connection_count() == 0; }));
  EXPECT_EQ(extender.Ask(*caller, "prioritize").message, "answer to /prioritize");
}

TEST(ExtenderCaller, FollowsRedirectsAsGoDoes) {
  ExtenderServer extender;
  const auto to = [](int status, std::string location) {
    return [=](net::Responder responder) { responder.Send(status, {{"Location", location}}, ""); };
  };
  extender.answers["/filter"] = to(307, "/filter/");
  extender.answers["/bind"] = to(302, extender.url + "/elsewhere");
  extender.answers["/preempt"] = to(308, "preempt");
  const auto caller = extender.Caller(extender.Configuration(extender.url));

  const EffectAnswer again = extender.Ask(*caller, "filter", "body");
  const EffectAnswer other = extender.Ask(*caller, "bind", "body");
  const EffectAnswer endless = extender.Ask(*caller, "preempt");

  EXPECT_EQ(again.message, "answer to /filter/");
  EXPECT_EQ(extender.requests[1].method + " " + extender.requests[1].body, "POST body");
  EXPECT_EQ(other.message, "answer to /elsewhere");
  EXPECT_EQ(extender.requests[3].method + " " + extender.requests[3].body, "GET ");
  EXPECT_EQ(endless.code, EffectAnswer::Code::kFailed);
  EXPECT_THAT(endless.message, HasSubstr("stopped after 10 redirects"));
}

TEST(ExtenderCaller, AnAddressThatIsNoneFailsWhenItIsUsed) {
  ExtenderServer extender;
  const auto caller = extender.Caller(extender.Configuration("ftp://host/x"));

  const EffectAnswer answer = extender.Ask(*caller, "filter");

  EXPECT_EQ(answer.code, EffectAnswer::Code::kFailed);
  EXPECT_EQ(answer.message, R"(Post "ftp://host/x/filter": unsupported protocol scheme "ftp")");
}

TEST(ExtenderCaller, APasswordIsSentButNotTold) {
  ExtenderServer extender;
  extender.answers["/bind"] = [](net::Responder responder) { responder.Send(500, {}, ""); };
  const std::string address = extender.url.substr(7);
  const auto caller = extender.Caller(extender.Configuration("http://me:secret@" + address));

  const EffectAnswer answer = extender.Ask(*caller, "bind");

  EXPECT_EQ(extender.requests[0].Find("Authorization"), "Basic bWU6c2VjcmV0");
  EXPECT_EQ(answer.message, fmt::format("failed bind with extender at URL http://me:***@{}/bind, code 500", address));
}

TEST(ExtenderCaller, GoesThroughTheProxyOfTheEnvironment) {
  ExtenderServer proxy;
  const auto caller = proxy.Caller(proxy.Configuration("http://extender.example/x"),
                                   {.http_proxy = proxy.url, .https_proxy = "", .no_proxy = ""});

  // The server takes a target in absolute form apart.
  EXPECT_EQ(proxy.Ask(*caller, "filter").message, "answer to /x/filter");
  EXPECT_EQ(proxy.requests[0].Find("Host"), "extender.example");
}

struct SecureExtender {
  SecureExtender() : server(Tls()) {}

  static net::KeyPair Make(std::string name, bool is_ca, const net::KeyPair* issuer) {
    net::CertificateOptions options;
    options.common_name = std::move(name);
    options.names = {"127.0.0.1", "extender.example"};
    options.is_ca = is_ca;
    return *net::MakeCertificate(options, net::EventLoop().Now(), issuer);
  }
  net::TlsServerOptions Tls() const {
    net::TlsServerOptions tls;
    tls.certificate_pem = pair.certificate_pem;
    tls.key_pem = pair.key_pem;
    tls.request_client_certificate = true;
    tls.client_ca_pem = ca.certificate_pem;
    return tls;
  }
  EffectAnswer Ask(bool enable_https, std::optional<framework::ExtenderTlsConfig> tls) {
    ExtenderConfiguration configuration = server.Configuration(server.url);
    configuration.enable_https = enable_https;
    configuration.tls_config = std::move(tls);
    const auto caller = server.Caller(configuration);
    return server.Ask(*caller, "filter");
  }

  net::KeyPair ca = Make("ca", true, nullptr);
  net::KeyPair pair = Make("extender", false, &ca);
  net::KeyPair client = Make("scheduler", false, &ca);
  ExtenderServer server;
};

TEST(ExtenderCaller, TrustsWhatTheTlsConfigSays) {
  SecureExtender extender;
  framework::ExtenderTlsConfig with_ca;
  with_ca.ca_data = extender.ca.certificate_pem;
  framework::ExtenderTlsConfig other_name = with_ca;
  other_name.server_name = "extender.example";
  framework::ExtenderTlsConfig wrong_name = with_ca;
  wrong_name.server_name = "other.example";
  framework::ExtenderTlsConfig insecure;
  insecure.insecure = true;

  EXPECT_EQ(extender.Ask(true, with_ca).message, "answer to /filter");
  EXPECT_EQ(extender.Ask(false, other_name).message, "answer to /filter");
  EXPECT_EQ(extender.Ask(false, insecure).message, "answer to /filter");
  EXPECT_EQ(extender.Ask(true, std::nullopt).message, "answer to /filter") << "HTTPS without a CA: not verified";
  const EffectAnswer unknown = extender.Ask(false, std::nullopt);
  EXPECT_EQ(unknown.code, EffectAnswer::Code::kFailed);
  EXPECT_THAT(unknown.message, HasSubstr("certificate signed by unknown authority"));
  EXPECT_EQ(extender.Ask(true, wrong_name).code, EffectAnswer::Code::kFailed);
}

TEST(ExtenderCaller, ShowsItsCertificateFromDataOrFiles) {
  SecureExtender extender;
  runtime::TestDirectory files;
  framework::ExtenderTlsConfig data;
  data.ca_data = extender.ca.certificate_pem;
  data.cert_data = extender.client.certificate_pem;
  data.key_data = extender.client.key_pem;
  framework::ExtenderTlsConfig from_files;
  from_files.ca_file = files.Write("ca.crt", extender.ca.certificate_pem);
  from_files.cert_file = files.Write("tls.crt", extender.client.certificate_pem);
  from_files.key_file = files.Write("tls.key", extender.client.key_pem);

  for (const framework::ExtenderTlsConfig& tls : {data, from_files}) {
    EXPECT_EQ(extender.Ask(true, tls).message, "answer to /filter");
    ASSERT_TRUE(extender.server.requests.back().peer_certificate);
    EXPECT_EQ(extender.server.requests.back().peer_certificate->common_name, "scheduler");
  }
}

TEST(ExtenderCaller, CertificatesOfNoUseAreFoundAtTheStart) {
  net::EventLoop loop;
  const auto error = [&](bool enable_https, framework::ExtenderTlsConfig tls) {
    ExtenderConfiguration configuration;
    configuration.url_prefix = "http://127.0.0.1:1";
    configuration.enable_https = enable_https;
    configuration.tls_config = std::move(tls);
    const auto caller = ExtenderCaller::Create(loop, {configuration}, {});
    return caller ? "" : caller.error().message;
  };
  framework::ExtenderTlsConfig absent;
  absent.ca_file = "/nonexistent/ca.crt";
  framework::ExtenderTlsConfig both;
  both.ca_data = "x";
  both.insecure = true;
  framework::ExtenderTlsConfig garbage;
  garbage.ca_data = "x";

  EXPECT_EQ(error(true, absent), "couldn't build extenders: open /nonexistent/ca.crt: no such file or directory");
  EXPECT_EQ(error(false, both),
            "couldn't build extenders: specifying a root certificates file with the insecure flag is not allowed");
  EXPECT_EQ(error(false, garbage),
            "couldn't build extenders: unable to load root certificates: unable to parse bytes as PEM block");
}

}  // namespace
}  // namespace berth::client
