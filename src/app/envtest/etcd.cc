// SPDX-License-Identifier: Apache-2.0
#include "app/envtest/etcd.h"

#include <fmt/format.h>
#include <signal.h>

#include <memory>
#include <string_view>
#include <utility>

#include "app/command_line/version.h"
#include "app/envtest/stand_in_flags.h"
#include "app/scheduler/flags/flag_bindings.h"
#include "app/scheduler/flags/flag_set.h"
#include "base/result.h"
#include "net/address.h"
#include "net/endpoint.h"
#include "net/event_loop.h"
#include "net/http_server.h"

namespace berth::envtest {
namespace {

constexpr std::string_view kEtcdName = "etcd";
constexpr size_t kUrlsMax = 16;
constexpr size_t kConnectionsMax = 64;
constexpr uint32_t kHeaderBytesMax = 16 * 1024;
constexpr uint64_t kBodyBytesMax = 64 * 1024;

const std::vector<IdleFlag>& EtcdIdleFlags() {
  static constexpr std::string_view kKept = "nothing is kept here";
  static constexpr std::string_view kAlone = "there are no peers";
  static const std::vector<IdleFlag> flags = {
      {"advertise-client-urls", "string", kAlone},
      {"auto-compaction-mode", "string", kKept},
      {"auto-compaction-retention", "string", kKept},
      {"data-dir", "string", kKept},
      {"initial-advertise-peer-urls", "string", kAlone},
      {"initial-cluster", "string", kAlone},
      {"initial-cluster-state", "string", kAlone},
      {"initial-cluster-token", "string", kAlone},
      {"listen-peer-urls", "string", kAlone},
      {"log-level", "string", "nothing is logged"},
      {"logger", "string", "nothing is logged"},
      {"max-request-bytes", "uint", kKept},
      {"name", "string", kAlone},
      {"quota-backend-bytes", "int", kKept},
      {"snapshot-count", "uint", kKept},
      {"unsafe-no-fsync", "bool", kKept},
  };
  return flags;
}

class Health : public net::HttpHandler {
 public:
  void OnRequest(net::ServerRequest request, net::Responder responder) override {
    const std::string path = request.target.substr(0, request.target.find('?'));
    if (path == "/health") return Answer(responder, 200, R"({"health":"true","reason":""})");
    if (path == "/version") {
      return Answer(responder, 200, fmt::format(R"({{"etcdserver":"{0}","etcdcluster":"{0}"}})", app::ProductName()));
    }
    Answer(responder, 404, R"({"error":"this is Berth in the place of etcd, and keeps nothing"})");
  }

 private:
  static void Answer(net::Responder& responder, int status, std::string body) {
    responder.Send(status, {{"Content-Type", "application/json"}}, std::move(body));
  }
};

Result<std::unique_ptr<net::HttpServer>> Listen(net::EventLoop& loop, const std::string& url, Health& health) {
  const net::Endpoint endpoint = BERTH_TRY(net::ParseEndpoint(url));
  if (endpoint.scheme != "http") return Invalid(url + ": only http is served");
  net::HttpServerOptions options;
  options.address = endpoint.host == "localhost" ? "127.0.0.1" : endpoint.host;
  const auto address = net::ParseAddress(options.address, 0);
  if (!address || !net::IsLoopback(*address)) return Invalid(url + ": is no address of loopback");
  options.port = endpoint.port;
  options.connections_max = kConnectionsMax;
  options.header_bytes_max = kHeaderBytesMax;
  options.body_bytes_max = kBodyBytesMax;
  return net::HttpServer::Listen(loop, options, health);
}

Result<void> Serve(const std::vector<std::string>& urls) {
  if (urls.size() > kUrlsMax) return Invalid(fmt::format("--listen-client-urls: more than {}", kUrlsMax));
  net::EventLoop loop;
  Health health;
  std::vector<std::unique_ptr<net::HttpServer>> servers;
  for (const std::string& url : urls) servers.push_back(BERTH_TRY(Listen(loop, url, health)));
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) loop.OnSignal(signal, [&loop] { loop.Stop(); });
  loop.Run();
  return {};
}

}  // namespace

int RunEtcd(const std::vector<std::string>& arguments) {
  std::vector<std::string> urls = {"http://localhost:2379"};
  scheduler_app::FlagSet flags;
  flags.BeginSection("Serving");
  flags.Add("listen-client-urls", scheduler_app::BindStrings(urls), "Where to answer");
  AddIdleFlags(flags, EtcdIdleFlags());
  if (const auto done = ParseStandIn(kEtcdName, flags, arguments)) return *done;
  const Result<void> served = Serve(urls);
  if (served) return 0;
  fmt::print(stderr, "{}: {}\n", kEtcdName, served.error().message);
  return 1;
}

}  // namespace berth::envtest
