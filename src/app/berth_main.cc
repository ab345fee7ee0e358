// SPDX-License-Identifier: Apache-2.0
// berth: the program.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "app/command_line/command.h"
#include "app/command_line/generate.h"
#include "app/command_line/run.h"
#include "app/convert_policy/command.h"
#include "app/node/command.h"
#include "app/replay/command.h"
#include "app/scheduler/command.h"
#include "app/scheduler/help.h"
#include "app/simulate/command.h"
#include "app/standard_output.h"
#include "app/up/command.h"
#include "app/up/export_command.h"
#include "app/version.h"

namespace {

constexpr int kExitInternal = 70;

// The scheduler has a command line of its own, kube-scheduler's. The program is it when it bears that name.
constexpr std::string_view kScheduler = "scheduler";
constexpr std::string_view kReplacedProgram = "kube-scheduler";

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

berth::command_line::Command DescribeProgram(const CLI::App& app) {
  berth::command_line::Command program = berth::command_line::Describe(app);
  std::ranges::replace_if(
      program.commands, [](const auto& command) { return command.name == kScheduler; },
      berth::scheduler_app::DescribeCommand());
  return program;
}

int RunProgram(const std::vector<std::string>& arguments) {
  CLI::App app("Berth schedules pods as kube-scheduler does, with a cluster or without one.", "berth");
  app.require_subcommand(1);
  app.set_version_flag("--version", berth::app::VersionText(), "Print the version");
  app.footer("`berth COMMAND --help` says more about a command.");
  int exit_code = 0;
  berth::up::AddCommand(app, exit_code);
  berth::node::AddCommand(app, exit_code);
  berth::up::AddExportCommand(app, exit_code);
  berth::simulate::AddCommand(app, exit_code);
  berth::replay::AddCommand(app, exit_code);
  berth::convert_policy::AddCommand(app, exit_code);
  app.add_subcommand(std::string(kScheduler), "Schedules the pods of a cluster, with kube-scheduler's flags");
  berth::command_line::AddGenerateCommands(app, [&app] { return DescribeProgram(app); }, exit_code);
  std::vector<std::string> topic;
  app.add_subcommand("help", "Says what a command does and takes")
      ->add_option("command", topic, "The command; without it, the program")
      ->type_name("COMMAND");
  app.add_subcommand("version", "Prints the version")->callback([] {
    berth::app::Print(berth::app::VersionText() + "\n");
  });
  const int refused = berth::command_line::Run(app, arguments, berth::app::VersionText());
  return refused == 0 ? exit_code : refused;
}

int Run(int argc, char** argv) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (argc > 0 && BaseName(argv[0]) == kReplacedProgram) {
    return berth::scheduler_app::RunCommand(kReplacedProgram, arguments);
  }
  // `help COMMAND` is another way to write `COMMAND --help`.
  if (!arguments.empty() && arguments.front() == "help") {
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  if (!arguments.empty() && arguments.front() == kScheduler) {
    arguments.erase(arguments.begin());
    return berth::scheduler_app::RunCommand("berth scheduler", arguments);
  }
  return RunProgram(arguments);
}

}  // namespace

int main(int argc, char** argv) {
  berth::app::ReserveStandardStreams();
  try {
    return berth::app::FinishOutput(Run(argc, argv));
  } catch (const std::exception& error) {
    fmt::print(stderr, "berth: internal error: {}\n", error.what());
    return kExitInternal;
  }
}
