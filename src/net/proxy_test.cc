// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <charconv>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "net/self_signed.h"
#include "net/test_loopback.h"
#include "net/test_raw_peer.h"

namespace berth::net {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A proxy that opens tunnels to local ports.
class TunnelProxy {
 public:
  explicit TunnelProxy(EventLoop& loop) : loop_(loop), raw_(loop) {
    raw_.on_data = [this](RawPeer& peer) { OnData(peer); };
  }

  Endpoint endpoint() const { return {"http", "127.0.0.1", raw_.port, "", "me", "secret"}; }
  std::vector<std::string> requests;
  std::string refusal;  // The answer instead of a tunnel.

 private:
  void OnData(RawPeer& peer) {
    if (const auto it = tunnels_.find(&peer); it != tunnels_.end()) {
      it->second->peer->socket().Write(std::exchange(peer.received, ""));
      return;
    }
    if (!peer.received.ends_with("\r\n\r\n")) return;
    requests.push_back(std::exchange(peer.received, ""));
    if (!refusal.empty()) return peer.socket().Write(refusal);
    uint16_t port = 0;
    const std::string& request = requests.back();
    const size_t colon = request.find(':');
    std::from_chars(request.data() + colon + 1, request.data() + request.size(), port);
    tunnels_[&peer] = std::make_unique<RawClient>(loop_, port);
    Join(peer);
  }

  void Join(RawPeer& peer) {
    RawClient& tunnel = *tunnels_[&peer];
    if (tunnel.peer == nullptr) {
      loop_.After(Milliseconds(1), [this, &peer] { Join(peer); });
      return;
    }
    tunnel.peer->on_data = [&peer](RawPeer& far) { peer.socket().Write(std::exchange(far.received, "")); };
    peer.socket().Write(std::string("HTTP/1.1 200 Connection established\r\n\r\n"));
  }

  EventLoop& loop_;
  RawServer raw_;
  std::map<RawPeer*, std::unique_ptr<RawClient>> tunnels_;
};

struct ProxyWorld : Loopback {
  FunctionHandler handler{[](ServerRequest, Responder responder) { responder.Send(200, {}, "through"); }};
  TunnelProxy proxy{loop};

  std::unique_ptr<HttpServer> ServeTls(std::string& ca) {
    const auto pair = MakeSelfSigned("server", {}, loop.Now());
    ca = pair->certificate_pem;
    HttpServerOptions options;
    options.tls.emplace();
    options.tls->certificate_pem = pair->certificate_pem;
    options.tls->key_pem = pair->key_pem;
    return Serve(handler, options);
  }
};

TEST(Proxy, TlsGoesThroughATunnel) {
  ProxyWorld world;
  HttpClientOptions options;
  const auto server = world.ServeTls(options.tls.ca_pem);
  options.endpoint.scheme = "https";
  options.proxy = world.proxy.endpoint();
  const auto client = world.Client(*server, options);

  for (int i = 0; i < 3; ++i) {
    const auto answer = world.Get(*client, "/");
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, "through");
  }

  ASSERT_EQ(world.proxy.requests.size(), 1U);
  EXPECT_THAT(world.proxy.requests[0], StartsWith("CONNECT 127.0.0.1:" + std::to_string(server->port())));
  EXPECT_THAT(world.proxy.requests[0], HasSubstr("Proxy-Authorization: Basic bWU6c2VjcmV0\r\n"));
}

TEST(Proxy, ARefusedTunnelIsUnavailableWithoutTellingThePassword) {
  ProxyWorld world;
  world.proxy.refusal = "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 2\r\n\r\nno";
  HttpClientOptions options;
  const auto server = world.ServeTls(options.tls.ca_pem);
  options.endpoint.scheme = "https";
  options.proxy = world.proxy.endpoint();
  const auto client = world.Client(*server, options);

  const auto answer = world.Call(*client, MakeRequest("POST", "/", "x"));

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kUnavailable);
  EXPECT_EQ(answer.error().message, "proxyconnect tcp: the proxy answered with status 407");
}

TEST(Proxy, PlainRequestsNameTheWholeUrl) {
  ProxyWorld world;
  world.proxy.refusal = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  HttpClientOptions options;
  options.endpoint = *ParseEndpoint("http://api.example:8080/base/");
  options.proxy = world.proxy.endpoint();
  const auto client = HttpClient::Create(world.loop, options);

  const auto answer = world.Get(**client, "/pods?x=1");

  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(world.proxy.requests[0],
              StartsWith("GET http://api.example:8080/base/pods?x=1 HTTP/1.1\r\nHost: api.example:8080\r\n"
                         "Proxy-Authorization: Basic "));
}

TEST(Proxy, OtherKindsAreRefused) {
  Loopback world;
  HttpClientOptions options;
  options.endpoint = *ParseEndpoint("http://api.example");
  for (const char* url : {"socks5://127.0.0.1", "https://127.0.0.1"}) {
    options.proxy = *ParseEndpoint(url);
    EXPECT_FALSE(HttpClient::Create(world.loop, options));
  }
}

}  // namespace
}  // namespace berth::net
