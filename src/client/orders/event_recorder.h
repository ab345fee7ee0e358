// SPDX-License-Identifier: Apache-2.0
// EventRecorder: writes events, counting those that repeat.
//
// An event that was seen before, with the same object in the same version, type, reason, action and reporter, starts a
// series: the event on the server is patched once with a count of two, then again every half hour and when the series
// has been silent for six minutes. Events are best effort: when too many wait, new ones are dropped.
//
// Thread: that of the client.

#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/random.h"
#include "client/orders/event.h"
#include "client/request/attempts.h"
#include "client/request/rest_client.h"
#include "runtime/loop.h"

namespace berth::client {

class EventRecorder {
 public:
  struct Options {
    std::string host_name;                          // Part of the reporting instance.
    std::string content_type = std::string(kJson);  // Of new events.
    size_t queue_max = 50'000;                      // Events that wait for their turn; more are dropped.
    size_t running_max = 100;                       // Events that are being written.
    size_t known_max = 20'000;                      // Events that are remembered; more cannot become series.
    uint64_t seed = 0;                              // Of the jitter.
  };

  EventRecorder(RestClient& client, runtime::Timers& timers, Options options);

  void Record(Event event);
  // The same as an event of core/v1, without series.
  void RecordCore(const Event& event);

  uint64_t dropped() const { return dropped_; }
  size_t unwritten() const { return queue_.size() + running_; }

 private:
  struct Known {
    Event event;
    std::string name;
    Time time;     // As written.
    Time seen_at;  // Last, by the clock that never jumps.
    std::optional<EventSeries> series;
    bool was_created = false;  // Or was refused.
    bool is_writing = false;   // Waiting for its turn included.
    bool write_again = false;  // Once that is over.
  };
  using KnownPtr = std::shared_ptr<Known>;  // Shared by the memory of events and their writing.

  void Repeated(const KnownPtr& known);
  void Enqueue(const KnownPtr& known);
  void StartSome();
  void Create(const KnownPtr& known);
  void PatchSeries(const KnownPtr& known);
  void Written(const KnownPtr& known, const CallEnd& outcome);
  void KeepHouse();
  Time NameTime();

  runtime::Timers& timers_;
  const Options options_;
  Attempts attempts_;
  Random random_;
  std::unordered_map<std::string, KnownPtr> known_;
  std::deque<KnownPtr> queue_;
  size_t running_ = 0;
  uint64_t dropped_ = 0;
  Time last_name_time_;
  runtime::Loop housekeeping_;
  uint64_t rounds_ = 0;  // Of housekeeping.
};

}  // namespace berth::client
