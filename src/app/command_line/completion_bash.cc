// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

#include "app/command_line/completion.h"

namespace berth::command_line {
namespace {

// What comes before the tables: finds the command, and what the word to complete belongs to. `--flag=value` reaches it
// as three words.
constexpr std::string_view kBashBegin = R"(# bash completion for {0}
_{0}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command={0} word words
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$command $word" in
)";

std::vector<std::string> Spellings(const Flag& flag) {
  std::vector<std::string> spellings;
  if (!flag.name.empty()) spellings.push_back("--" + flag.name);
  if (flag.letter != 0) spellings.push_back(fmt::format("-{}", flag.letter));
  return spellings;
}

std::string BashReply(std::string_view value) {
  if (value == "FILE" || value == "PATH") return "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$current\"))";
  if (value == "DIR") return "compopt -o filenames; COMPREPLY=($(compgen -d -- \"$current\"))";
  const std::vector<std::string> choices = Choices(value);
  if (choices.empty()) return ":";
  return fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$current\"))", fmt::join(choices, " "));
}

void AddPaths(const Command& command, std::string& out) {
  for (const Command& each : command.commands) {
    out += fmt::format("      '{0}') command='{0}' ;;\n", each.path);
    AddPaths(each, out);
  }
}

void AddValues(const Command& command, std::string& out) {
  for (const Flag& flag : command.flags) {
    if (flag.value.empty()) continue;
    std::vector<std::string> patterns;
    for (const std::string& spelling : Spellings(flag))
      patterns.push_back(fmt::format("'{} {}'", command.path, spelling));
    out += fmt::format("    {}) {}; return ;;\n", fmt::join(patterns, " | "), BashReply(flag.value));
  }
  for (const Command& each : command.commands) AddValues(each, out);
}

void AddWords(const Command& command, std::string& out) {
  std::vector<std::string> words;
  std::string reply;
  for (const Command& each : command.commands) words.push_back(each.name);
  for (const Argument& argument : command.arguments) {
    for (const std::string& choice : Choices(argument.value)) words.push_back(choice);
    if (reply.empty() && Choices(argument.value).empty()) reply = BashReply(argument.value);
  }
  for (const Flag& flag : command.flags) {
    if (!flag.name.empty()) words.push_back("--" + flag.name);
  }
  if (!reply.empty()) reply = fmt::format(" [[ $current == -* ]] || {{ {}; return; }};", reply);
  out += fmt::format("    '{}')\n     {} words='{}' ;;\n", command.path, reply, fmt::join(words, " "));
  for (const Command& each : command.commands) AddWords(each, out);
}

}  // namespace

std::string BashCompletion(const Command& program) {
  std::string out = fmt::format(kBashBegin, program.name);
  AddPaths(program, out);
  out += "    esac\n  done\n  case \"$command $previous\" in\n";
  AddValues(program, out);
  out += "  esac\n  case $command in\n";
  AddWords(program, out);
  out += "  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n}\n";
  return out + fmt::format("complete -F _{0} {0}\n", program.name);
}

}  // namespace berth::command_line
