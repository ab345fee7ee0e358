// SPDX-License-Identifier: Apache-2.0
// CoreLink: the way from what speaks to the API server to the core, which may have a thread of its own.
//
// What is told through it reaches the core in the order in which it was told.
//
// Thread: that of the client.

#pragma once

#include <functional>

#include "client/watch/object_sink.h"

namespace berth::client {

class CoreLink : public ObjectSink {
 public:
  virtual void Answer(scheduler::EffectAnswer answer) = 0;
  virtual void StartScheduling() = 0;
  // No pod is taken up any more; what is under way goes on.
  virtual void StopScheduling() = 0;
  // Calls `done` on this thread once the core has taken in all that was told before, and says whether it is binding
  // pods then.
  virtual void AwaitCore(std::move_only_function<void(bool is_binding)> done) = 0;
};

}  // namespace berth::client
