// SPDX-License-Identifier: Apache-2.0
// ObjectSink: where the objects go that a reflector reads.

#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "scheduler/input.h"

namespace berth::client {

using Delivery = std::variant<scheduler::PutObject, scheduler::RemoveObject>;
// Decodes an object. Nothing: that has failed, and was said.
using Decode = std::move_only_function<std::optional<scheduler::PutObject>()>;

// Thread: that of the reflectors.
class ObjectSink {
 public:
  virtual ~ObjectSink() = default;

  // Takes all of the batch, also when it is full.
  virtual void Deliver(std::vector<Delivery> batch) = 0;
  // Takes one object, which may be decoded later, on the thread for which it is meant.
  virtual void DeliverUndecoded(Decode decode) {
    std::optional<scheduler::PutObject> put = decode();
    if (!put) return;
    std::vector<Delivery> batch;
    batch.emplace_back(*std::move(put));
    Deliver(std::move(batch));
  }
  // While it is, reflectors read no further. Once it is not, Reflector::Resume is to be called.
  virtual bool is_full() const = 0;
};

}  // namespace berth::client
