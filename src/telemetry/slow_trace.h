// SPDX-License-Identifier: Apache-2.0
// SlowTrace: the steps of one attempt, logged if it took longer than 100 ms.
//
// The text is that of Kubernetes components, at verbosity 2. Steps that took less than their share are left out.
//
// Thread: core.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::telemetry {

class SlowTrace {
 public:
  static constexpr int64_t kThresholdNanos = 100'000'000;

  // Times are nanoseconds since some moment.
  void Begin(std::string_view ns, std::string_view name, int64_t now);
  void Step(std::string_view what, int64_t now);
  // Logs the trace if it is long enough. Nothing happens without a Begin.
  void End(int64_t now);

  // The text, apart from the threshold.
  std::string ToString(int64_t now) const;

 private:
  struct Taken {
    std::string_view what;
    int64_t at;
  };
  bool runs_ = false;
  uint32_t number_ = 0;
  std::string ns_, name_;
  int64_t begin_ = 0;
  std::vector<Taken> steps_;
};

}  // namespace berth::telemetry
