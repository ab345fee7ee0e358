// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/generate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/command_line/completion.h"
#include "app/command_line/man.h"
#include "app/command_line/run.h"
#include "app/command_line/standard_output.h"
#include "app/command_line/version.h"
#include "base/result.h"
#include "runtime/system_error.h"

namespace berth::command_line {
namespace {

constexpr int kExitFailure = 1;

constexpr std::string_view kCompletionFooter = R"(The Debian package installs them.

Examples:
  source <(berth completion bash)
  berth completion zsh > "${fpath[1]}/_berth"
  berth completion fish > ~/.config/fish/completions/berth.fish)";

constexpr std::string_view kManFooter = R"(The Debian package installs them.

Examples:
  berth man simulate | man -l -
  berth man --directory ~/.local/share/man/man1)";

struct ManOptions {
  std::vector<std::string> commands;
  std::string directory;
};

Result<void> WritePages(const std::vector<ManPage>& pages, const std::string& directory) {
  for (const ManPage& page : pages) {
    const std::string path = directory + "/" + page.file_name;
    errno = 0;
    std::ofstream file(path, std::ios::binary);
    file << page.text << std::flush;
    if (!file) return Fail(Code::kUnavailable, fmt::format("{}: {}", path, runtime::SystemError(errno)));
  }
  return {};
}

Result<void> PrintPage(const std::vector<ManPage>& pages, const std::vector<std::string>& commands) {
  std::string name = "berth";
  for (const std::string& command : commands) name += "-" + command;
  const auto page = std::ranges::find(pages, name + ".1", &ManPage::file_name);
  if (page == pages.end())
    return Fail(Code::kNotFound, fmt::format("there is no command {}", fmt::join(commands, " ")));
  app::Print(page->text);
  return {};
}

int RunMan(const Command& program, const ManOptions& options) {
  const std::vector<ManPage> pages = ManPages(program, app::ProductName());
  const Result<void> done =
      options.directory.empty() ? PrintPage(pages, options.commands) : WritePages(pages, options.directory);
  if (done) return 0;
  fmt::print(stderr, "berth man: {}\n", done.error().message);
  return done.error().code == Code::kNotFound ? kExitUsage : kExitFailure;
}

std::string Completion(const Command& program, std::string_view shell) {
  if (shell == "bash") return BashCompletion(program);
  return shell == "zsh" ? ZshCompletion(program) : FishCompletion(program);
}

}  // namespace

void AddGenerateCommands(CLI::App& app, std::function<Command()> describe, int& exit_code) {
  CLI::App* completion =
      app.add_subcommand("completion", "Prints a script that completes commands and flags in a shell");
  completion->footer(std::string(kCompletionFooter));
  const auto shell = std::make_shared<std::string>();
  completion->add_option("shell", *shell, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->type_name("bash|zsh|fish");
  completion->callback([shell, describe] { app::Print(Completion(describe(), *shell)); });

  CLI::App* man = app.add_subcommand("man", "Prints the manual page of a command");
  man->footer(std::string(kManFooter));
  const auto options = std::make_shared<ManOptions>();
  CLI::Option* commands =
      man->add_option("command", options->commands, "The command; without it, the program")->type_name("COMMAND");
  man->add_option("--directory", options->directory, "Write the pages of all commands into this directory instead")
      ->type_name("DIR")
      ->excludes(commands);
  man->callback([options, describe = std::move(describe), &exit_code] { exit_code = RunMan(describe(), *options); });
}

}  // namespace berth::command_line
