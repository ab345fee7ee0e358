// SPDX-License-Identifier: Apache-2.0
// berth: the program.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "app/replay/command.h"
#include "app/simulate/command.h"
#include "app/version.h"

namespace {

constexpr int kExitUsage = 2;
constexpr int kExitInternal = 70;

int Run(int argc, char** argv) {
  CLI::App app("Berth schedules pods as kube-scheduler does, with a cluster or without one.", "berth");
  app.require_subcommand(1);
  app.footer("`berth COMMAND --help` says more about a command.");
  int exit_code = 0;
  berth::simulate::AddCommand(app, exit_code);
  berth::replay::AddCommand(app, exit_code);
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
