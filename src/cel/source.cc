// SPDX-License-Identifier: Apache-2.0
#include "cel/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "api/document/utf8.h"
#include "cel/operations.h"

namespace berth::cel {

void Issues::Report(Offset offset, std::string message) {
  if (++count_ > kIssuesMax) return;
  Issue issue;
  issue.message = std::move(message);
  if (offset != kNowhere) {
    const std::string_view before = text_.substr(0, offset);
    const size_t line_start = before.rfind('\n') + 1;  // 0 if there is none.
    issue.line = 1 + static_cast<int>(std::ranges::count(before, '\n'));
    // Upstream has the end of an empty text before its first column.
    issue.column = text_.empty() ? -1 : static_cast<int>(CountCharacters(before.substr(line_start)));
  }
  issues_.push_back(std::move(issue));
}

std::string_view Issues::Line(int number) const {
  std::string_view rest = text_;
  for (; number > 1; --number) rest.remove_prefix(rest.find('\n') + 1);
  return rest.substr(0, rest.find('\n'));
}

std::string Issues::Display(const Issue& issue) const {
  std::string text = fmt::format("ERROR: <input>:{}:{}: {}", issue.line, issue.column + 1, issue.message);
  constexpr size_t kSnippetMax = 16384;
  if (issue.line < 1 || Line(issue.line).size() > kSnippetMax) return text;
  std::string snippet(Line(issue.line));
  std::ranges::replace(snippet, '\t', ' ');

  // Wide marks stand under characters that are not ASCII.
  const auto width = [](std::string_view rest) { return rest.empty() ? 0 : api::DecodeUtf8(rest).size; };
  text += "\n | " + snippet + "\n | ";
  std::string_view rest = snippet;
  for (int i = 0; i < issue.column && !rest.empty(); ++i) {
    text += width(rest) > 1 ? "\uff0e" : ".";
    rest.remove_prefix(width(rest));
  }
  return text + (width(rest) > 1 ? "\uff3e" : "^");
}

std::string Issues::ToString() const {
  std::vector<const Issue*> sorted;
  for (const Issue& issue : issues_) sorted.push_back(&issue);
  std::ranges::stable_sort(sorted, {}, [](const Issue* issue) { return std::tuple(issue->line, issue->column); });
  std::string text;
  for (const Issue* issue : sorted) text += (text.empty() ? "" : "\n") + Display(*issue);
  if (count_ > kIssuesMax) text += fmt::format("\n{} more errors were truncated", count_ - kIssuesMax);
  return text;
}

}  // namespace berth::cel
