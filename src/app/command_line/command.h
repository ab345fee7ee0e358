// SPDX-License-Identifier: Apache-2.0
// Command: what a command of the program is called and takes, as plain data.
//
// It is read off the table with which the command parses its arguments. Help, completion and manual pages are made of
// it, so a new command or flag has them without further ado.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace berth::command_line {

struct Flag {
  std::string name;           // Without dashes.
  char letter = 0;            // 0: none.
  std::string value;          // What it takes: FILE, DIR, table|json, N; empty for a flag of truth.
  std::string help;           // May have several lines.
  std::string default_value;  // Empty: none that is worth saying.
  bool is_required = false;
};

struct Argument {
  std::string name;
  std::string value;  // As of a flag.
  std::string help;
  bool is_required = false;
  bool is_repeated = false;
};

struct Command {
  std::string name;      // "simulate"; of the program its own.
  std::string path;      // "berth simulate".
  std::string about;     // Paragraphs with an empty line between them; lines that are indented stay as they are.
  std::string notes;     // The same, to stand behind the flags.
  std::string examples;  // Indented lines.
  std::vector<Argument> arguments;
  std::vector<Flag> flags;
  std::vector<Command> commands;

  // The first sentence about it, without its full stop.
  std::string Summary() const;
  // "berth simulate [FLAGS] FILE".
  std::string Usage() const;
};

// The words between which a value chooses, such as table|json; none if it is no choice.
std::vector<std::string> Choices(std::string_view value);

// Of an app and all of its subcommands. In a footer, what follows the line "Examples:" are the examples.
// What an option takes is its type_name: alternatives have a | between them, PATH, FILE and DIR are completed.
Command Describe(const CLI::App& app);

// "-f, --filename PATH", as it stands in help and manual.
std::string FlagHead(const Flag& flag);

}  // namespace berth::command_line
