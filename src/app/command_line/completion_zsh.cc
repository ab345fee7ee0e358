// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "app/command_line/completion.h"

namespace berth::command_line {
namespace {

// For a specification in single quotes, where colons and brackets mean something.
std::string InSpecification(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else if (c == '\n') {
      break;
    } else {
      if (c == ':' || c == '[' || c == ']' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out;
}

std::string ZshAction(std::string_view value) {
  if (value == "FILE" || value == "PATH") return "_files";
  if (value == "DIR") return "_files -/";
  std::string words;
  for (const std::string& choice : Choices(value)) words += (words.empty() ? "" : " ") + choice;
  return words.empty() ? " " : "(" + words + ")";
}

std::string FunctionName(const Command& command) {
  std::string name = "_" + command.path;
  std::ranges::replace(name, ' ', '_');
  return name;
}

std::string FlagSpecification(const Flag& flag) {
  const std::string takes =
      flag.value.empty() ? "" : fmt::format(":{}:{}", InSpecification(flag.value), ZshAction(flag.value));
  const std::string help = InSpecification(flag.help);
  std::string out;
  // A value may follow the long name behind an equals sign as well.
  if (!flag.name.empty()) {
    out += fmt::format(" \\\n    '*--{}{}[{}]{}'", flag.name, flag.value.empty() ? "" : "=", help, takes);
  }
  if (flag.letter != 0) out += fmt::format(" \\\n    '*-{}[{}]{}'", flag.letter, help, takes);
  return out;
}

std::string ZshFunction(const Command& command) {
  std::string out;
  for (const Command& each : command.commands) out += ZshFunction(each);
  out += FunctionName(command) + "() {\n  local line state\n  _arguments -C";
  for (const Flag& flag : command.flags) out += FlagSpecification(flag);
  for (const Argument& argument : command.arguments) {
    out += fmt::format(" \\\n    '{}:{}:{}'", argument.is_repeated ? "*" : "", InSpecification(argument.name),
                       ZshAction(argument.value));
  }
  if (command.commands.empty()) return out + "\n}\n\n";
  out += " \\\n    '1:command:->command' \\\n    '*::argument:->argument'\n  case $state in\n  command)\n";
  out += "    local -a commands=(\n";
  for (const Command& each : command.commands) {
    out += fmt::format("      '{}:{}'\n", InSpecification(each.name), InSpecification(each.Summary()));
  }
  out += "    )\n    _describe command commands\n    ;;\n  argument)\n    case $line[1] in\n";
  for (const Command& each : command.commands) out += fmt::format("    {}) {} ;;\n", each.name, FunctionName(each));
  return out + "    esac\n    ;;\n  esac\n}\n\n";
}

}  // namespace

std::string ZshCompletion(const Command& program) {
  return fmt::format(
      "#compdef {0}\n\n{1}if [ \"$funcstack[1]\" = _{0} ]; then\n  _{0} \"$@\"\nelse\n  compdef _{0} {0}\nfi\n",
      program.name, ZshFunction(program));
}

}  // namespace berth::command_line
