// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "app/command_line/text_table.h"
#include "app/explain/explanation_text.h"
#include "app/simulate/report/report.h"
#include "explain/utilization.h"

namespace berth::simulate {
namespace {

using explain::FormatBytes;
using explain::FormatCpu;
using explain::Measure;
using explain::NodeUsage;
using explain::Usage;
using explain::Utilization;

std::vector<std::string> PodNotes(const PodLife& life, const std::multimap<std::string, std::string>& victims) {
  std::vector<std::string> notes;
  switch (FateOf(life)) {
    case Fate::kUnschedulable: notes.emplace_back("does not fit"); break;
    case Fate::kError: notes.emplace_back("error"); break;
    case Fate::kGated:
    case Fate::kIgnored:
    case Fate::kEvicted: notes.push_back(life.message); break;
    default: break;
  }
  if (!life.replaces.empty()) notes.push_back("in place of " + life.replaces);
  const auto [begin, end] = victims.equal_range(life.full_name());
  for (auto it = begin; it != end; ++it) notes.push_back("evicts " + it->second);
  for (const VolumeBinding& binding : life.volumes) {
    notes.push_back(binding.is_new ? fmt::format("new volume for claim {}", binding.claim)
                                   : fmt::format("claim {} takes volume {}", binding.claim, binding.volume));
  }
  return notes;
}

std::string PodTable(const History& history) {
  TextTable table;
  table.Add({"NAMESPACE", "POD", "PRIORITY", "NODE", "NOTE"});
  std::multimap<std::string, std::string> victims;  // By preemptor.
  for (const TimedEviction& eviction : history.evictions) victims.emplace(eviction.preemptor, eviction.victim);
  for (const PodLife& life : history.pods) {
    const Fate fate = FateOf(life);
    if (fate == Fate::kRunning) continue;
    table.Add({life.ns, life.name, std::to_string(life.priority), fate == Fate::kScheduled ? life.node : "-",
               fmt::format("{}", fmt::join(PodNotes(life, victims), "; "))});
  }
  return table.ToString();
}

// Pods with the same message stand together.
std::string Reasons(const History& history) {
  constexpr size_t kNamesMax = 5;
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  std::map<std::string, size_t> by_message;
  for (const PodLife& life : history.pods) {
    if (const Fate fate = FateOf(life); fate != Fate::kUnschedulable && fate != Fate::kError) continue;
    const auto [it, is_new] = by_message.try_emplace(life.message, groups.size());
    if (is_new) groups.emplace_back(life.message, std::vector<std::string>());
    groups[it->second].second.push_back(life.full_name());
  }
  if (groups.empty()) return {};
  std::string text = "\nDOES NOT FIT\n";
  for (auto& [message, names] : groups) {
    const size_t more = names.size() > kNamesMax ? names.size() - kNamesMax : 0;
    names.resize(names.size() - more);
    text += fmt::format("{}{}\n    {}\n", fmt::join(names, ", "), more == 0 ? "" : fmt::format(" and {} more", more),
                        message);
  }
  return text;
}

std::string EvictedPods(const History& history) {
  if (history.evictions.empty()) return {};
  std::string text = "\nEVICTED\n";
  const Replacements replacements(history);
  for (const TimedEviction& eviction : history.evictions) {
    text += fmt::format("{} (priority {}) from {}, to make room for {} (priority {}); ", eviction.victim,
                        eviction.victim_priority, eviction.node, eviction.preemptor, eviction.preemptor_priority);
    const std::string_view made = replacements.Of(eviction.victim);
    text += eviction.owner.empty() ? "no controller owns it, so it is gone\n"
            : made.empty()         ? fmt::format("{} makes no other\n", eviction.owner)
                                   : fmt::format("{} makes {}\n", eviction.owner, made);
  }
  return text;
}

std::string Percent(const Usage& usage) { return fmt::format("{}%", usage.percent()); }

std::vector<std::string> NodeRow(const NodeUsage& node) {
  std::vector<std::string> row = {node.name, node.zone.empty() ? "-" : node.zone};
  row.push_back(fmt::format("{}/{}", node.pods.requested, node.pods.allocatable));
  row.push_back(fmt::format("{}/{}", FormatCpu(node.cpu_milli.requested), FormatCpu(node.cpu_milli.allocatable)));
  row.push_back(Percent(node.cpu_milli));
  row.push_back(
      fmt::format("{}/{}", FormatBytes(node.memory_bytes.requested), FormatBytes(node.memory_bytes.allocatable)));
  row.push_back(Percent(node.memory_bytes));
  for (const Usage& usage : node.extended) {
    row.push_back(usage.is_offered ? fmt::format("{}/{}", usage.requested, usage.allocatable) : "-");
  }
  row.push_back(node.note);
  return row;
}

std::string NodeTable(const Utilization& utilization) {
  TextTable table;
  std::vector<std::string> head = {"NODE", "ZONE", "PODS", "CPU", "CPU%", "MEMORY", "MEMORY%"};
  for (const std::string& name : utilization.extended) head.push_back(name);
  const bool has_notes =
      std::ranges::any_of(utilization.nodes, [](const NodeUsage& node) { return !node.note.empty(); });
  if (has_notes) head.emplace_back("NOTE");
  table.Add(std::move(head));
  for (const NodeUsage& node : utilization.nodes) table.Add(NodeRow(node));
  NodeUsage total = utilization.total;
  total.name = "total";
  table.Add(NodeRow(total));
  return "\n" + table.ToString();
}

std::string ExplanationText(const PodLife& life) {
  std::string text = life.full_name() + "\n";
  for (size_t i = 0; i < life.explanations.size(); ++i) {
    const std::string attempt = life.explanations.size() == 1 ? "" : fmt::format("attempt {}: ", i + 1);
    text += "  " + attempt + explain::ExplanationText(life.explanations[i]);
  }
  return text;
}

std::string Explanations(const History& history) {
  std::string text;
  for (const PodLife& life : history.pods) {
    if (!life.explanations.empty()) text += ExplanationText(life);
  }
  return text.empty() ? text : "\nEXPLANATIONS\n" + text;
}

std::string SummaryLine(const Summary& summary) {
  std::string text = fmt::format("\n{} of {} pods placed", summary.scheduled, summary.pending);
  if (summary.unschedulable > 0) text += fmt::format(", {} do not fit", summary.unschedulable);
  if (summary.gated > 0) text += fmt::format(", {} gated", summary.gated);
  if (summary.ignored > 0) text += fmt::format(", {} not for this scheduler", summary.ignored);
  if (summary.evicted > 0) text += fmt::format(", {} evicted", summary.evicted);
  if (summary.running > 0) text += fmt::format("; {} were running already", summary.running);
  return text + "\n";
}

}  // namespace

Fate FateOf(const PodLife& life) {
  switch (life.state) {
    case PodLife::State::kRunning:
    case PodLife::State::kTerminating:
    case PodLife::State::kCompleted:
    case PodLife::State::kFailed: return life.was_pending ? Fate::kScheduled : Fate::kRunning;
    case PodLife::State::kEvicted:
    case PodLife::State::kDeleted:
    case PodLife::State::kLost: return Fate::kEvicted;
    case PodLife::State::kGated: return Fate::kGated;
    case PodLife::State::kIgnored: return Fate::kIgnored;
    case PodLife::State::kWaiting:
    case PodLife::State::kBinding: break;
  }
  return life.has_error ? Fate::kError : Fate::kUnschedulable;
}

std::string_view FateName(Fate fate) {
  switch (fate) {
    case Fate::kRunning: return "running";
    case Fate::kScheduled: return "scheduled";
    case Fate::kUnschedulable: return "unschedulable";
    case Fate::kError: return "error";
    case Fate::kGated: return "gated";
    case Fate::kIgnored: return "ignored";
    case Fate::kEvicted: return "evicted";
  }
  return "unknown";
}

Summary SummarizeFates(const History& history) {
  Summary summary;
  for (const PodLife& life : history.pods) {
    const Fate fate = FateOf(life);
    if (life.was_pending && fate != Fate::kEvicted) ++summary.pending;
    switch (fate) {
      case Fate::kRunning: ++summary.running; break;
      case Fate::kScheduled: ++summary.scheduled; break;
      case Fate::kGated: ++summary.gated; break;
      case Fate::kIgnored: ++summary.ignored; break;
      case Fate::kEvicted: ++summary.evicted; break;
      case Fate::kUnschedulable:
      case Fate::kError: ++summary.unschedulable; break;
    }
  }
  return summary;
}

std::string SummaryReport(const Simulation& simulation) {
  const std::string text = Reasons(simulation.history()) + SummaryLine(SummarizeFates(simulation.history()));
  return text.substr(1);  // The empty line above the first part.
}

std::string TableReport(const Simulation& simulation) {
  const History& history = simulation.history();
  return PodTable(history) + Reasons(history) + EvictedPods(history) + Explanations(history) +
         NodeTable(Measure(simulation.cluster())) + SummaryLine(SummarizeFates(history));
}

}  // namespace berth::simulate
