// SPDX-License-Identifier: Apache-2.0
// Input and IssuedEffect: everything that goes into the core and comes out of it.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/objects/object.h"
#include "base/time.h"
#include "framework/configuration.h"
#include "framework/effects.h"

namespace berth::scheduler {

// An effect that the core asks for. Its id grows from 1 and is how its answer is told apart.
struct IssuedEffect {
  uint64_t id = 0;
  framework::Effect effect;
};

// A watch reported an object that was added or changed.
struct PutObject {
  api::Object object;
};

// A watch reported that an object is gone, or found it gone (`final_state_unknown`).
struct RemoveObject {
  std::string kind;
  std::string ns;
  std::string name;
  bool final_state_unknown = false;
};

// What became of an effect.
struct EffectAnswer {
  enum class Code : uint8_t {
    kOk,
    kFailed,   // It certainly did not happen.
    kUnknown,  // No answer came: it may or may not have happened.
  };
  uint64_t id = 0;
  Code code = Code::kOk;
  // kFailed: why. kUnknown: why it is not known, if anything is known about that. kOk: why there was nothing to do.
  std::string message;
};

// A pod or group may be tried: the next of the queue or, if one is named, that one, wherever it waits.
struct ScheduleNext {
  std::string pod;  // "namespace/name", of a root group "podgroup/namespace/name"; empty: the next.
};

// Time has passed; see Core::NextDeadline.
struct PassTime {};

// The configuration has changed. Nothing happens if it makes no valid profiles (see Core::Check).
struct Reconfigure {
  std::shared_ptr<const framework::SchedulerConfiguration> configuration;
};

struct Input {
  Time now;  // Never goes back.
  std::variant<PutObject, RemoveObject, EffectAnswer, ScheduleNext, PassTime, Reconfigure> what;
};

// Numbers effects and holds them until the step ends.
class Outbox {
 public:
  uint64_t Send(framework::Effect effect) {
    effects_.push_back({++last_id_, std::move(effect)});
    return last_id_;
  }
  // Of effects whose answers nobody waits for.
  void SendAll(framework::Effects effects) {
    for (framework::Effect& effect : effects) Send(std::move(effect));
  }
  std::vector<IssuedEffect> Take() { return std::exchange(effects_, {}); }
  // Numbers on from another's effects.
  void CountFrom(const Outbox& other) { last_id_ = other.last_id_; }

 private:
  uint64_t last_id_ = 0;
  std::vector<IssuedEffect> effects_;
};

}  // namespace berth::scheduler
