// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/serving/plain_port.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "app/command_line/file_limit.h"

namespace berth::scheduler_app {
namespace {

AuthorizationOptions OpenToEverybody() {
  AuthorizationOptions options;
  options.always_allow_paths = {"*"};
  return options;
}

bool IsServed(const net::ServerRequest& request) {
  constexpr std::array<std::string_view, 4> kTrees = {"/healthz", "/livez", "/readyz", "/metrics"};
  if (request.method != "GET") return false;
  const std::string path = ParseTarget(request.target).path;
  return std::ranges::any_of(kTrees, [&](std::string_view tree) {
    return path.starts_with(tree) && (path.size() == tree.size() || path[tree.size()] == '/');
  });
}

}  // namespace

PlainPort::PlainPort(net::EventLoop& loop, const Options& options, telemetry::Registry& metrics, ServingHooks hooks)
    : authorization_(OpenToEverybody()),
      config_(authentication_, nullptr, loop, [] {}),
      auth_(authentication_, authorization_, config_, nullptr, nullptr, loop),
      handler_(PartsOf(loop, options, auth_, metrics, std::move(hooks))) {}

Result<std::unique_ptr<PlainPort>> PlainPort::Open(net::EventLoop& loop, const Options& options,
                                                   const PlainServing& where, telemetry::Registry& metrics,
                                                   ServingHooks hooks) {
  std::unique_ptr<PlainPort> port(new PlainPort(loop, options, metrics, std::move(hooks)));
  net::HttpServerOptions server = ServingLimits(app::RaiseFileLimit());
  server.address = where.address;
  server.port = where.port;
  Result<std::unique_ptr<net::HttpServer>> listening = net::HttpServer::Listen(loop, std::move(server), *port);
  if (!listening) return Invalid(fmt::format("failed to start healthz server: {}", listening.error().message));
  port->server_ = std::move(*listening);
  return port;
}

void PlainPort::OnRequest(net::ServerRequest request, net::Responder responder) {
  if (IsServed(request)) return handler_.OnRequest(std::move(request), std::move(responder));
  SendAnswer(NotFoundAnswer(), std::move(responder));
}

}  // namespace berth::scheduler_app
