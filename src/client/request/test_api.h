// SPDX-License-Identifier: Apache-2.0
// TestApi: an API server that a test plays, for tests of what is written to one.
//
//   api.Answer(201);                                          // The oldest open request.
//   EXPECT_THAT(api.requests(), ElementsAre("POST /api/..."));  // All so far.

#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "client/request/rest_client.h"
#include "client/request/test_network.h"

namespace berth::client {

struct TestApi {
  TestApi() : credentials(NoCredentials()), client(transport, timers, *credentials, Options(), nullptr) {}

  static RestClient::Options Options() { return {.server = "http://kube", .user_agent = "test", .qps = 0, .burst = 1}; }

  // The n-th request from 0, as "METHOD target".
  std::string Line(size_t index) const {
    const net::Request& request = transport.call(index).request;
    return request.method + " " + request.target;
  }
  std::vector<std::string> requests() const {
    std::vector<std::string> lines;
    for (size_t i = 0; i < transport.started(); ++i) lines.push_back(Line(i));
    return lines;
  }
  const std::string& body(size_t index) const { return transport.call(index).request.body; }
  std::string_view content_type(size_t index) const { return transport.call(index).Header("Content-Type"); }

  // These end the oldest open request.
  void Answer(int status, std::string_view body = "{}") {
    transport.Answer(Oldest(), status, body, {{"Content-Type", "application/json"}});
    timers.Run();
  }
  void Refuse(int status, std::string_view reason, std::string_view message) {
    Answer(status, fmt::format(R"({{"kind":"Status","status":"Failure","reason":"{}","message":"{}","code":{}}})",
                               reason, message, status));
  }
  void Fail(Code code) {
    transport.Fail(Oldest(), code, code == Code::kUnavailable ? "connection refused" : "connection reset");
    timers.Run();
  }
  net::Transport::CallId Oldest() const {
    for (size_t i = 0; i < transport.started(); ++i) {
      if (transport.is_open(transport.call(i).id)) return transport.call(i).id;
    }
    BERTH_ASSERT(false);
    return 0;
  }

  TestTimers timers;
  TestTransport transport;
  std::unique_ptr<Credentials> credentials;
  RestClient client;
};

}  // namespace berth::client
