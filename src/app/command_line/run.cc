// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "app/command_line/command.h"
#include "app/command_line/help.h"
#include "app/command_line/standard_output.h"
#include "base/similar_word.h"

namespace berth::command_line {
namespace {

// "did you mean" among the names of commands.
std::string SimilarCommand(const Command& parent, std::string_view word) {
  std::vector<std::string_view> names;
  for (const Command& each : parent.commands) names.push_back(each.name);
  return DidYouMean(word, names);
}

std::string SimilarFlag(const Command& command, std::string_view word) {
  std::vector<std::string> names;
  for (const Flag& flag : command.flags) {
    if (!flag.name.empty()) names.push_back("--" + flag.name);
  }
  return DidYouMean(word, std::vector<std::string_view>(names.begin(), names.end()));
}

int RefuseUsage(const Command& command, std::string_view why) {
  fmt::print(stderr, "{0}: {1}\n`{0} --help` says more.\n", command.path, why);
  return kExitUsage;
}

// Says so if the arguments begin with the name of a command that does not exist.
std::optional<int> RefuseUnknownCommand(const Command& program, const std::vector<std::string>& arguments) {
  const Command* command = &program;
  for (const std::string& argument : arguments) {
    if (command->commands.empty() || argument.starts_with('-')) break;
    const auto next = std::ranges::find(command->commands, argument, &Command::name);
    if (next == command->commands.end()) {
      return RefuseUsage(*command,
                         fmt::format("there is no command {}{}", argument, SimilarCommand(*command, argument)));
    }
    command = &*next;
  }
  return std::nullopt;
}

int Refuse(const CLI::App& app, const CLI::ParseError& error) {
  const Command command = Describe(app);
  std::vector<std::string> unexpected = app.remaining();
  std::erase(unexpected, "--");  // Behind it arguments are expected.
  if (unexpected.empty()) {
    if (command.commands.empty()) return RefuseUsage(command, error.what());
    fmt::print(stderr, "{}", HelpText(command));
    return kExitUsage;
  }
  const std::string& first = unexpected.front();
  if (!first.starts_with('-')) return RefuseUsage(command, fmt::format("unexpected argument \"{}\"", first));
  const std::string flag = first.substr(0, first.find('='));
  return RefuseUsage(command, fmt::format("unknown flag {}{}", flag, SimilarFlag(command, flag)));
}

// The command that the arguments are about.
const CLI::App& Innermost(const CLI::App& app) {
  const std::vector<CLI::App*> parsed = app.get_subcommands();
  return parsed.empty() ? app : Innermost(*parsed.front());
}

}  // namespace

int Run(CLI::App& app, const std::vector<std::string>& arguments, const std::string& version) {
  if (const std::optional<int> refused = RefuseUnknownCommand(Describe(app), arguments)) return *refused;
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForVersion&) {
    app::Print(version + "\n");
  } catch (const CLI::CallForHelp&) {
    app::Print(HelpText(Describe(Innermost(app))));
  } catch (const CLI::ParseError& error) {
    return Refuse(Innermost(app), error);
  }
  return 0;
}

}  // namespace berth::command_line
