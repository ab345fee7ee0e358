// SPDX-License-Identifier: Apache-2.0
// AttachedProgram: a program that is run on a control plane, such as the tests for which it was started. It shares this
// process's streams, terminal and group.
//
// Thread: that of the event loop.

#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "net/event_loop.h"

namespace berth::up {

class AttachedProgram {
 public:
  // By name and value; in place of those that this process has.
  using Variables = std::vector<std::pair<std::string, std::string>>;

  // `on_end` is told the exit code, as a shell says it: 128 and more are signals. Fails with kNotFound if there is no
  // such program. REQUIRES: there is one argument at least, the program; the loop outlives this.
  static Result<std::unique_ptr<AttachedProgram>> Start(net::EventLoop& loop, std::vector<std::string> arguments,
                                                        const Variables& variables,
                                                        std::function<void(int exit_code)> on_end);
  // Asks it to end if it still runs.
  ~AttachedProgram();
  AttachedProgram(const AttachedProgram&) = delete;
  AttachedProgram& operator=(const AttachedProgram&) = delete;

  bool is_running() const { return process_ > 0; }
  // Tells it what this process was told, unless the terminal has done so already. REQUIRES: it runs.
  void PassOn(int signal);

 private:
  explicit AttachedProgram(std::function<void(int exit_code)> on_end) : on_end_(std::move(on_end)) {}
  void Look();

  std::function<void(int exit_code)> on_end_;
  pid_t process_ = 0;  // 0: it does not run.
};

}  // namespace berth::up
