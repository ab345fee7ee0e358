// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/standard_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>

#include "runtime/system_error.h"

namespace berth::app {
namespace {

std::atomic<int> first_failure = 0;

void Remember(int number) {
  int none = 0;
  first_failure.compare_exchange_strong(none, number == 0 ? EIO : number);
}

}  // namespace

void ReserveStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    // The lowest free number is taken: this one. Opened for the other direction, it fails as a closed one does.
    if (open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) != stream) return;
  }
}

void Print(std::string_view text) {
  if (first_failure != 0) return;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) Remember(errno);
}

void FlushOutput() {
  if (std::fflush(stdout) != 0) Remember(errno);
}

int FinishOutput(int exit_code) {
  FlushOutput();
  if (std::ferror(stdout) != 0) Remember(EIO);
  const int failure = first_failure;
  if (failure == 0) return exit_code;
  if (failure != EPIPE) fmt::print(stderr, "berth: standard output: {}\n", runtime::SystemError(failure));
  return kExitOutput;
}

}  // namespace berth::app
