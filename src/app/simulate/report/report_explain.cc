// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/command_line/text_table.h"
#include "app/simulate/report/report.h"

namespace berth::simulate {
namespace {

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
  if (explanation.chosen.empty()) return fmt::format("none of {} fits", Count(explanation.node_count, "node"));
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
  const size_t hidden = explanation.feasible_count - explanation.scores.size();
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
  const size_t hidden = explanation.option_count - explanation.options.size();
  if (hidden > 0) text += fmt::format("    ({} where evictions would help not shown)\n", Count(hidden, "node"));
  return text;
}

}  // namespace

std::string ExplanationText(const Explanation& explanation) {
  return Headline(explanation) + "\n" + Rejections(explanation) + Scores(explanation) + Preemption(explanation);
}

std::string ExplanationText(const PodLife& life) {
  std::string text = life.full_name() + "\n";
  for (size_t i = 0; i < life.explanations.size(); ++i) {
    const std::string attempt = life.explanations.size() == 1 ? "" : fmt::format("attempt {}: ", i + 1);
    text += "  " + attempt + ExplanationText(life.explanations[i]);
  }
  return text;
}

}  // namespace berth::simulate
