// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "app/command_line/text_table.h"
#include "app/simulate/report/history_report.h"
#include "app/simulate/report/statistics.h"

namespace berth::simulate {
namespace {

constexpr size_t kRows = 21;
constexpr size_t kEvictionsMax = 20;

std::string Percent(double share) { return fmt::format("{:.0f}%", share * 100); }

std::string Course(const History& history) {
  TextTable table;
  table.Add({"TIME", "PENDING", "ACTIVE", "BACKOFF", "UNSCHEDULABLE", "BINDING", "RUNNING", "CPU", "MEMORY"});
  for (const Sample& sample : Resample(history, kRows)) {
    table.Add({ShortDuration(sample.at - history.start), std::to_string(sample.pending()),
               std::to_string(sample.active), std::to_string(sample.backoff), std::to_string(sample.unschedulable),
               std::to_string(sample.binding), std::to_string(sample.running), Percent(CpuShare(sample)),
               Percent(MemoryShare(sample))});
  }
  return table.ToString();
}

std::string Waiting(const HistorySummary& summary) {
  if (summary.placed == 0) return {};
  TextTable table;
  table.Add({"WAITING TIME", "PODS", "P50", "P90", "P99", "MAX"});
  const auto add = [&](std::string what, const WaitingTime& waiting) {
    table.Add({std::move(what), std::to_string(waiting.count), ShortDuration(waiting.p50), ShortDuration(waiting.p90),
               ShortDuration(waiting.p99), ShortDuration(waiting.max)});
  };
  add("all", summary.waiting);
  for (const auto& [priority, waiting] : summary.waiting_by_priority)
    add(fmt::format("priority {}", priority), waiting);
  return "\n" + table.ToString();
}

std::string Evictions(const History& history) {
  if (history.evictions.empty()) return {};
  std::string text = "\nEVICTED\n";
  for (size_t i = 0; i < std::min(history.evictions.size(), kEvictionsMax); ++i) {
    const TimedEviction& eviction = history.evictions[i];
    const std::string cause = eviction.preemptor.empty() ? "which is drained"
                                                         : fmt::format("to make room for {} (priority {})",
                                                                       eviction.preemptor, eviction.preemptor_priority);
    text += fmt::format("{}: {} (priority {}) from {}, {}\n", ShortDuration(eviction.at - history.start),
                        eviction.victim, eviction.victim_priority, eviction.node, cause);
  }
  if (history.evictions.size() > kEvictionsMax) {
    text += fmt::format("and {} more\n", history.evictions.size() - kEvictionsMax);
  }
  return text;
}

// Pods with the same message stand together.
std::string NeverPlaced(const History& history) {
  constexpr size_t kNamesMax = 5;
  std::map<std::string, std::vector<std::string>> groups;
  for (const PodLife& life : history.pods) {
    if (life.state != PodLife::State::kWaiting) continue;
    groups[life.message.empty() ? "was not turned down" : life.message].push_back(life.full_name());
  }
  if (groups.empty()) return {};
  std::string text = "\nNEVER PLACED\n";
  for (auto& [message, names] : groups) {
    const size_t more = names.size() - std::min(names.size(), kNamesMax);
    names.resize(names.size() - more);
    text += fmt::format("{}{}\n    {}\n", fmt::join(names, ", "), more == 0 ? "" : fmt::format(" and {} more", more),
                        message);
  }
  return text;
}

std::string LastLine(const History& history, const HistorySummary& summary) {
  std::vector<std::string> states;
  for (const auto& [state, count] : summary.states) {
    if (count > 0) states.push_back(fmt::format("{} {}", count, StateName(state)));
  }
  return fmt::format(
      "\n{} simulated: {} pods ({}), {} placed in {} attempts, {} evictions, {} never placed; on average {} of the cpu "
      "and "
      "{} of the memory requested\n",
      ShortDuration(history.end - history.start), history.pods.size(), fmt::join(states, ", "), summary.placed,
      history.attempts, history.evictions.size(), summary.never_placed, Percent(summary.cpu_mean),
      Percent(summary.memory_mean));
}

}  // namespace

std::string HistorySummaryText(const History& history) {
  const std::string text = NeverPlaced(history) + LastLine(history, Summarize(history));
  return text.substr(1);  // The empty line above the first part.
}

std::string HistoryTable(const History& history) {
  const HistorySummary summary = Summarize(history);
  return Course(history) + Waiting(summary) + Evictions(history) + NeverPlaced(history) + LastLine(history, summary);
}

}  // namespace berth::simulate
