// SPDX-License-Identifier: Apache-2.0
#include "net/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <array>
#include <optional>
#include <string>

#include "net/self_signed.h"
#include "net/test_loopback.h"
#include "net/test_raw_peer.h"
#include "net/tls_bio.h"
#include "net/x509.h"

namespace berth::net {
namespace {

using testing::HasSubstr;

// A CA, a server that it vouches for, and a handler that tells what it knows of its client.
struct TlsWorld : Loopback {
  TlsWorld() {
    CertificateOptions of_ca;
    of_ca.common_name = "test-ca";
    of_ca.is_ca = true;
    ca = *MakeCertificate(of_ca, loop.Now());
    server_pair = Issue("server", {}, {"127.0.0.1", "localhost"});
  }

  KeyPair Issue(std::string name, std::vector<std::string> organizations, std::vector<std::string> names) {
    CertificateOptions options;
    options.common_name = std::move(name);
    options.organizations = std::move(organizations);
    options.names = std::move(names);
    return *MakeCertificate(options, loop.Now(), &ca);
  }

  std::unique_ptr<HttpServer> ServeTls(bool client_certificates = false) {
    HttpServerOptions options;
    options.tls.emplace();
    options.tls->certificate_pem = server_pair.certificate_pem;
    options.tls->key_pem = server_pair.key_pem;
    options.tls->request_client_certificate = client_certificates;
    if (client_certificates) options.tls->client_ca_pem = ca.certificate_pem;
    return Serve(handler, options);
  }

  std::unique_ptr<HttpClient> TlsClient(const HttpServer& server, TlsClientOptions tls,
                                        std::string host = "127.0.0.1") {
    HttpClientOptions options;
    options.endpoint.scheme = "https";
    options.endpoint.host = std::move(host);
    options.tls = std::move(tls);
    return Client(server, std::move(options));
  }

  TlsClientOptions Trusting() const {
    TlsClientOptions options;
    options.ca_pem = ca.certificate_pem;
    return options;
  }

  KeyPair ca;
  KeyPair server_pair;
  FunctionHandler handler{[](ServerRequest request, Responder responder) {
    if (request.peer_certificate == nullptr) return responder.Send(200, {}, "nobody");
    const PeerCertificate& peer = *request.peer_certificate;
    std::string text = peer.is_verified() ? peer.common_name : "impostor " + peer.error;
    for (const std::string& organization : peer.organizations) text += "," + organization;
    responder.Send(200, {}, text);
  }};
};

TEST(Tls, AServerSignedByTheCaIsTrusted) {
  TlsWorld world;
  const auto server = world.ServeTls();
  for (const char* host : {"127.0.0.1", "localhost"}) {
    SCOPED_TRACE(host);
    const auto client = world.TlsClient(*server, world.Trusting(), host);
    for (int i = 0; i < 3; ++i) {
      const auto answer = world.Get(*client, "/");
      ASSERT_TRUE(answer) << answer.error().message;
      EXPECT_EQ(answer->body, "nobody");
    }
    EXPECT_EQ(client->connection_count(), 1U);
  }
}

TEST(Tls, AStrangerIsNotTrustedUnlessToldTo) {
  TlsWorld world;
  const auto server = world.ServeTls();
  TlsClientOptions other;
  other.ca_pem = MakeSelfSigned("other", {}, world.loop.Now())->certificate_pem;
  TlsClientOptions careless;
  careless.insecure_skip_verify = true;

  const auto refused = world.Get(*world.TlsClient(*server, other), "/");
  const auto accepted = world.Get(*world.TlsClient(*server, careless), "/");

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUnavailable);
  EXPECT_EQ(refused.error().message,
            "tls: failed to verify certificate: x509: certificate signed by unknown authority");
  EXPECT_TRUE(accepted);
}

TEST(Tls, TheNameMustMatchAndCanBeOverridden) {
  TlsWorld world;
  world.server_pair = world.Issue("server", {}, {"api.example"});
  const auto server = world.ServeTls();
  TlsClientOptions named = world.Trusting();
  named.server_name = "api.example";

  const auto refused = world.Get(*world.TlsClient(*server, world.Trusting()), "/");

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUnavailable);
  EXPECT_TRUE(world.Get(*world.TlsClient(*server, named), "/"));
}

