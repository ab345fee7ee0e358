// SPDX-License-Identifier: Apache-2.0
// Replay: runs an input log again, step by step.
//
// It makes the core that the log describes, feeds it the recorded inputs and checks that every step has the recorded
// effects. After each step the core can be looked at: its cluster, its queue, and the attempt that the step made.
//
// Thread: one.

#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/input_log.h"
#include "scheduler/core.h"

namespace berth::record {

class Replay {
 public:
  // Reads the settings and makes the core. `in` must be binary and outlive the replay. Fails as Reader::Open and
  // Core::Create.
  static Result<std::unique_ptr<Replay>> Open(std::istream& in, const framework::Registry& registry);

  // When the next input came; nothing at the end of the log. Fails as Reader::Next; nothing can be replayed after that.
  Result<std::optional<Time>> PeekTime();

  // Replays the next input; false at the end of the log. Fails with Code::kConflict if the effects are not those that
  // were recorded, and with Code::kInvalid if the log is damaged; the core is then as the last input left it.
  Result<bool> Step();

  // Why the log has no proper end, once its end was reached; see Reader.
  const std::optional<std::string>& unfinished() const { return reader_.unfinished(); }

  // See Core::set_record_limits.
  void set_record_limits(scheduler::RecordLimits limits) { core_->set_record_limits(limits); }

  const Settings& settings() const { return reader_.settings(); }
  const scheduler::Core& core() const { return *core_; }
  // The core as it is now, to go on with in another way. Nothing can be replayed after that.
  std::unique_ptr<scheduler::Core> TakeCore() { return std::move(core_); }
  Time now() const { return now_; }  // Of the last step; the start before the first.
  uint64_t step_count() const { return step_count_; }
  // Of the last step.
  const scheduler::Input& input() const { return input_; }
  const std::vector<scheduler::IssuedEffect>& effects() const { return effects_; }

 private:
  Replay(Reader reader, std::unique_ptr<scheduler::Core> core)
      : reader_(std::move(reader)), core_(std::move(core)), now_(reader_.settings().start) {}
  Result<void> Fetch();
  Result<void> Verify(uint64_t offset);

  Reader reader_;
  std::unique_ptr<scheduler::Core> core_;
  std::optional<Entry> next_;  // Read ahead.
  Time now_;
  uint64_t step_count_ = 0;
  scheduler::Input input_;
  std::vector<scheduler::IssuedEffect> effects_;
};

// Whether the last step tried the pod `full_name` (namespace/name).
bool TriedPod(const Replay& replay, std::string_view full_name);

}  // namespace berth::record
