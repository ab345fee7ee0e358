// SPDX-License-Identifier: Apache-2.0
#include "client/access/process_runner.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include "runtime/system_error.h"

namespace berth::client {

namespace {

constexpr size_t kOutputMax = size_t{1} << 20;
constexpr int kLookMs = 10;      // How often to see whether a process has ended.
constexpr int kKillLooks = 100;  // How many of these one that was killed may take.

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  ~FileDescriptor() { Close(); }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  int get() const { return fd_; }
  void Reset(int fd) {
    Close();
    fd_ = fd;
  }
  void Close() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

// NAME=VALUE of this process and the command; where both have a name, the command's counts.
std::vector<std::string> Environment(const Command& command) {
  std::map<std::string, std::string> values;
  for (char** entry = environ; entry && *entry; ++entry) {
    std::string_view text = *entry;
    size_t equals = std::min(text.find('='), text.size());
    values.insert_or_assign(std::string(text.substr(0, equals)), std::string(text));
  }
  for (const auto& [name, value] : command.environment)
    values.insert_or_assign(name, fmt::format("{}={}", name, value));
  std::vector<std::string> environment;
  for (auto& [name, text] : values) environment.push_back(std::move(text));
  return environment;
}

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Starts the command in a process group of its own, with its standard output in `output`.
Result<pid_t> Spawn(const Command& command, int output) {
  std::vector<std::string> arguments = {command.program};
  arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
  std::vector<std::string> environment = Environment(command);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // The signals that this process blocks or ignores are its own affair.
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  pid_t pid = 0;
  int error = posix_spawnp(&pid, command.program.c_str(), &actions, &attributes, Pointers(arguments).data(),
                           Pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return pid;
  return Fail(error == ENOENT || error == EACCES ? Code::kNotFound : Code::kInternal,
              fmt::format("{}: {}", command.program, runtime::SystemError(error)));
}

// A process that was started here, and its group.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}

  bool HasEnded() {
    if (!has_ended_) has_ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
    return has_ended_;
  }
  int exit_code() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1; }

  // One that hangs in the system does not die at once, and is left to itself.
  void Kill() {
    if (HasEnded()) return;
    kill(-pid_, SIGKILL);
    for (int i = 0; i < kKillLooks && !HasEnded(); ++i) poll(nullptr, 0, kLookMs);
  }

 private:
  const pid_t pid_;
  bool has_ended_ = false;
  int status_ = 0;
};

// Takes what there is to read without waiting for more. False: nothing more will come.
Result<bool> TakeOutput(int output, std::string& text) {
  std::array<char, 4096> piece;
  for (;;) {
    const ssize_t size = read(output, piece.data(), piece.size());
    if (size == 0) return false;
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN ? Result<bool>(true) : Fail(Code::kInternal, runtime::SystemError(errno));
    text.append(piece.data(), static_cast<size_t>(size));
    if (text.size() > kOutputMax) return Fail(Code::kLimit, "the output of the command is too long");
  }
}

// What the process printed until it ended; an error if `stop` can be read or the time is over before.
Result<std::string> ReadUntilEnd(Child& child, int output, int stop, Duration time_max) {
  using std::chrono::steady_clock;
  const steady_clock::time_point end = steady_clock::now() + std::chrono::nanoseconds(time_max.nanos);
  std::string text;
  while (steady_clock::now() < end) {
    // In this order, so that nothing of the output is missed.
    const bool has_ended = child.HasEnded();
    if (output >= 0 && !BERTH_TRY(TakeOutput(output, text))) output = -1;  // poll skips it.
    if (has_ended) return text;
    std::array<pollfd, 2> ready{pollfd{stop, POLLIN, 0}, pollfd{output, POLLIN, 0}};
    poll(ready.data(), ready.size(), kLookMs);
    if (ready[0].revents != 0) return Fail(Code::kInternal, "stopped");
  }
  return Fail(Code::kDeadline, fmt::format("the command took more than {} s", time_max.nanos / 1'000'000'000));
}

}  // namespace

class ProcessRunner::Process {
 public:
  explicit Process(Done done) : done_(std::move(done)) {}
  ~Process() {
    if (!thread_.joinable()) return;
    uint64_t one = 1;
    [[maybe_unused]] ssize_t written = write(stop_.get(), &one, sizeof one);
    thread_.join();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // `ended` is called on another thread.
  Result<void> Start(const Command& command, Duration time_max,
                     std::move_only_function<void(Result<CommandOutput>)> ended) {
    std::array<int, 2> ends;
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return Fail(Code::kInternal, "pipe: " + runtime::SystemError(errno));
    output_.Reset(ends[0]);
    FileDescriptor childs_end(ends[1]);
    fcntl(output_.get(), F_SETFL, O_NONBLOCK);
    stop_.Reset(eventfd(0, EFD_CLOEXEC));
    if (stop_.get() < 0) return Fail(Code::kInternal, "eventfd: " + runtime::SystemError(errno));
    pid_t pid = BERTH_TRY(Spawn(command, childs_end.get()));
    thread_ = std::thread([this, pid, time_max, ended = std::move(ended)]() mutable { ended(Wait(pid, time_max)); });
    return {};
  }

  Done TakeDone() { return std::move(done_); }

 private:
  Result<CommandOutput> Wait(pid_t pid, Duration time_max) {
    Child child(pid);
    Result<std::string> text = ReadUntilEnd(child, output_.get(), stop_.get(), time_max);
    child.Kill();
    if (!text) return std::unexpected(std::move(text).error());
    return CommandOutput{child.exit_code(), *std::move(text)};
  }

  Done done_;
  FileDescriptor output_;
  FileDescriptor stop_;
  std::thread thread_;
};

ProcessRunner::ProcessRunner(Post post, Duration time_max)
    : post_(std::move(post)), time_max_(time_max), self_(std::make_shared<ProcessRunner*>(this)) {}

ProcessRunner::~ProcessRunner() = default;

void ProcessRunner::Run(Command command, Done done) {
  auto process = std::make_unique<Process>(std::move(done));
  // Both for the other thread, which must not touch this.
  auto finish = [post = post_, self = std::weak_ptr(self_), which = process.get()](Result<CommandOutput> output) {
    post([self, which, output = std::move(output)]() mutable {
      auto runner = self.lock();
      if (runner) (*runner)->Finish(which, std::move(output));
    });
  };
  Process* started = processes_.emplace_back(std::move(process)).get();
  Result<void> start = started->Start(command, time_max_, finish);
  if (!start) finish(std::unexpected(std::move(start).error()));
}

void ProcessRunner::Finish(const Process* process, Result<CommandOutput> output) {
  auto found = std::find_if(processes_.begin(), processes_.end(), [&](auto& one) { return one.get() == process; });
  std::unique_ptr<Process> ended = std::move(*found);
  processes_.erase(found);
  Done done = ended->TakeDone();
  ended.reset();
  done(std::move(output));
}

}  // namespace berth::client