TEST(Tls, ACommonNameIsNoNameOfAServer) {
  TlsWorld world;
  world.server_pair = world.Issue("localhost", {}, {});
  const auto server = world.ServeTls();

  const auto refused = world.Get(*world.TlsClient(*server, world.Trusting(), "localhost"), "/");

  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("x509: certificate is not valid for the name of the server"));
}

TEST(Tls, ANameThatCannotBeCheckedIsAnError) {
  TlsWorld world;
  const auto server = world.ServeTls();
  using std::string_literals::operator""s;
  for (const std::string& name : {"localhost\0.example"s, std::string(300, 'a')}) {
    SCOPED_TRACE(name);
    TlsClientOptions named = world.Trusting();
    named.server_name = name;

    const auto refused = world.Get(*world.TlsClient(*server, named), "/");

    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kUnavailable);
    EXPECT_EQ(refused.error().message, "tls: the name of the server cannot be checked");
  }
}

TEST(Tls, AClientMayNotShowMoreCertificatesThanFit) {
  TlsWorld world;
  const auto server = world.ServeTls(true);
  const KeyPair alice = world.Issue("alice", {}, {});
  TlsClientOptions talkative = world.Trusting();
  talkative.key_pem = alice.key_pem;
  for (int i = 0; i < 100; ++i) talkative.certificate_pem += alice.certificate_pem;

  EXPECT_FALSE(world.Get(*world.TlsClient(*server, talkative), "/"));
}

TEST(Tls, TheHandlerHearsWhoseCertificateTheClientShowed) {
  TlsWorld world;
  const auto server = world.ServeTls(true);
  const KeyPair known = world.Issue("alice", {"ops", "dev"}, {});
  CertificateOptions stranger_options;
  stranger_options.common_name = "mallory";
  const KeyPair stranger = *MakeCertificate(stranger_options, world.loop.Now());
  TlsClientOptions as_known = world.Trusting();
  as_known.certificate_pem = known.certificate_pem;
  as_known.key_pem = known.key_pem;
  TlsClientOptions as_stranger = world.Trusting();
  as_stranger.certificate_pem = stranger.certificate_pem;
  as_stranger.key_pem = stranger.key_pem;

  const auto nobody = world.Get(*world.TlsClient(*server, world.Trusting()), "/");
  const auto alice = world.Get(*world.TlsClient(*server, as_known), "/");
  const auto mallory = world.Get(*world.TlsClient(*server, as_stranger), "/");

  ASSERT_TRUE(nobody && alice && mallory);
  EXPECT_EQ(nobody->body, "nobody");
  EXPECT_EQ(alice->body, "alice,ops,dev");
  EXPECT_EQ(mallory->body, "impostor x509: certificate signed by unknown authority");
}

TEST(Tls, CertificatesCanBeReplacedWhileRunning) {
  TlsWorld world;
  const auto server = world.ServeTls(true);
  const auto client = world.TlsClient(*server, world.Trusting());
  ASSERT_EQ(world.Get(*client, "/")->body, "nobody");
  const KeyPair bob = world.Issue("bob", {}, {});
  TlsClientOptions as_bob = world.Trusting();
  as_bob.certificate_pem = bob.certificate_pem;
  as_bob.key_pem = bob.key_pem;

  ASSERT_TRUE(client->SetTls(as_bob));

  EXPECT_EQ(world.Get(*client, "/")->body, "bob");
  EXPECT_FALSE(client->SetTls({"garbage", "", "", "", false}));
  EXPECT_EQ(world.Get(*client, "/")->body, "bob");
}

TEST(Tls, LargeBodiesGoBothWays) {
  TlsWorld world;
  FunctionHandler echo([](ServerRequest request, Responder responder) {
    responder.Begin(200, {});
    responder.Write(std::move(request.body));
    responder.End();
  });
  HttpServerOptions options;
  options.body_bytes_max = 64 << 20;
  options.tls.emplace();
  options.tls->certificate_pem = world.server_pair.certificate_pem;
  options.tls->key_pem = world.server_pair.key_pem;
  const auto server = world.Serve(echo, options);
  const auto client = world.TlsClient(*server, world.Trusting());
  const std::string body(8 << 20, 'z');

  const auto answer = world.Call(*client, MakeRequest("POST", "/", body));

  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_TRUE(answer->body == body);
}

