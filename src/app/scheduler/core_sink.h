// SPDX-License-Identifier: Apache-2.0
// CoreSink: hands what the API server says to the core's thread.
//
// Thread: that of the informers.

#pragma once

#include <utility>
#include <variant>
#include <vector>

#include "app/scheduler/core_thread.h"
#include "client/object_sink.h"

namespace berth::scheduler_app {

class CoreSink : public client::ObjectSink {
 public:
  explicit CoreSink(CoreThread& core) : core_(core) {}

  void Deliver(std::vector<client::Delivery> batch) override {
    std::vector<CoreThread::Item> items;
    items.reserve(batch.size());
    for (client::Delivery& delivery : batch) {
      std::visit([&](auto& what) { items.emplace_back(std::move(what)); }, delivery);
    }
    core_.inbox().Push(std::move(items));
  }
  bool is_full() const override { return core_.inbox().IsFull(); }

 private:
  CoreThread& core_;
};

}  // namespace berth::scheduler_app
