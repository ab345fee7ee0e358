// SPDX-License-Identifier: Apache-2.0
// berth: the program.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "app/convert_policy/command.h"
#include "app/node/command.h"
#include "app/replay/command.h"
#include "app/scheduler/command.h"
#include "app/simulate/command.h"
#include "app/up/command.h"
#include "app/up/export_command.h"
#include "app/version.h"

namespace {

constexpr int kExitUsage = 2;
constexpr int kExitInternal = 70;

// The scheduler has a command line of its own, kube-scheduler's. The program is it when it bears that name.
constexpr std::string_view kScheduler = "scheduler";
constexpr std::string_view kReplacedProgram = "kube-scheduler";

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

int Run(int argc, char** argv) {
  if (argc > 0 && BaseName(argv[0]) == kReplacedProgram) {
    return berth::scheduler_app::RunCommand(kReplacedProgram, std::vector<std::string>(argv + 1, argv + argc));
  }
  if (argc > 1 && argv[1] == kScheduler) {
    return berth::scheduler_app::RunCommand("berth scheduler", std::vector<std::string>(argv + 2, argv + argc));
  }
  CLI::App app("Berth schedules pods as kube-scheduler does, with a cluster or without one.", "berth");
  app.require_subcommand(1);
  app.footer("`berth COMMAND --help` says more about a command.");
  int exit_code = 0;
  berth::up::AddCommand(app, exit_code);
  berth::node::AddCommand(app, exit_code);
  berth::up::AddExportCommand(app, exit_code);
  berth::simulate::AddCommand(app, exit_code);
  berth::replay::AddCommand(app, exit_code);
  berth::convert_policy::AddCommand(app, exit_code);
  app.add_subcommand(std::string(kScheduler), "Schedules the pods of a cluster, with kube-scheduler's flags");
  app.add_subcommand("version", "Prints the version")->callback([] { fmt::print("{}\n", berth::app::VersionText()); });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "berth: internal error: {}\n", error.what());
    return kExitInternal;
  }
}