// The end of a handshake and the first data can be taken by one read, in a turn that the socket was not waiting for.
TEST(Tls, DataThatComesWithTheEndOfTheHandshakeIsHeard) {
  TlsWorld world;
  TlsServerOptions options;
  options.certificate_pem = world.server_pair.certificate_pem;
  options.key_pem = world.server_pair.key_pem;
  std::array<int, 2> ends{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), 0);
  RawPeer server(Socket(world.loop, ends[0]));
  server.socket().Secure(*TlsContext::ForServer(options));
  const auto context = *TlsContext::ForClient(world.Trusting());
  const OwnedConnection client(context->NewConnection("localhost"));
  AttachSocket(client.get(), ends[1]);
  ASSERT_NE(SSL_do_handshake(client.get()), 1);
  char byte = 0;
  ASSERT_TRUE(world.RunUntil([&] { return recv(ends[1], &byte, 1, MSG_PEEK) == 1; }));

  world.loop.Post([&] {
    EXPECT_EQ(SSL_do_handshake(client.get()), 1);
    EXPECT_EQ(SSL_write(client.get(), "hello", 5), 5);
  });
  server.socket().Write("a turn right after that");

  EXPECT_TRUE(world.RunUntil([&] { return server.received == "hello"; }));
  close(ends[1]);
}

TEST(Tls, APlainServerIsNotMistakenForOne) {
  TlsWorld world;
  const auto server = world.Serve(world.handler);
  const auto client = world.TlsClient(*server, world.Trusting());

  const auto answer = world.Get(*client, "/");

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kUnavailable);
  EXPECT_EQ(answer.error().message, "tls: first record does not look like a TLS handshake");
}

TEST(Tls, UnusableOptionsAreRefusedWithoutShowingTheKey) {
  TlsWorld world;
  TlsServerOptions good;
  good.certificate_pem = world.server_pair.certificate_pem;
  good.key_pem = world.server_pair.key_pem;
  ASSERT_TRUE(TlsContext::ForServer(good));
  TlsServerOptions other_key = good;
  other_key.key_pem = world.ca.key_pem;
  TlsServerOptions bad_cipher = good;
  bad_cipher.cipher_suites = {"TLS_NONSENSE"};
  TlsServerOptions bad_version = good;
  bad_version.min_version = "VersionTLS9";
  TlsServerOptions ciphers = good;
  ciphers.cipher_suites = {"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "TLS_AES_128_GCM_SHA256",
                           "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"};

  const auto refused = TlsContext::ForServer(other_key);

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "tls: private key does not match public key");
  EXPECT_FALSE(TlsContext::ForServer(bad_cipher));
  EXPECT_FALSE(TlsContext::ForServer(bad_version));
  EXPECT_TRUE(TlsContext::ForServer(ciphers));
}

TEST(SelfSigned, AServerCanShowItAndAClientCanTrustJustIt) {
  TlsWorld world;
  world.server_pair = *MakeSelfSigned("localhost@1", {"example.org"}, world.loop.Now());
  const auto server = world.ServeTls();
  TlsClientOptions trusting;
  trusting.ca_pem = world.server_pair.certificate_pem;

  EXPECT_TRUE(world.Get(*world.TlsClient(*server, trusting), "/"));
  EXPECT_FALSE(MakeSelfSigned("x", {"a,DNS:b"}, world.loop.Now()));
}

TEST(SelfSigned, KeysCanBeRsa) {
  TlsWorld world;
  CertificateOptions options;
  options.common_name = "server";
  options.names = {"127.0.0.1"};
  options.rsa = true;
  world.server_pair = *MakeCertificate(options, world.loop.Now(), &world.ca);
  const auto server = world.ServeTls();

  EXPECT_TRUE(world.Get(*world.TlsClient(*server, world.Trusting()), "/"));
}

}  // namespace
}  // namespace berth::net
