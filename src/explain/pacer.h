// SPDX-License-Identifier: Apache-2.0
// Pacer: lets a question give way to others.
//
// Whoever works on a question pauses between units of work, each of a millisecond at most. The call comes back when the
// question may go on, or with the reason why it must end: its time is up, or nobody waits for its answer any more.

#pragma once

#include "base/result.h"

namespace berth::explain {

class Pacer {
 public:
  virtual ~Pacer() = default;

  virtual Result<void> Pause() = 0;
};

// Of a program that does nothing else.
class Unhindered : public Pacer {
 public:
  Result<void> Pause() override { return {}; }
};

}  // namespace berth::explain
