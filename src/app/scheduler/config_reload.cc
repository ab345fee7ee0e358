// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/config_reload.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "config/config.h"
#include "framework/plugin_expansion.h"
#include "plugins/coscheduling/coscheduling.h"
#include "runtime/files.h"
#include "scheduler/assembly.h"
#include "telemetry/log.h"

namespace berth::scheduler_app {
namespace {

using framework::SchedulerConfiguration;

constexpr Duration kLookPeriod = Seconds(1);
constexpr size_t kLinesLogged = 100;

// Those of `lines` that are not in `others`, as often as they are more.
void AppendMissing(const std::vector<std::string>& lines, std::vector<std::string> others, char sign,
                   std::vector<std::string>& missing) {
  for (const std::string& line : lines) {
    if (const auto found = std::ranges::find(others, line); found != others.end()) {
      others.erase(found);
    } else {
      missing.push_back(fmt::format("{} {}", sign, line));
    }
  }
}

std::vector<std::string> LinesOf(const SchedulerConfiguration& configuration) {
  std::vector<std::string> lines;
  const std::string text = config::ToYaml(configuration);
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace

Result<void> CheckChange(const SchedulerConfiguration& from, const SchedulerConfiguration& to) {
  const auto fixed = [](std::string_view what) {
    return Invalid(fmt::format("{} cannot change without a restart", what));
  };
  if (from.client_connection != to.client_connection) return fixed("clientConnection");
  if (from.leader_election != to.leader_election) return fixed("leaderElection");
  if (from.extenders != to.extenders) return fixed("extenders");
  if (from.parallelism != to.parallelism) return fixed("parallelism");
  if (from.delay_cache_until_active != to.delay_cache_until_active) return fixed("delayCacheUntilActive");
  if (from.enable_profiling != to.enable_profiling ||
      from.enable_contention_profiling != to.enable_contention_profiling) {
    return fixed("what is served for debugging");
  }
  // Its groups are watched from the start, or not at all.
  constexpr std::string_view kCoscheduling = plugins::Coscheduling::kName;
  if (framework::Enables(to, kCoscheduling) && !framework::Enables(from, kCoscheduling)) {
    return fixed("whether Coscheduling is enabled");
  }
  return {};
}

std::vector<std::string> ChangedLines(const SchedulerConfiguration& from, const SchedulerConfiguration& to) {
  const std::vector<std::string> before = LinesOf(from);
  const std::vector<std::string> after = LinesOf(to);
  std::vector<std::string> changed;
  AppendMissing(before, after, '-', changed);
  AppendMissing(after, before, '+', changed);
  return changed;
}

ConfigReload::ConfigReload(runtime::Timers& timers, Parts parts)
    : parts_(std::move(parts)), loop_(timers, {.delay = runtime::Every(kLookPeriod)}, [this] { Look(); }) {}

void ConfigReload::Look() {
  const Result<std::string> text = runtime::ReadFile(parts_.path);
  const std::string& seen = text ? *text : text.error().message;
  if (seen == last_seen_) return;
  last_seen_ = seen;
  const Result<void> taken = Take(text);
  if (taken) return;
  telemetry::LogError(taken.error(), "The changed configuration file is refused, the scheduler goes on as before",
                      "file", parts_.path);
  parts_.refuse(taken.error());
}

Result<void> ConfigReload::Take(const Result<std::string>& text) {
  if (!text) return std::unexpected(text.error());
  SchedulerConfiguration changed = BERTH_TRY(parts_.load(*text));
  changed.pod_max_in_unschedulable = parts_.configuration.pod_max_in_unschedulable;
  if (changed == parts_.configuration) return {};
  BERTH_CHECK_OK(CheckChange(parts_.configuration, changed));
  if (const auto profiles = scheduler::MakeProfiles(changed, parts_.plugins, parts_.gates); !profiles) {
    return std::unexpected(profiles.error());
  }
  const std::vector<std::string> lines = ChangedLines(parts_.configuration, changed);
  telemetry::LogInfo("The configuration file has changed", "file", parts_.path, "lines", lines.size());
  for (size_t i = 0; i < std::min(lines.size(), kLinesLogged); ++i) telemetry::LogInfo(lines[i]);
  parts_.configuration = std::move(changed);
  parts_.apply(parts_.configuration);
  return {};
}

}  // namespace berth::scheduler_app
