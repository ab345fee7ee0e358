// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/serving/metrics_endpoint.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <optional>

#include "net/accept.h"
#include "telemetry/metrics_text.h"
#include "telemetry/process_metrics.h"

namespace berth::scheduler_app {
namespace {

constexpr std::string_view kEscapings[] = {"allow-utf-8", "underscores", "dots", "values"};

// Names of metrics are plain, so how others would be escaped is only repeated.
std::string ContentType(std::string_view accept) {
  std::string escaping = "underscores";
  for (const net::AcceptClause& clause : net::ParseAccept(accept)) {
    const auto wanted = clause.parameters.find("escaping");
    const bool is_known =
        wanted != clause.parameters.end() && std::ranges::find(kEscapings, wanted->second) != std::end(kEscapings);
    if (is_known) escaping = wanted->second;
    const auto version = clause.parameters.find("version");
    const bool is_text = clause.type == "text" && clause.subtype == "plain";
    if (is_text && (version == clause.parameters.end() || version->second == "0.0.4")) break;
  }
  return "text/plain; version=0.0.4; charset=utf-8; escaping=" + escaping;
}

bool AcceptsGzip(std::string_view accept_encoding) {
  double gzip = -1;
  double identity = -1;
  for (const net::AcceptClause& clause : net::ParseAccept(accept_encoding)) {
    if (clause.type == "gzip" || clause.type == "*") gzip = std::max(gzip, clause.quality);
    if (clause.type == "identity") identity = std::max(identity, clause.quality);
  }
  return gzip > 0 && gzip > identity;
}

std::optional<std::string> Gzip(std::string_view text) {
  constexpr int kGzipWindow = 15 + 16;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK) return std::nullopt;
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return result == Z_STREAM_END ? std::optional(std::move(out)) : std::nullopt;
}

std::string_view UnitOf(std::string_view resource) {
  if (resource == "cpu") return "cores";
  if (resource == "memory" || resource == "storage" || resource == "ephemeral-storage") return "bytes";
  if (resource.starts_with("hugepages-")) return "bytes";
  if (resource.starts_with("attachable-volumes-")) return "integer";
  return "";
}

using Row = std::pair<std::vector<std::string>, double>;

void AppendFamily(telemetry::MetricsText& text, const telemetry::MetricInfo& info, std::span<const PodUsage> pods,
                  std::vector<PodUsage::Amount> PodUsage::* amounts) {
  static const std::vector<std::string> kLabels = {"namespace", "pod",      "node", "scheduler",
                                                   "priority",  "resource", "unit"};
  std::vector<Row> rows;
  for (const PodUsage& pod : pods) {
    for (const auto& [resource, value] : pod.*amounts) {
      if (value == 0) continue;
      rows.push_back(
          {{pod.ns, pod.name, pod.node, pod.scheduler, pod.priority, resource, std::string(UnitOf(resource))}, value});
    }
  }
  if (rows.empty()) return;
  text.Begin(info, telemetry::MetricType::kGauge, kLabels);
  std::ranges::sort(rows, [&](const Row& a, const Row& b) { return text.Before(a.first, b.first); });
  for (const auto& [values, value] : rows) text.Sample(values, value);
}

}  // namespace

Answer MetricsAnswer(std::string text, const net::ServerRequest& request) {
  Answer answer{
      .status = 200,
      .headers = {{"Content-Type", ContentType(request.Find("Accept"))},
                  {"Process-Start-Time-Unix", std::to_string(telemetry::ProcessStartTime().nanos / 1'000'000'000)}},
      .body = std::move(text)};
  if (AcceptsGzip(request.Find("Accept-Encoding"))) {
    if (std::optional<std::string> compressed = Gzip(answer.body)) {
      answer.body = std::move(*compressed);
      answer.headers.push_back({"Content-Encoding", "gzip"});
    }
  }
  return answer;
}

Answer ServeMetrics(telemetry::Registry& registry, const net::ServerRequest& request, const RequestTarget& target) {
  if (request.method == "DELETE") {
    registry.Reset();
    return {.status = 200, .headers = {{"Content-Type", std::string(kPlainText)}}, .body = "metrics reset\n"};
  }
  std::set<std::string> names;
  const auto [first, last] = target.query.equal_range("name[]");
  for (auto it = first; it != last; ++it) names.insert(it->second);
  return MetricsAnswer(registry.Print(names), request);
}

std::string PodUsageText(std::span<const PodUsage> pods) {
  telemetry::MetricsText text;
  AppendFamily(text, {"kube_pod_resource_limit", "What a pod may use of a resource.", telemetry::Stability::kStable},
               pods, &PodUsage::limits);
  AppendFamily(text, {"kube_pod_resource_request", "What a pod asks for of a resource.", telemetry::Stability::kStable},
               pods, &PodUsage::requests);
  return text.Take();
}

}  // namespace berth::scheduler_app
