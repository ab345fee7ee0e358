// SPDX-License-Identifier: Apache-2.0
// Recording: the input log of a live scheduler, bounded on disk.
//
// `berth replay` runs it again. At its limit, or when the disk refuses, the recording ends after a whole step, with a
// log line; the scheduler goes on.
//
// Thread: core.

#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "record/input_log.h"

namespace berth::scheduler_app {

class Recording {
 public:
  // Fails if the file cannot be written. An existing file is replaced. A limit of 0: none.
  static Result<std::unique_ptr<Recording>> Create(const std::string& path, int64_t limit_bytes,
                                                   const record::Settings& settings);

  void BeforeStep(const scheduler::Input& input);
  void AfterStep(const std::vector<scheduler::IssuedEffect>& effects);

 private:
  Recording(const std::string& path, int64_t limit_bytes) : path_(path), limit_bytes_(limit_bytes) {}
  void End(std::string_view reason);

  std::string path_;
  int64_t limit_bytes_;
  std::ofstream file_;
  std::unique_ptr<record::Writer> writer_;  // Null once it has ended.
};

}  // namespace berth::scheduler_app
