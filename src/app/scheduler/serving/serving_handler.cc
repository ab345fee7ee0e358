// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/serving/serving_handler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/scheduler/serving/debug_endpoints.h"
#include "app/scheduler/serving/zpages.h"
#include "telemetry/log.h"
#include "telemetry/process_metrics.h"
#include "web/pages.h"

namespace berth::scheduler_app {
namespace {

HealthChecks MakeChecks(const std::string& name, HealthMetrics& metrics, std::vector<HealthCheck> checks) {
  HealthChecks made(name, metrics);
  for (auto& [check_name, check] : checks) made.Add(check_name, std::move(check));
  if (made.empty()) made.Add("ping", [] { return Result<void>(); });
  return made;
}

Answer PageOf(const net::ServerRequest& request) {
  web::PageAnswer page = web::AnswerPage(request);
  return {.status = page.status, .headers = std::move(page.headers), .body = std::move(page.body)};
}

bool WantsBody(const net::ServerRequest& request) { return request.method == "PUT"; }
constexpr uint64_t kBodyBytesMax = 1024;

}  // namespace

ServingHandler::ServingHandler(ServingParts parts)
    : parts_(std::move(parts)), berth_api_(parts_.timers, parts_.core_access), health_metrics_(slis_) {
  telemetry::AddStartTimeMetric(slis_);
  health_.emplace("/healthz", MakeChecks("healthz", health_metrics_, std::move(parts_.healthz)));
  health_.emplace("/livez", MakeChecks("livez", health_metrics_, {}));
  health_.emplace("/readyz", MakeChecks("readyz", health_metrics_, std::move(parts_.readyz)));
  std::ranges::sort(parts_.flags, {}, &FlagValue::name);
}

void ServingHandler::OnRequest(net::ServerRequest request, net::Responder responder) {
  const auto kept = std::make_shared<net::Responder>(std::move(responder));
  Handle(std::move(request), Peer::Of(kept),
         [kept](Answer answer) { SendAnswer(std::move(answer), std::move(*kept)); });
}

void ServingHandler::Handle(net::ServerRequest request, Peer peer, Send send) {
  const Time start = parts_.timers.Now();
  Send finish = [this, start, verb = request.method, uri = request.target, peer = request.peer_address,
                 send = std::move(send)](Answer answer) mutable {
    BERTH_LOG(3, "HTTP", "verb", verb, "URI", uri, "latency", parts_.timers.Now() - start, "srcIP", peer, "resp",
              answer.status);
    answer.headers.push_back({"Cache-Control", "no-cache, private"});
    send(std::move(answer));
  };
  // What shows a page to sign in on cannot ask who wants it.
  if (parts_.core_access.follow && web::IsForPages(request)) return finish(PageOf(request));
  // The request has to stay while it is being asked about.
  auto kept = std::make_unique<net::ServerRequest>(std::move(request));
  const net::ServerRequest& asked = *kept;
  parts_.auth.Admit(asked, [this, kept = std::move(kept), peer = std::move(peer),
                            finish = std::move(finish)](std::optional<Answer> refusal) mutable {
    if (refusal) return finish(std::move(*refusal));
    if (!WantsBody(*kept)) return Route(*kept, std::move(peer), std::move(finish));
    const auto read_body = peer.read_body;
    read_body(kBodyBytesMax, [this, kept = std::move(kept), peer = std::move(peer),
                              finish = std::move(finish)](std::string body) mutable {
      kept->body = std::move(body);
      Route(*kept, std::move(peer), std::move(finish));
    });
  });
}

void ServingHandler::Route(const net::ServerRequest& request, Peer peer, Send send) {
  const RequestTarget target = ParseTarget(request.target);
  const std::string& path = target.path;
  const std::string_view accept = request.Find("Accept");
  if (const auto health = health_.find(path); health != health_.end()) return send(health->second.Run(target.query));
  if (path == "/metrics") return send(ServeMetrics(parts_.metrics, request, target));
  if (path == "/metrics/slis") return send(ServeMetrics(slis_, request, target));
  if (path == "/metrics/resources") return ServePodUsage(request, std::move(send));
  if (path == "/configz") {
    return send(TextAnswer(fmt::format("{{\"componentconfig\":{}}}", parts_.configuration_json), "application/json"));
  }
  if (path.starts_with(kBerthApiRoot) && parts_.core_access.ask) {
    return berth_api_.Handle(request, std::move(peer), std::move(send));
  }
  if (path == "/flagz" && parts_.serves_flagz) return send(ServeFlagz(parts_.flags, accept));
  if (path == "/statusz" && parts_.serves_statusz) return send(ServeStatus(accept));
  if (path.starts_with("/debug/") && parts_.serves_profiling) return send(ServeDebug(request, path));
  const size_t slash = path.find('/', 1);
  if (const auto health = health_.find(path.substr(0, slash)); health != health_.end() && slash != path.npos) {
    return send(health->second.RunOne(std::string_view(path).substr(slash + 1)));
  }
  send(NotFoundAnswer());
}

void ServingHandler::ServePodUsage(const net::ServerRequest& request, Send send) {
  if (!parts_.is_leading()) return send(Answer{});
  if (request.method == "DELETE") {
    return send({.status = 200, .headers = {{"Content-Type", std::string(kPlainText)}}, .body = "metrics reset\n"});
  }
  // Only the headers matter from here on.
  net::ServerRequest kept{.method = request.method,
                          .target = {},
                          .headers = request.headers,
                          .body = {},
                          .peer_address = {},
                          .peer_certificate = {}};
  parts_.ask_pod_usage([kept = std::move(kept), send = std::move(send)](std::vector<PodUsage> pods) mutable {
    send(MetricsAnswer(PodUsageText(pods), kept));
  });
}

Answer ServingHandler::ServeStatus(std::string_view accept) const {
  StatusPage page{.start = telemetry::ProcessStartTime(),
                  .now = parts_.timers.WallNow(),
                  .runtime_version = "none",
                  .binary_version = parts_.binary_version,
                  .emulation_version = parts_.emulation_version,
                  .paths = {"/configz", "/flagz", "/healthz", "/livez", "/metrics", "/readyz"}};
  if (!parts_.serves_flagz) std::erase(page.paths, "/flagz");
  return ServeStatusz(page, accept);
}

}  // namespace berth::scheduler_app
