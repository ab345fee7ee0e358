// SPDX-License-Identifier: Apache-2.0
#include "telemetry/slow_trace.h"

#include <fmt/format.h>

#include "telemetry/log.h"

namespace berth::telemetry {
namespace {

int64_t Millis(int64_t nanos) { return nanos / 1'000'000; }

}  // namespace

void SlowTrace::Begin(std::string_view ns, std::string_view name, int64_t now) {
  runs_ = true;
  ++number_;
  ns_ = ns;
  name_ = name;
  begin_ = now;
  steps_.clear();
}

void SlowTrace::Step(std::string_view what, int64_t now) { steps_.push_back({what, now}); }

void SlowTrace::End(int64_t now) {
  if (!runs_) return;
  runs_ = false;
  if (now - begin_ >= kThresholdNanos) BERTH_LOG(2, ToString(now));
}

std::string SlowTrace::ToString(int64_t now) const {
  const int64_t total = now - begin_;
  std::string text = fmt::format("Trace[{}]: \"Scheduling\" namespace:{},name:{} (total time: {}ms):", number_, ns_,
                                 name_, Millis(total));
  // Each step and the rest after the last one have the same share of the time allowed.
  const int64_t share = kThresholdNanos / (static_cast<int64_t>(steps_.size()) + 1);
  int64_t before = begin_;
  for (const Taken& step : steps_) {
    if (step.at - before >= share) {
      text += fmt::format("\nTrace[{}]: ---\"{}\" {}ms", number_, step.what, Millis(step.at - before));
    }
    before = step.at;
  }
  return text + fmt::format("\nTrace[{}]: [{}ms] END", number_, Millis(total));
}

}  // namespace berth::telemetry
