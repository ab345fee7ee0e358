// SPDX-License-Identifier: Apache-2.0
// A real client and a real server on one loop, for the tests of this module.

#pragma once

#include <gtest/gtest.h>
#include <atomic>
#include <cstdint>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "net/http_client.h"
#include "net/http_server.h"

namespace berth::net {

// A handler made of a function.
class FunctionHandler : public HttpHandler {
 public:
  using Function = std::function<void(ServerRequest, Responder)>;
  explicit FunctionHandler(Function function) : function_(std::move(function)) {}
  void OnRequest(ServerRequest request, Responder responder) override {
    function_(std::move(request), std::move(responder));
  }

 private:
  Function function_;
};

struct Loopback {
  std::atomic<int64_t> wall_jump_nanos = 0;  // By so much the machine's clock was set.
  EventLoop loop{runtime::Clock([this] { return runtime::Clock::SystemTime() + Duration{wall_jump_nanos}; })};

  // Runs the loop until `condition` holds; false if that takes more than a minute: sanitizers on a busy machine are
  // slow.
  bool RunUntil(std::function<bool()> condition) {
    const Time end = loop.Now() + Minutes(1);
    runtime::Timer timer(loop);
    std::function<void()> check = [&] {
      if (condition() || loop.Now() > end) return loop.Stop();
      timer.Start(Milliseconds(1), [&] { check(); });
    };
    timer.Start({}, [&] { check(); });
    loop.Run();
    return condition();
  }

  void RunFor(Duration duration) {
    const Time end = loop.Now() + duration;
    RunUntil([&] { return loop.Now() >= end; });
  }

  std::unique_ptr<HttpServer> Serve(HttpHandler& handler, HttpServerOptions options = {}) {
    auto server = HttpServer::Listen(loop, std::move(options), handler);
    EXPECT_TRUE(server) << server.error().message;
    return server ? *std::move(server) : nullptr;
  }

  std::unique_ptr<HttpClient> Client(const HttpServer& server, HttpClientOptions options = {}) {
    options.endpoint.port = server.port();
    if (options.endpoint.host.empty()) options.endpoint.host = "127.0.0.1";
    if (options.endpoint.scheme.empty()) options.endpoint.scheme = "http";
    auto client = HttpClient::Create(loop, std::move(options));
    EXPECT_TRUE(client) << client.error().message;
    return client ? *std::move(client) : nullptr;
  }

  Result<Response> Call(Transport& transport, Request request) {
    std::optional<Result<Response>> answer;
    Send(transport, std::move(request), [&](Result<Response> result) { answer = std::move(result); });
    if (!RunUntil([&] { return answer.has_value(); })) return Fail(Code::kInternal, "the test got no answer");
    return *std::move(answer);
  }

  Result<Response> Get(Transport& transport, std::string target) {
    Request request;
    request.target = std::move(target);
    return Call(transport, std::move(request));
  }
};

inline Request MakeRequest(std::string method, std::string target, std::string body = "", Duration timeout = {}) {
  Request request;
  request.method = std::move(method);
  request.target = std::move(target);
  request.body = std::move(body);
  request.timeout = timeout;
  return request;
}

}  // namespace berth::net
