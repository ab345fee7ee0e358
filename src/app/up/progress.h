// SPDX-License-Identifier: Apache-2.0
// Progress: tells the user how many pods were bound, how fast, and how many there are in all, each time a burst of them
// is over: when no pod was made or bound and none began to run for a second.
//
// Thread: that of the event loop.

#pragma once

#include <cstdint>
#include <string>

#include "runtime/timers.h"
#include "server/store/store.h"

namespace berth::up {

class Progress {
 public:
  // REQUIRES: all outlive this.
  Progress(server::Store& store, const server::Catalog& catalog, runtime::Timers& timers);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void OnChange(const server::Change& change);
  void Touch();
  void Report();
  std::string Total() const;

  const server::Store& store_;
  runtime::Timers& timers_;
  const server::Resource& pods_;
  int64_t bound_ = 0;  // In this burst.
  int64_t running_ = 0;
  Time first_{};
  Time last_{};
  Time active_{};  // When a pod was last made or bound, or began to run.
  runtime::Timer report_;
};

}  // namespace berth::up
