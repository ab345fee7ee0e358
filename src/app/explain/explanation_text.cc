// SPDX-License-Identifier: Apache-2.0
#include "app/explain/explanation_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "app/command_line/text_table.h"
#include "explain/wrapped_text.h"

namespace berth::explain {
namespace {

using simulate::TextTable;

std::string Count(size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// "a, b, c and 4 more".
std::string List(const std::vector<std::string>& shown, size_t count) {
  std::string text = fmt::format("{}", fmt::join(shown, ", "));
  if (count > shown.size()) text += fmt::format(" and {} more", count - shown.size());
  return text;
}

std::string Headline(const Explanation& explanation) {
  if (!explanation.group.empty() && explanation.chosen.empty()) {
    return fmt::format("does not fit with its group {}: {}", explanation.group, explanation.message);
  }
  if (explanation.outcome == "error") return fmt::format("failed: {}", explanation.message);
  if (explanation.chosen.empty()) return fmt::format("none of {} fits", Count(explanation.node_count, "node"));
  if (!explanation.group.empty()) {
    return fmt::format("goes to {} with its group {}", explanation.chosen, explanation.group);
  }
  if (explanation.is_nominated_node) return fmt::format("goes to its nominated node {}", explanation.chosen);
  std::string text = fmt::format("goes to {}; {} of {} fit", explanation.chosen, explanation.feasible_count,
                                 Count(explanation.node_count, "node"));
  if (explanation.tied_count > 1)
    text += fmt::format("; equally good: {}", List(explanation.tied, explanation.tied_count));
  return text;
}

std::string Rejections(const Explanation& explanation) {
  TextTable table;
  for (const Rejection& rejection : explanation.rejections) {
    const std::string reasons =
        rejection.reasons.empty() ? "not looked at" : fmt::format("{}", fmt::join(rejection.reasons, ", "));
    table.Add({Count(rejection.count, "node"), rejection.plugin, reasons,
               rejection.nodes.empty() ? "" : fmt::format("({})", List(rejection.nodes, rejection.count))});
  }
  return table.ToString(4);
}

// Plugins are rows, because their names are long.
std::string Scores(const Explanation& explanation) {
  if (explanation.scores.empty()) return {};
  TextTable table;
  std::vector<std::string> head = {"SCORE", "WEIGHT"};
  for (const NodeScore& score : explanation.scores) head.push_back(score.node);
  table.Add(std::move(head));
  for (size_t i = 0; i < explanation.score_plugins.size(); ++i) {
    std::vector<std::string> row = {explanation.score_plugins[i].name,
                                    std::to_string(explanation.score_plugins[i].weight)};
    for (const NodeScore& score : explanation.scores) row.push_back(std::to_string(score.by_plugin[i]));
    table.Add(std::move(row));
  }
  std::vector<std::string> totals = {"total", ""};
  for (const NodeScore& score : explanation.scores) totals.push_back(std::to_string(score.total));
  table.Add(std::move(totals));
  std::string text = table.ToString(4);
  const size_t hidden = explanation.feasible_count - std::min(explanation.feasible_count, explanation.scores.size());
  if (hidden > 0) text += fmt::format("    ({} with lower or equal scores not shown)\n", Count(hidden, "node"));
  return text;
}

std::string Preemption(const Explanation& explanation) {
  if (explanation.preemption.empty()) return {};
  std::string text = fmt::format("    {}\n", explanation.preemption);
  for (const PreemptionOption& option : explanation.options) {
    text += fmt::format("    {} {}: would evict {}", option.is_chosen ? "chosen:" : "or", option.node,
                        fmt::join(option.victims, ", "));
    if (option.pdb_violations > 0)
      text += fmt::format(" against {}", Count(option.pdb_violations, "disruption budget"));
    text += '\n';
  }
  const size_t hidden = explanation.option_count - std::min(explanation.option_count, explanation.options.size());
  if (hidden > 0) text += fmt::format("    ({} where evictions would help not shown)\n", Count(hidden, "node"));
  return text;
}

std::string Group(const Explanation& explanation) {
  std::string text;
  for (const DomainFailure& domain : explanation.domains) {
    text += fmt::format("    {} does not fit in {}: {}\n", domain.group, domain.name, domain.message);
    for (const auto& [name, message] : domain.members) text += fmt::format("      {}: {}\n", name, message);
  }
  if (!explanation.group_preemption.empty()) text += fmt::format("    {}\n", explanation.group_preemption);
  return text;
}

std::string NextTry(const QueuePlace& place, Time now) {
  if (!place.next_retry) return "";
  if (*place.next_retry <= now) return "now";
  const Duration left{(*place.next_retry - now).nanos / 1'000'000'000 * 1'000'000'000};
  return fmt::format("{}{}", place.may_be_earlier ? "<" : "", FormatDuration(left));
}

std::string PlaceText(const QueuePlace& place, Time now) {
  if (place.where == QueuePlace::Where::kNowhere) return {};
  std::string text = fmt::format("  in the queue: {}", ToString(place.where));
  if (place.place > 0) text += fmt::format(", number {} of {}", place.place, place.length);
  if (place.since) text += fmt::format(", since {}", FormatTime(*place.since));
  if (const std::string next = NextTry(place, now); !next.empty()) {
    text += fmt::format(", tried {}", next == "now" ? next : "in " + next);
  }
  text += '\n';
  std::map<std::string, std::vector<std::string>> events;
  for (const QueuePlace::Waker& waker : place.wakers) {
    events[waker.plugin].push_back(waker.event + (waker.depends_on_it ? "?" : ""));
  }
  for (const auto& [plugin, names] : events) {
    text += Wrapped(fmt::format("woken for {} by {}", plugin, fmt::join(names, " ")), 2);
  }
  return text;
}

std::string FindingLine(const NodeFinding& finding) {
  using Verdict = NodeFinding::Verdict;
  switch (finding.verdict) {
    case Verdict::kChosen: return "it is the node chosen";
    case Verdict::kFeasible:
      if (!finding.score) return "fits, with a lower or equal score";
      if (!finding.chosen_score) return fmt::format("fits, score {}", finding.score->total);
      return fmt::format("fits, but its score is {} of {}", finding.score->total, finding.chosen_score->total);
    case Verdict::kRejected:
      return fmt::format("{}{}{}", finding.plugin, finding.plugin.empty() ? "" : ": ",
                         fmt::join(finding.reasons, ", "));
    case Verdict::kNotLookedAt: return "was not looked at: enough others fitted";
    case Verdict::kUnknown: return "there was no such node";
  }
  return {};
}

std::string FindingText(const NodeFinding& finding) {
  return fmt::format("why not {}: {}\n", finding.node, FindingLine(finding));
}

std::string NodesText(const std::vector<NodeFinding>& findings) {
  TextTable table;
  table.Add({"NODE", "VERDICT"});
  for (const NodeFinding& finding : findings) table.Add({finding.node, FindingLine(finding)});
  return table.ToString();
}

}  // namespace

std::string ExplanationText(const Explanation& explanation) {
  return Headline(explanation) + "\n" + Rejections(explanation) + Scores(explanation) + Preemption(explanation) +
         Group(explanation);
}

std::string PodText(const PodExplanation& explanation, Time now) {
  std::string text = fmt::format("{}/{} {}\n", explanation.ns, explanation.name, explanation.summary);
  text += PlaceText(explanation.place, now);
  for (const Explanation& attempt : explanation.attempts) {
    text += fmt::format("attempt {} at {}: {}", attempt.number, FormatTime(attempt.decided), ExplanationText(attempt));
    if (attempt.was_refused) text += fmt::format("    given up again: {}\n", attempt.message);
    text +=
        fmt::format("    after {} active, {} backing off, {} waiting; woken by {}{}\n", FormatDuration(attempt.active),
                    FormatDuration(attempt.backoff), FormatDuration(attempt.unschedulable), attempt.woken_by,
                    attempt.called_by.empty() ? "" : ", as " + attempt.called_by + " wanted");
  }
  if (explanation.why_not) text += FindingText(*explanation.why_not);
  if (!explanation.nodes.empty()) text += NodesText(explanation.nodes);
  for (const std::string& note : explanation.notes) text += "note: " + note + "\n";
  return text;
}

std::string QueueText(const QueueListing& listing) {
  std::string text = fmt::format(
      "{} active, {} backing off, {} unschedulable, {} gated, {} await their group; {} on their way to a node\n",
      listing.active, listing.backoff, listing.unschedulable, listing.gated, listing.no_group, listing.binding);
  if (listing.rows.empty()) return text;
  TextTable table;
  table.Add({"QUEUE", "PLACE", "POD", "PRIORITY", "TRIED", "WAITS FOR", "NEXT TRY"});
  for (const QueueListing::Row& row : listing.rows) {
    const QueuePlace& place = row.place;
    table.Add({std::string(ToString(place.where)), place.place == 0 ? "" : std::to_string(place.place),
               row.ns + "/" + row.name, std::to_string(row.priority), std::to_string(place.attempts),
               fmt::format("{}", fmt::join(place.waits_for, ",")), NextTry(place, listing.now)});
  }
  text += table.ToString();
  if (listing.total > listing.rows.size()) text += fmt::format("({} more)\n", listing.total - listing.rows.size());
  return text;
}

}  // namespace berth::explain
