// SPDX-License-Identifier: Apache-2.0
// SimilarEvents: which events differ from many others about the same object in their words alone.
//
// A set that makes ten thousand pods would have something to say about each of them. As client-go does it, ten such
// events are written in ten minutes, and those behind them become one, which is written again every few minutes.
//
// Thread: that of the store.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/time.h"

namespace berth::server {

class SimilarEvents {
 public:
  // How many kinds of events are remembered; then all are forgotten.
  static constexpr size_t kKindsMax = 4096;

  enum class Place : uint8_t {
    kOwn,     // It is written as it is.
    kShared,  // It is written as the one that stands for many.
    kNone,    // That one was written just now.
  };
  // Of an event of this kind, which says what it is about and why, with these words. It counts from now on.
  Place Judge(const std::string& kind, uint64_t words, Time now);

 private:
  struct Recent {
    Time last = {};
    std::vector<uint64_t> words = {};
    std::optional<Time> shared_at = {};  // When the one for many was written.
  };

  std::unordered_map<std::string, Recent> kinds_;
};

}  // namespace berth::server
