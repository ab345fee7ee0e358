// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

#include "app/command_line/completion.h"

namespace berth::command_line {
namespace {

// The first line, in single quotes.
std::string Quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text.substr(0, text.find('\n'))) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string FishValue(std::string_view value) {
  if (value == "FILE" || value == "PATH") return " -r -F";
  if (value == "DIR") return " -x -a '(__fish_complete_directories)'";
  const std::vector<std::string> choices = Choices(value);
  return choices.empty() ? " -x" : fmt::format(" -x -a '{}'", fmt::join(choices, " "));
}

// `seen` holds when the command line is about this command or one below it.
void AddCommand(const Command& command, const std::string& program, const std::string& seen, std::string& out) {
  std::vector<std::string> names;
  for (const Command& each : command.commands) names.push_back(each.name);
  std::string here = seen;
  if (!names.empty()) {
    const std::string no_other = fmt::format("not __fish_seen_subcommand_from {}", fmt::join(names, " "));
    here += (here.empty() ? "" : "; and ") + no_other;
  }
  const std::string begin = fmt::format("complete -c {} -n '{}'", program, here);
  for (const Command& each : command.commands) {
    out += fmt::format("{} -a {} -d {}\n", begin, each.name, Quoted(each.Summary()));
  }
  for (const Argument& argument : command.arguments) out += begin + FishValue(argument.value) + "\n";
  for (const Flag& flag : command.flags) {
    out += begin;
    if (!flag.name.empty()) out += " -l " + flag.name;
    if (flag.letter != 0) out += fmt::format(" -s {}", flag.letter);
    if (!flag.value.empty()) out += FishValue(flag.value);
    out += fmt::format(" -d {}\n", Quoted(flag.help));
  }
  for (const Command& each : command.commands) {
    const std::string deeper = fmt::format("__fish_seen_subcommand_from {}", each.name);
    AddCommand(each, program, seen.empty() ? deeper : seen + "; and " + deeper, out);
  }
}

}  // namespace

std::string FishCompletion(const Command& program) {
  std::string out = fmt::format("# fish completion for {0}\ncomplete -c {0} -f\n", program.name);
  AddCommand(program, program.name, "", out);
  return out;
}

}  // namespace berth::command_line
