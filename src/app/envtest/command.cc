// SPDX-License-Identifier: Apache-2.0
#include "app/envtest/command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "app/command_line/standard_output.h"
#include "base/result.h"
#include "base/text.h"
#include "runtime/system_error.h"

namespace berth::envtest {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDescription =
    R"(Makes a directory with a kube-apiserver, an etcd and a kubectl for controller-runtime's envtest.)";

constexpr std::string_view kFooter =
    R"(The first two are this program under other names, the third is the kubectl
that is installed, if there is one. What is in DIR under these names already is
replaced if it is a link, and left alone otherwise. Prints the directory.

Exit code: 0 all is there, 1 something could not be made.

Examples:
  export KUBEBUILDER_ASSETS=$(berth envtest ./testbin)
  go test ./...)";

Result<void> Link(const fs::path& target, const fs::path& link) {
  std::error_code error;
  if (fs::is_symlink(fs::symlink_status(link, error))) fs::remove(link, error);
  fs::create_symlink(target, link, error);
  if (error) return Fail(Code::kUnavailable, fmt::format("{}: {}", link.string(), runtime::SystemError(error.value())));
  return {};
}

// The first of this name in PATH that is not in `besides`.
std::optional<fs::path> FindProgram(std::string_view name, const fs::path& besides) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    std::error_code error;
    const fs::path folder = fs::weakly_canonical(TakeUntil(rest, ':'), error);
    if (error || folder == besides) continue;
    if (fs::path found = folder / name; access(found.c_str(), X_OK) == 0) return found;
  }
  return std::nullopt;
}

Result<void> MakeAssets(const std::string& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) return Fail(Code::kUnavailable, fmt::format("{}: {}", directory, runtime::SystemError(error.value())));
  const fs::path folder = fs::canonical(directory, error);
  if (error) return Fail(Code::kUnavailable, fmt::format("{}: {}", directory, runtime::SystemError(error.value())));
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return Fail(Code::kUnavailable, "/proc/self/exe: " + runtime::SystemError(error.value()));
  for (const std::string_view name : {"kube-apiserver", "etcd"}) BERTH_CHECK_OK(Link(self, folder / name));
  if (const std::optional<fs::path> kubectl = FindProgram("kubectl", folder)) {
    BERTH_CHECK_OK(Link(*kubectl, folder / "kubectl"));
  } else {
    fmt::print(stderr, "berth envtest: no kubectl is installed; tests that run it will fail\n");
  }
  app::Print(folder.string() + "\n");
  return {};
}

}  // namespace

void AddCommand(CLI::App& app, int& exit_code) {
  const auto directory = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("envtest", std::string(kDescription));
  command->footer(std::string(kFooter));
  command->add_option("directory", *directory, "Where to make it")->required()->type_name("DIR");
  command->callback([directory, &exit_code] {
    const Result<void> made = MakeAssets(*directory);
    if (made) return;
    fmt::print(stderr, "berth envtest: {}\n", made.error().message);
    exit_code = 1;
  });
}

}  // namespace berth::envtest
