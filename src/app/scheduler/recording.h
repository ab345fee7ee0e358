// SPDX-License-Identifier: Apache-2.0
// Recording: the input log of a live scheduler, bounded on disk and readable by its owner alone.
//
// `berth replay` runs it again. An input is in the file before the core is stepped with it, so that a log which a crash
// has cut off holds what led to the crash. The logs of earlier runs are kept beside it: FILE.1 is that of the last one,
// FILE.5 the oldest. At its limit, or when the disk refuses, the recording ends after a whole step, with a log line;
// the scheduler goes on.
//
// Thread: core. Cost: one write(2) per step.

#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "record/input_log.h"

namespace berth::scheduler_app {

class Recording {
 public:
  static constexpr int kKept = 5;  // Logs of earlier runs.

  // Fails if the file cannot be written. A limit of 0: none.
  static Result<std::unique_ptr<Recording>> Create(const std::string& path, int64_t limit_bytes,
                                                   const record::Settings& settings);
  // Finishes the log.
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  void BeforeStep(const scheduler::Input& input);
  void AfterStep(const std::vector<scheduler::IssuedEffect>& effects);
  // Nothing happens for a while: what is known should be in the file.
  void Rest();

 private:
  Recording(const std::string& path, int64_t limit_bytes) : path_(path), limit_bytes_(limit_bytes) {}
  void End(std::string_view reason);

  std::string path_;
  int64_t limit_bytes_;
  std::ofstream file_;
  std::unique_ptr<record::Writer> writer_;  // Null once it has ended.
};

}  // namespace berth::scheduler_app
