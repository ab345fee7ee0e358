// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

namespace berth::command_line {
namespace {

// Without what validators add to it behind a colon.
std::string TypeName(const CLI::Option& option) {
  const std::string text = option.get_type_name();
  return text.substr(0, text.find(':'));
}

bool IsRepeated(const CLI::Option& option) { return option.get_expected_max() > 1; }

Argument DescribeArgument(const CLI::Option& option) {
  std::string name = option.get_name(true);
  const std::string value = TypeName(option);
  return {.name = value.empty() ? name : value,
          .value = value,
          .help = option.get_description(),
          .is_required = option.get_required(),
          .is_repeated = IsRepeated(option)};
}

Flag DescribeFlag(const CLI::Option& option) {
  const bool has_letter = !option.get_snames().empty();
  return {.name = option.get_lnames().empty() ? "" : option.get_lnames().front(),
          .letter = has_letter ? option.get_snames().front().front() : '\0',
          .value = TypeName(option),
          .help = option.get_description(),
          .default_value = option.get_default_str(),
          .is_required = option.get_required()};
}

// The deepest command first.
std::string PathOf(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : PathOf(*parent) + " " + app.get_name();
}

void SplitFooter(std::string_view footer, Command& command) {
  constexpr std::string_view kExamples = "Examples:\n";
  const size_t at = footer.starts_with(kExamples) ? 0 : footer.find("\n" + std::string(kExamples));
  command.notes = footer.substr(0, at);
  while (command.notes.ends_with('\n')) command.notes.pop_back();
  if (at != footer.npos) command.examples = footer.substr(footer.find(kExamples, at) + kExamples.size());
}

}  // namespace

std::string Command::Summary() const {
  const std::string_view text = about;
  size_t end = text.find("\n\n");
  for (const std::string_view stop : {". ", ".\n"}) end = std::min(end, text.find(stop));
  std::string summary(text.substr(0, end));
  if (summary.ends_with('.')) summary.pop_back();
  std::ranges::replace(summary, '\n', ' ');
  return summary;
}

std::string Command::Usage() const {
  std::string usage = path;
  if (!flags.empty()) usage += " [FLAGS]";
  for (const Argument& argument : arguments) {
    const std::string shown = argument.name + (argument.is_repeated ? "..." : "");
    usage += argument.is_required ? " " + shown : " [" + shown + "]";
  }
  return commands.empty() ? usage : usage + " COMMAND";
}

std::vector<std::string> Choices(std::string_view value) {
  std::vector<std::string> words;
  if (value.find('|') == value.npos) return words;
  while (true) {
    const size_t bar = value.find('|');
    words.emplace_back(value.substr(0, bar));
    if (bar == value.npos) return words;
    value.remove_prefix(bar + 1);
  }
}

Command Describe(const CLI::App& app) {
  Command command;
  command.name = app.get_name();
  command.path = PathOf(app);
  command.about = app.get_description();
  SplitFooter(app.get_footer(), command);
  for (const CLI::Option* option : app.get_options()) {
    if (option->nonpositional()) {
      command.flags.push_back(DescribeFlag(*option));
    } else {
      command.arguments.push_back(DescribeArgument(*option));
    }
  }
  for (const CLI::App* child : app.get_subcommands([](const CLI::App*) { return true; })) {
    command.commands.push_back(Describe(*child));
  }
  return command;
}

std::string FlagHead(const Flag& flag) {
  std::string head = flag.letter == 0 ? "    " : fmt::format("-{}{}", flag.letter, flag.name.empty() ? "" : ", ");
  if (!flag.name.empty()) head += "--" + flag.name;
  return flag.value.empty() ? head : head + " " + flag.value;
}

}  // namespace berth::command_line
