// SPDX-License-Identifier: Apache-2.0
#include "app/up/published_access.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "base/ascii.h"
#include "runtime/files.h"
#include "runtime/private_file.h"
#include "runtime/system_error.h"

namespace berth::up {
namespace {

constexpr std::string_view kOwnName = "berth";  // Of the context in a file of its own.
constexpr int kLockTries = 200;
constexpr std::chrono::milliseconds kLockPause{10};

Result<std::string> ProgramOf(int64_t process) { return runtime::ReadFile(fmt::format("/proc/{}/comm", process)); }

// Whether the process is one of this program: others may have got the number of one that ended.
bool IsRunning(int64_t process) {
  const Result<std::string> program = ProgramOf(process);
  return program && *program == ProgramOf(getpid()).value_or("");
}

std::string Absolute(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

// As one word of a shell.
std::string ShellWord(const std::string& text) {
  constexpr std::string_view kPlain = "_./-+:@%,=";
  if (std::ranges::all_of(text, [&](char c) { return IsAlphanumeric(c) || kPlain.contains(c); })) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

Result<std::string> UsersKubeconfig() {
  const char* list = std::getenv("KUBECONFIG");
  for (std::string_view rest = list == nullptr ? "" : list; !rest.empty();) {
    const std::string_view file = rest.substr(0, rest.find(':'));
    if (!file.empty()) return Absolute(std::string(file));
    rest.remove_prefix(1);
  }
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return Invalid("neither KUBECONFIG nor HOME is set");
  return std::string(home) + "/.kube/config";
}

// Keeps kubectl and others from changing a kubeconfig meanwhile: they make the same file.
class EditLock {
 public:
  static Result<EditLock> Take(const std::string& file) {
    const std::string path = file + ".lock";
    for (int tries = 0; tries < kLockTries; ++tries) {
      const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
      if (fd >= 0) {
        close(fd);
        return EditLock(path);
      }
      if (errno != EEXIST) return Fail(Code::kUnavailable, path + ": " + runtime::SystemError(errno));
      std::this_thread::sleep_for(kLockPause);
    }
    return Fail(Code::kConflict, path + " is there: another program is changing the kubeconfig; remove it if none is");
  }
  EditLock(EditLock&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  EditLock& operator=(EditLock&&) = delete;
  ~EditLock() {
    if (!path_.empty()) unlink(path_.c_str());
  }

 private:
  explicit EditLock(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// Nothing: there is no such file.
Result<std::optional<std::string>> ReadIfThere(const std::string& file) {
  if (access(file.c_str(), F_OK) != 0 && errno == ENOENT) return std::optional<std::string>();
  return BERTH_TRY(runtime::ReadFile(file));
}

std::unexpected<Error> About(const std::string& file, const Error& error) {
  return Fail(error.code, file + ": " + error.message);
}

}  // namespace

Result<PublishedAccess> PublishedAccess::Create(const Access& access, uint16_t port, const Options& options) {
  PublishedAccess published(options);
  const int64_t process = getpid();
  if (!options.context.empty()) BERTH_CHECK_OK(published.Merge({options.context, access, process}));
  const bool writes_own = !options.kubeconfig.empty() && (options.context.empty() || options.is_kubeconfig_given);
  if (!writes_own) return published;
  if (const Result<void> written = published.WriteOwn({std::string(kOwnName), access, process}, port); !written) {
    BERTH_CHECK_OK(published.Unmerge());
    return std::unexpected(written.error());
  }
  return published;
}

Result<void> PublishedAccess::WriteOwn(const KubeconfigContext& context, uint16_t port) {
  const std::string text = BERTH_TRY(AddContext("", context, IsRunning));
  const auto may_replace = [](std::string_view there) { return !HoldsOthers(there, kOwnName); };
  const auto write = [&](const std::string& name) {
    path_ = Absolute(name);
    return OwnedFile::Create(path_, text, may_replace);
  };
  Result<OwnedFile> own = write(options_.kubeconfig);
  if (!own && own.error().code == Code::kConflict && !options_.is_kubeconfig_given) {
    own_.emplace(BERTH_TRY(write(fmt::format("berth-{}.kubeconfig", port))));
  } else {
    own_.emplace(BERTH_TRY(std::move(own)));
  }
  return {};
}

Result<void> PublishedAccess::Merge(KubeconfigContext context) {
  const std::string named = BERTH_TRY(UsersKubeconfig());
  std::error_code error;
  // Many keep theirs elsewhere and have a link to it.
  const std::filesystem::path real = std::filesystem::weakly_canonical(named, error);
  const std::string file = error ? named : real.string();
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), error);
  const EditLock lock = BERTH_TRY(EditLock::Take(file));
  std::optional<std::string> before = BERTH_TRY(ReadIfThere(file));
  Result<std::string> after = AddContext(before.value_or(""), context, IsRunning);
  if (!after) return About(file, after.error());
  BERTH_CHECK_OK(runtime::WritePrivateFile(file, *after));
  const bool is_new = !before;
  // One that was killed has left its context behind.
  if (before && HasContext(*before, context.name)) before.reset();
  merged_ = {file, std::move(context), is_new, std::move(before), *std::move(after)};
  return {};
}

Result<void> PublishedAccess::Unmerge() {
  const std::optional<Merged> merged = std::exchange(merged_, std::nullopt);
  if (!merged) return {};
  const std::string& file = merged->file;
  const EditLock lock = BERTH_TRY(EditLock::Take(file));
  const std::optional<std::string> there = BERTH_TRY(ReadIfThere(file));
  if (!there) return {};
  // If nobody has changed it, the file is again what it was, to the last comment.
  const bool is_unchanged = *there == merged->after;
  if (is_unchanged && merged->before) return runtime::WritePrivateFile(file, *merged->before);
  if (is_unchanged && merged->is_new_file) {
    if (unlink(file.c_str()) == 0) return {};
    return Fail(Code::kUnavailable, file + ": " + runtime::SystemError(errno));
  }
  const Result<std::string> without = RemoveContext(*there, merged->context);
  if (!without) return About(file, without.error());
  return *without == *there ? Result<void>() : runtime::WritePrivateFile(file, *without);
}

Result<void> PublishedAccess::Withdraw() {
  if (options_.keeps_kubeconfig) return {};
  if (own_) own_->Remove();
  return Unmerge();
}

std::string PublishedAccess::Instructions() const {
  std::string lines;
  if (own_) lines += fmt::format("  export KUBECONFIG={}\n", ShellWord(path_));
  if (own_) lines += "  kubectl get nodes\n";
  if (merged_) lines += fmt::format("  kubectl --context {} get nodes\n", ShellWord(merged_->context.name));
  return lines;
}

}  // namespace berth::up
