// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/serving/health_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "telemetry/log.h"

namespace berth::scheduler_app {

HealthMetrics::HealthMetrics(telemetry::Registry& registry)
    : status(registry.AddGauge({"kubernetes_healthcheck", "1 if a health check succeeded when it last ran, else 0.",
                                telemetry::Stability::kStable},
                               {"name", "type"})),
      results(registry.AddCounter(
          {"kubernetes_healthchecks_total", "Runs of a health check, by result.", telemetry::Stability::kStable},
          {"name", "type", "status"})) {}

Answer HealthChecks::Run(const std::multimap<std::string, std::string>& query) {
  std::set<std::string> excluded;
  const auto [first, last] = query.equal_range("exclude");
  for (auto it = first; it != last; ++it) excluded.insert(it->second);

  std::string report;
  std::string reasons;
  for (const auto& [name, check] : checks_) {
    if (excluded.erase(name) > 0) {
      report += fmt::format("[+]{} excluded: ok\n", name);
      continue;
    }
    const Result<void> result = check();
    metrics_.status.With(name, name_).Set(result ? 1 : 0);
    metrics_.results.With(name, name_, result ? "success" : "error").Add();
    report += result ? fmt::format("[+]{} ok\n", name) : fmt::format("[-]{} failed: reason withheld\n", name);
    if (!result) reasons += fmt::format("[-]{} failed: {}\n", name, result.error().message);
  }
  if (!excluded.empty()) {
    std::vector<std::string> quoted;
    for (const std::string& name : excluded) quoted.push_back(fmt::format("\"{}\"", name));
    report += fmt::format("warn: some health checks cannot be excluded: no matches for {}\n", fmt::join(quoted, ", "));
  }
  if (!reasons.empty()) {
    BERTH_LOG(2, "Health check failed", "endpoint", name_, "reasons", reasons);
    return ErrorAnswer(500, fmt::format("{}{} check failed", report, name_));
  }
  return TextAnswer(query.contains("verbose") ? fmt::format("{}{} check passed\n", report, name_) : "ok");
}

Answer HealthChecks::RunOne(std::string_view check_name) {
  const auto named = std::ranges::find(checks_, check_name, &Named::name);
  if (named == checks_.end()) return NotFoundAnswer();
  const Result<void> result = named->check();
  if (!result) return ErrorAnswer(500, "internal server error: " + result.error().message);
  return {.status = 200, .headers = {{"Content-Type", std::string(kPlainText)}}, .body = "ok"};
}

}  // namespace berth::scheduler_app
