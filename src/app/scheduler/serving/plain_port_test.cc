// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/serving/plain_port.h"

#include <gtest/gtest.h>

#include "net/http_client.h"

namespace berth::scheduler_app {
namespace {

struct PlainLive {
  net::EventLoop loop;
  Options options;
  telemetry::Registry metrics;
  std::unique_ptr<PlainPort> port;

  PlainLive() {
    auto opened = PlainPort::Open(loop, options, {"127.0.0.1", 0}, metrics,
                                  {.healthz = {},
                                   .readyz = {},
                                   .is_leading = [] { return false; },
                                   .ask_pod_usage = [](ServingParts::OnUsage) {}});
    if (opened) port = std::move(*opened);
  }
  int Status(std::string method, std::string path) {
    net::HttpClientOptions to_port;
    to_port.endpoint.scheme = "http";
    to_port.endpoint.host = "127.0.0.1";
    to_port.endpoint.port = port->port();
    const auto client = *net::HttpClient::Create(loop, std::move(to_port));
    int status = 0;
    net::Request request;
    request.method = std::move(method);
    request.target = std::move(path);
    request.timeout = Seconds(10);
    net::Send(*client, std::move(request), [&](Result<net::Response> response) {
      if (response) status = response->head.status;
      loop.Stop();
    });
    loop.Run();
    return status;
  }
};

TEST(PlainPort, ServesHealthAndMetricsAndNothingElse) {
  PlainLive live;
  ASSERT_NE(live.port, nullptr);

  for (const char* path : {"/healthz", "/healthz/ping", "/livez", "/readyz?verbose", "/metrics", "/metrics/slis"}) {
    EXPECT_EQ(live.Status("GET", path), 200) << path;
  }
  for (const char* path : {"/", "/configz", "/flagz", "/debug/flags/v", "/metricsz", "/healthz2"}) {
    EXPECT_EQ(live.Status("GET", path), 404) << path;
  }
  EXPECT_EQ(live.Status("DELETE", "/metrics"), 404);
  EXPECT_EQ(live.Status("PUT", "/debug/flags/v"), 404);
}

TEST(PlainPort, PortInUseIsAnError) {
  PlainLive live;
  ASSERT_NE(live.port, nullptr);

  const auto second = PlainPort::Open(live.loop, live.options, {"127.0.0.1", live.port->port()}, live.metrics, {});

  ASSERT_FALSE(second.has_value());
  EXPECT_TRUE(second.error().message.starts_with("failed to start healthz server: listen tcp 127.0.0.1:"));
}

}  // namespace
}  // namespace berth::scheduler_app
