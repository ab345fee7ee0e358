// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>
#include <vector>

namespace berth::command_line {
namespace {

// One row of a table: what stands left, and the text beside it.
using Entry = std::pair<std::string, std::string>;

std::string FlagText(const Flag& flag) {
  std::string text = flag.help;
  if (flag.is_required) text += " (required)";
  if (!flag.default_value.empty()) text += fmt::format(" (default {})", flag.default_value);
  return text;
}

// A wide head has its text on the line below.
std::string Section(std::string_view title, const std::vector<Entry>& entries, size_t columns) {
  constexpr size_t kMargin = 2;
  constexpr size_t kHeadMax = 26;
  if (entries.empty()) return {};
  size_t widest = 0;
  for (const auto& [head, text] : entries) {
    if (head.size() <= kHeadMax) widest = std::max(widest, head.size());
  }
  const size_t indent = kMargin + widest + kMargin;
  std::string out = fmt::format("\n{}:\n", title);
  for (const auto& [head, text] : entries) {
    const bool is_wide = head.size() > widest;
    out += fmt::format("{:{}}{:{}}", "", kMargin, head, is_wide ? 0 : indent - kMargin);
    if (is_wide) out += fmt::format("\n{:{}}", "", indent);
    out += Fill(text, columns, indent) + "\n";
  }
  return out;
}

}  // namespace

std::string Fill(std::string_view text, size_t columns, size_t indent) {
  const size_t width = columns - std::min(columns, indent);
  std::vector<std::string> lines;
  bool is_open = false;  // More words may follow on the last line.
  for (const auto part : std::views::split(text, '\n')) {
    const std::string_view line(part.begin(), part.end());
    if (line.empty() || line.starts_with("  ")) {
      lines.emplace_back(line);
      is_open = false;
      continue;
    }
    for (const auto piece : std::views::split(line, ' ')) {
      const std::string_view word(piece.begin(), piece.end());
      if (is_open && lines.back().size() + 1 + word.size() <= width) {
        lines.back().append(" ").append(word);
      } else {
        lines.emplace_back(word);
        is_open = true;
      }
    }
  }
  std::string out;
  for (const std::string& line : lines) {
    if (!out.empty()) out += line.empty() ? "\n" : "\n" + std::string(indent, ' ');
    out += line;
  }
  return out;
}

std::string HelpText(const Command& command, size_t columns) {
  std::vector<Entry> arguments;
  for (const Argument& argument : command.arguments) arguments.emplace_back(argument.name, argument.help);
  std::vector<Entry> commands;
  for (const Command& each : command.commands) commands.emplace_back(each.name, each.Summary());
  std::vector<Entry> flags;
  for (const Flag& flag : command.flags) flags.emplace_back(FlagHead(flag), FlagText(flag));
  std::string text = fmt::format("{}\n\nUsage: {}\n", Fill(command.about, columns), command.Usage());
  text += Section("Arguments", arguments, columns) + Section("Commands", commands, columns);
  text += Section("Flags", flags, columns);
  if (!command.notes.empty()) text += fmt::format("\n{}\n", Fill(command.notes, columns));
  if (!command.examples.empty()) text += fmt::format("\nExamples:\n{}\n", command.examples);
  return text;
}

}  // namespace berth::command_line
