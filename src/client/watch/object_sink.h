// SPDX-License-Identifier: Apache-2.0
// ObjectSink: where the objects go that a reflector reads.

#pragma once

#include <variant>
#include <vector>

#include "scheduler/input.h"

namespace berth::client {

using Delivery = std::variant<scheduler::PutObject, scheduler::RemoveObject>;

// Thread: that of the reflectors.
class ObjectSink {
 public:
  virtual ~ObjectSink() = default;

  // Takes all of the batch, also when it is full.
  virtual void Deliver(std::vector<Delivery> batch) = 0;
  // While it is, reflectors read no further. Once it is not, Reflector::Resume is to be called.
  virtual bool is_full() const = 0;
};

}  // namespace berth::client
