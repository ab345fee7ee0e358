// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/serving/serving_port.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "net/http_client.h"

namespace berth::scheduler_app {
namespace {

struct LivePort {
  net::EventLoop loop;
  Options options;
  telemetry::Registry metrics;
  telemetry::ClientMetrics client_metrics{metrics};
  std::unique_ptr<ServingPort> port;

  LivePort() {
    options.serving.bind_address = "127.0.0.1";
    options.serving.secure_port = 0;
  }
  Result<void> Open() {
    port = BERTH_TRY(ServingPort::Open(loop, options, {}, {metrics, client_metrics},
                                       {.healthz = {},
                                        .readyz = {},
                                        .is_leading = [] { return false; },
                                        .ask_pod_usage = [](ServingParts::OnUsage) {}},
                                       [](Error error) { ADD_FAILURE() << error.message; }));
    return {};
  }
  net::Response Get(std::string path, net::TlsClientOptions tls = {}) {
    tls.insecure_skip_verify = true;
    net::HttpClientOptions to_port;
    to_port.endpoint.scheme = "https";
    to_port.endpoint.host = "127.0.0.1";
    to_port.endpoint.port = port->port();
    to_port.tls = std::move(tls);
    const auto client = *net::HttpClient::Create(loop, std::move(to_port));
    net::Response got;
    net::Request request;
    request.target = std::move(path);
    request.timeout = Seconds(10);
    net::Send(*client, std::move(request), [&](Result<net::Response> response) {
      if (response) got = std::move(*response);
      loop.Stop();
    });
    loop.Run();
    return got;
  }
};

TEST(ServingPort, AnswersOverTls) {
  LivePort live;
  ASSERT_TRUE(live.Open());

  const net::Response healthy = live.Get("/healthz");
  EXPECT_EQ(healthy.head.status, 200);
  EXPECT_EQ(healthy.body, "ok");
  EXPECT_EQ(healthy.head.Find("cache-control"), "no-cache, private");
  EXPECT_EQ(live.Get("/metrics").head.status, 403);
  EXPECT_THAT(live.metrics.Print(), ::testing::HasSubstr("workqueue_work_duration_seconds_count"));
}

TEST(ServingPort, LeavesMostFilesToTheScheduler) {
  EXPECT_EQ(ServingLimits(1 << 20).connections_max, 100U);
  EXPECT_EQ(ServingLimits(1024).connections_max, 100U);
  EXPECT_EQ(ServingLimits(256).connections_max, 32U);
  EXPECT_EQ(ServingLimits(4).connections_max, 1U);
  EXPECT_EQ(ServingLimits(1 << 20, 100).connections_max, 200U);
}

TEST(ServingPort, BelievesClientsOfTheCaFile) {
  LivePort live;
  net::CertificateOptions of_ca;
  of_ca.common_name = "ca";
  of_ca.is_ca = true;
  const net::KeyPair ca = *net::MakeCertificate(of_ca, live.loop.Now());
  net::CertificateOptions of_admin;
  of_admin.common_name = "admin";
  of_admin.organizations = {"system:masters"};
  const net::KeyPair admin = *net::MakeCertificate(of_admin, live.loop.Now(), &ca);
  const std::string folder = ::testing::TempDir() + "serving_port_test";
  std::filesystem::create_directories(folder);
  live.options.authentication.client_ca_file = folder + "/ca.crt";
  std::ofstream(live.options.authentication.client_ca_file) << ca.certificate_pem;
  live.options.serving.cert_dir = folder;
  ASSERT_TRUE(live.Open());

  net::TlsClientOptions tls;
  tls.certificate_pem = admin.certificate_pem;
  tls.key_pem = admin.key_pem;
  EXPECT_EQ(live.Get("/configz", tls).head.status, 200);
  const net::KeyPair stranger = *net::MakeCertificate(of_admin, live.loop.Now());
  tls.certificate_pem = stranger.certificate_pem;
  tls.key_pem = stranger.key_pem;
  EXPECT_EQ(live.Get("/configz", tls).head.status, 401);
  using std::filesystem::perms;
  const perms owner = perms::owner_read | perms::owner_write;
  const auto permissions_of = [&](std::string name) { return std::filesystem::status(folder + name).permissions(); };
  EXPECT_EQ(permissions_of("/kube-scheduler.key"), owner) << "the certificate it made is kept";
  EXPECT_EQ(permissions_of("/kube-scheduler.crt"), owner | perms::group_read | perms::others_read);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace berth::scheduler_app
