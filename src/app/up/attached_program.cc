// SPDX-License-Identifier: Apache-2.0
#include "app/up/attached_program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "runtime/system_error.h"

namespace berth::up {
namespace {

// `NAME=value` of this process, but for `variables`.
std::vector<std::string> EnvironmentWith(const AttachedProgram::Variables& variables) {
  std::vector<std::string> lines;
  for (char** line = environ; *line != nullptr; ++line) {
    const std::string_view text = *line;
    const std::string_view name = text.substr(0, text.find('='));
    if (std::ranges::none_of(variables, [&](const auto& set) { return set.first == name; })) lines.emplace_back(text);
  }
  for (const auto& [name, value] : variables) lines.push_back(name + "=" + value);
  return lines;
}

// As C wants them; they live as long as the texts.
std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Whether what is typed at the terminal, such as Ctrl-C, reaches all of this process's group.
bool IsTypedFor() {
  const int terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0) return false;
  const bool is_ours = tcgetpgrp(terminal) == getpgrp();
  close(terminal);
  return is_ours;
}

// Without what this process has made of its own signals.
class PlainSignals {
 public:
  PlainSignals() {
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setsigdefault(&attributes_, &pipe);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF);
  }
  PlainSignals(const PlainSignals&) = delete;
  PlainSignals& operator=(const PlainSignals&) = delete;
  ~PlainSignals() { posix_spawnattr_destroy(&attributes_); }
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

}  // namespace

Result<std::unique_ptr<AttachedProgram>> AttachedProgram::Start(net::EventLoop& loop,
                                                                std::vector<std::string> arguments,
                                                                const Variables& variables,
                                                                std::function<void(int exit_code)> on_end) {
  std::unique_ptr<AttachedProgram> program(new AttachedProgram(std::move(on_end)));
  std::vector<std::string> environment = EnvironmentWith(variables);
  const PlainSignals signals;
  const int error = posix_spawnp(&program->process_, arguments[0].c_str(), nullptr, signals.get(),
                                 Pointers(arguments).data(), Pointers(environment).data());
  if (error != 0) {
    program->process_ = 0;
    return Fail(error == ENOENT ? Code::kNotFound : Code::kInvalid, arguments[0] + ": " + runtime::SystemError(error));
  }
  loop.OnSignal(SIGCHLD, [it = program.get()] { it->Look(); });
  loop.Post([it = program.get()] { it->Look(); });  // It may have ended before anybody looked.
  return program;
}

AttachedProgram::~AttachedProgram() {
  if (is_running()) kill(process_, SIGTERM);
}

void AttachedProgram::PassOn(int signal) {
  if (signal != SIGINT || !IsTypedFor()) kill(process_, signal);
}

void AttachedProgram::Look() {
  int status = 0;
  if (!is_running() || waitpid(process_, &status, WNOHANG) != process_) return;
  process_ = 0;
  constexpr int kBySignal = 128;
  on_end_(WIFSIGNALED(status) ? kBySignal + WTERMSIG(status) : WEXITSTATUS(status));
}

}  // namespace berth::up
