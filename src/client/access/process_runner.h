// SPDX-License-Identifier: Apache-2.0
// ProcessRunner: runs commands as child processes and brings back what they print.
//
// Each command has a thread that waits for it, so that the event loop never does. A command sees no standard input and
// writes its errors to ours. It has ended when its process has, whatever that has left running. Commands that take too
// long, print too much or still run when the runner goes are killed, with all of their process group.
//
// Thread: that of the loop.

#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "client/access/exec_credentials.h"
#include "runtime/timers.h"

namespace berth::client {

class ProcessRunner final : public CommandRunner {
 public:
  // Hands work over to the thread of the loop; may be called on any thread.
  using Post = std::function<void(runtime::Timers::Work)>;

  explicit ProcessRunner(Post post, Duration time_max = Minutes(1));
  ~ProcessRunner() override;
  ProcessRunner(const ProcessRunner&) = delete;
  ProcessRunner& operator=(const ProcessRunner&) = delete;

  void Run(Command command, Done done) override;

 private:
  class Process;

  void Finish(const Process* process, Result<CommandOutput> output);

  Post post_;
  const Duration time_max_;
  std::vector<std::unique_ptr<Process>> processes_;
  std::shared_ptr<ProcessRunner*> self_;  // Posted work may run after this has gone.
};

}  // namespace berth::client
