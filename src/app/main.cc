// SPDX-License-Identifier: Apache-2.0
#include "berth/main.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "app/ask/command.h"
#include "app/ask/diff.h"
#include "app/ask/explain_command.h"
#include "app/command_line/command.h"
#include "app/command_line/generate.h"
#include "app/command_line/run.h"
#include "app/command_line/standard_output.h"
#include "app/command_line/version.h"
#include "app/convert_policy/command.h"
#include "app/envtest/command.h"
#include "app/envtest/etcd.h"
#include "app/envtest/kube_apiserver.h"
#include "app/node/command.h"
#include "app/replay/command.h"
#include "app/scheduler/command.h"
#include "app/scheduler/flags/help.h"
#include "app/simulate/command.h"
#include "app/up/command.h"
#include "app/up/export_command.h"
#include "app/up/snapshot_command.h"

namespace berth {
namespace {

constexpr int kExitInternal = 70;

// The scheduler has a command line of its own, kube-scheduler's. The program is it when it bears that name, and stands
// in for others in the same way.
constexpr std::string_view kScheduler = "scheduler";
constexpr std::string_view kReplacedProgram = "kube-scheduler";
constexpr std::string_view kApiServer = "kube-apiserver";
constexpr std::string_view kEtcd = "etcd";

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

command_line::Command DescribeProgram(const CLI::App& app) {
  command_line::Command program = command_line::Describe(app);
  std::ranges::replace_if(
      program.commands, [](const auto& command) { return command.name == kScheduler; },
      scheduler_app::DescribeCommand());
  return program;
}

int RunProgram(const std::vector<std::string>& arguments, const framework::Registry& plugins) {
  CLI::App program("Berth schedules pods as kube-scheduler does, with a cluster or without one.", "berth");
  program.require_subcommand(1);
  program.set_version_flag("--version", app::VersionText(), "Print the version");
  program.footer("`berth COMMAND --help` says more about a command.");
  int exit_code = 0;
  up::AddCommand(program, plugins, exit_code);
  node::AddCommand(program, exit_code);
  up::AddExportCommand(program, exit_code);
  up::AddSnapshotCommand(program, exit_code);
  envtest::AddCommand(program, exit_code);
  simulate::AddCommand(program, plugins, exit_code);
  replay::AddCommand(program, plugins, exit_code);
  ask::AddCommands(program, plugins, exit_code);
  ask::AddExplainCommands(program, plugins, exit_code);
  ask::AddDiffCommand(program, plugins, exit_code);
  convert_policy::AddCommand(program, exit_code);
  program.add_subcommand(std::string(kScheduler), "Schedules the pods of a cluster, with kube-scheduler's flags");
  command_line::AddGenerateCommands(program, [&program] { return DescribeProgram(program); }, exit_code);
  std::vector<std::string> topic;
  program.add_subcommand("help", "Says what a command does and takes")
      ->add_option("command", topic, "The command; without it, the program")
      ->type_name("COMMAND");
  program.add_subcommand("version", "Prints the version")->callback([] { app::Print(app::VersionText() + "\n"); });
  const int refused = command_line::Run(program, arguments, app::VersionText());
  return refused == 0 ? exit_code : refused;
}

int Run(int argc, char** argv, const framework::Registry& plugins) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  const std::string_view name = argc > 0 ? BaseName(argv[0]) : std::string_view();
  if (name == kReplacedProgram) return scheduler_app::RunCommand(kReplacedProgram, arguments, plugins);
  if (name == kApiServer) return envtest::RunKubeApiServer(arguments);
  if (name == kEtcd) return envtest::RunEtcd(arguments);
  // `help COMMAND` is another way to write `COMMAND --help`.
  if (!arguments.empty() && arguments.front() == "help") {
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  if (!arguments.empty() && arguments.front() == kScheduler) {
    arguments.erase(arguments.begin());
    return scheduler_app::RunCommand("berth scheduler", arguments, plugins);
  }
  return RunProgram(arguments, plugins);
}

}  // namespace

int Main(int argc, char** argv, const framework::Registry& plugins) {
  app::ReserveStandardStreams();
  try {
    return app::FinishOutput(Run(argc, argv, plugins));
  } catch (const std::exception& error) {
    fmt::print(stderr, "berth: internal error: {}\n", error.what());
    return kExitInternal;
  }
}

}  // namespace berth
