// SPDX-License-Identifier: Apache-2.0
#include "client/request/connection.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "api/document/json_writer.h"
#include "net/self_signed.h"
#include "net/test_loopback.h"
#include "runtime/test_files.h"

namespace berth::client {
namespace {

using ::testing::HasSubstr;

std::string Quoted(std::string_view text) {
  std::string quoted;
  api::AppendQuoted(quoted, text);
  return quoted;
}

// A server that says whose certificate and token it sees.
struct Server {
  Server() {
    net::HttpServerOptions options;
    options.tls.emplace();
    options.tls->certificate_pem = pair.certificate_pem;
    options.tls->key_pem = pair.key_pem;
    options.tls->request_client_certificate = true;
    options.tls->client_ca_pem = ca.certificate_pem;
    server = loopback.Serve(handler, std::move(options));
  }

  static net::KeyPair Make(std::string name, bool is_ca, const net::KeyPair* issuer) {
    net::CertificateOptions options;
    options.common_name = std::move(name);
    options.names = {"127.0.0.1"};
    options.is_ca = is_ca;
    return *net::MakeCertificate(options, net::EventLoop().Now(), issuer);
  }

  std::string Kubeconfig(const std::string& user) const {
    return fmt::format(
        "{{current-context: m, contexts: [{{name: m, context: {{cluster: c, user: u}}}}],"
        " clusters: [{{name: c, cluster: {{server: 'https://127.0.0.1:{}', certificate-authority: ca.crt}}}}],"
        " users: [{{name: u, user: {{{}}}}}]}}",
        server->port(), user);
  }

  std::string Ask(Connection& connection) {
    RestClient client(connection.transport(), loopback.loop, connection.credentials(), {connection.url(), "test", 0, 0},
                      nullptr);
    std::optional<Result<RestAnswer>> answer;
    RestRequest request;
    request.path = "/who";
    client.Send(request, [&](Result<RestAnswer> got) { answer = std::move(got); });
    if (!loopback.RunUntil([&] { return answer.has_value(); })) return "no answer";
    return *answer ? (*answer)->body : answer->error().message;
  }

  net::Loopback loopback;
  net::KeyPair ca = Make("ca", true, nullptr);
  net::KeyPair pair = Make("kube", false, &ca);
  std::string wanted_token;
  net::FunctionHandler handler{[this](net::ServerRequest request, net::Responder responder) {
    std::string who = request.peer_certificate ? request.peer_certificate->common_name : "";
    std::string token(request.Find("Authorization"));
    int status = wanted_token.empty() || token == wanted_token ? 200 : 401;
    responder.Send(status, {}, fmt::format("{}/{}", who, token));
  }};
  std::unique_ptr<net::HttpServer> server;
};

TEST(Connection, ShowsAClientCertificateAndAToken) {
  Server server;
  runtime::TestDirectory directory;
  net::KeyPair client = Server::Make("jane", false, &server.ca);
  directory.Write("ca.crt", server.ca.certificate_pem);
  directory.Write("u.crt", client.certificate_pem);
  directory.Write("u.key", client.key_pem);
  std::string path =
      directory.Write("config", server.Kubeconfig("client-certificate: u.crt, client-key: u.key, token: t"));

  Result<ServerAccess> access = FindServer(path, "", {});
  ASSERT_TRUE(access) << access.error().message;
  auto connection = Connection::Create(server.loopback.loop, *std::move(access));
  ASSERT_TRUE(connection) << connection.error().message;

  EXPECT_EQ(server.Ask(**connection), "jane/Bearer t");
}

TEST(Connection, RefusesAServerThatItDoesNotKnow) {
  Server server;
  runtime::TestDirectory directory;
  directory.Write("ca.crt", Server::Make("another", true, nullptr).certificate_pem);
  std::string path = directory.Write("config", server.Kubeconfig("token: t"));
  auto connection = Connection::Create(server.loopback.loop, *FindServer(path, "", {}));
  ASSERT_TRUE(connection) << connection.error().message;

  EXPECT_THAT(server.Ask(**connection), HasSubstr("x509: certificate signed by unknown authority"));
}

TEST(Connection, AnAuthorityThatIsEmptyIsNotTheSystems) {
  Server server;
  runtime::TestDirectory directory;
  const std::string ca = directory.Write("ca.crt", "");
  const std::string path = directory.Write("config", server.Kubeconfig("token: t"));

  const auto connection = Connection::Create(server.loopback.loop, *FindServer(path, "", {}));

  ASSERT_FALSE(connection);
  EXPECT_EQ(connection.error().message, ca + " is empty");
}

TEST(Connection, AnAuthorityThatWasThereStaysWhileItsFileIsEmpty) {
  Server server;
  runtime::TestDirectory directory;
  directory.Write("ca.crt", server.ca.certificate_pem);
  const std::string path = directory.Write("config", server.Kubeconfig("token: t"));
  const auto connection = Connection::Create(server.loopback.loop, *FindServer(path, "", {}));
  ASSERT_TRUE(connection) << connection.error().message;
  for (const char* half_written : {"", "-----BEGIN CERTIFICATE-----\n"}) {
    SCOPED_TRACE(half_written);
    directory.Write("ca.crt", half_written);

    (*connection)->CheckFiles();

    EXPECT_EQ(server.Ask(**connection), "/Bearer t");
  }
}

TEST(Connection, AsksACommandForATokenAndAgainWhenItIsRefused) {
  Server server;
  server.wanted_token = "Bearer two";
  runtime::TestDirectory directory;
  directory.Write("ca.crt", server.ca.certificate_pem);
  // Says "one" when it is run for the first time and "two" from then on.
  directory.WriteProgram("login",
                         "#!/bin/sh\ncd \"$(dirname \"$0\")\"\ntoken=one\n[ -e ran ] && token=two\n: > ran\n"
                         "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\","
                         "\"status\":{\"token\":\"'$token'\"}}'\n");
  std::string path = directory.Write("config", server.Kubeconfig("exec: {command: ./login, interactiveMode: Never, "
                                                                 "apiVersion: client.authentication.k8s.io/v1}"));
  auto connection = Connection::Create(server.loopback.loop, *FindServer(path, "", {}));
  ASSERT_TRUE(connection) << connection.error().message;

  EXPECT_EQ(server.Ask(**connection), "/Bearer one");
  EXPECT_EQ(server.Ask(**connection), "/Bearer two");
}

TEST(Connection, ShowsTheCertificateThatACommandGives) {
  Server server;
  runtime::TestDirectory directory;
  directory.Write("ca.crt", server.ca.certificate_pem);
  net::KeyPair client = Server::Make("plugin", false, &server.ca);
  directory.Write("answer",
                  fmt::format("{{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\","
                              "\"status\":{{\"clientCertificateData\":{},\"clientKeyData\":{}}}}}",
                              Quoted(client.certificate_pem), Quoted(client.key_pem)));
  std::string path = directory.Write(
      "config", server.Kubeconfig(fmt::format("exec: {{command: cat, args: ['{}/answer'], interactiveMode: Never, "
                                              "apiVersion: client.authentication.k8s.io/v1}}",
                                              directory.path())));
  auto connection = Connection::Create(server.loopback.loop, *FindServer(path, "", {}));
  ASSERT_TRUE(connection) << connection.error().message;

  EXPECT_EQ(server.Ask(**connection), "plugin/");
}

}  // namespace
}  // namespace berth::client
