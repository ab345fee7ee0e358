// SPDX-License-Identifier: Apache-2.0
// LiveFeed: tells all who look at the dashboard what happens, as server-sent events.
//
// A viewer first gets a snapshot, then what changes, at most four times a second. What is sent is encoded once for all,
// off the thread of the sockets. A viewer has a place in a short history of changes; one that takes what it is sent too
// slowly finds its place gone and gets a new snapshot, so it never has more than one of them waiting. While nobody
// looks, nothing is read and nothing kept.
//
//   event: snapshot | change
//   data: {...}, as LiveState writes it
//
// Thread: that of the timers.

#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "net/responder.h"
#include "runtime/loop.h"
#include "runtime/timers.h"
#include "web/live_state.h"

namespace berth::web {

class LiveFeed {
 public:
  static constexpr size_t kViewersMax = 100;
  static constexpr Duration kPeriod = Milliseconds(250);
  static constexpr size_t kHistoryBytesMax = 256 * 1024;
  // After so many periods in which nothing happened a viewer hears that it is still connected.
  static constexpr uint32_t kSilentPeriodsMax = 60;

  // One look at the core.
  struct Reading {
    // With the core, on whatever thread may touch it.
    std::move_only_function<Result<void>(const scheduler::Core&, explain::Pacer&)> collect;
    // Afterwards, without it, if that went well.
    std::move_only_function<void()> encode;
    // In the end, on the thread of the timers, also if the other two were not called.
    std::move_only_function<void()> done;
  };
  using Read = std::function<void(Reading)>;
  // What is told with the queue, as JSON; any thread.
  using Figures = std::function<std::string()>;

  // REQUIRES: the timers outlive this.
  LiveFeed(runtime::Timers& timers, Read read, Figures figures = nullptr);
  LiveFeed(const LiveFeed&) = delete;
  LiveFeed& operator=(const LiveFeed&) = delete;

  // Answers with the stream, which goes on until the viewer leaves; with 429 if there are as many as may be.
  void Join(net::Responder responder);
  size_t viewer_count();

 private:
  // Shared with the reading that is under way.
  struct Work {
    LiveState state;
    bool wants_snapshot = false;
    std::string delta;
    std::string snapshot;
  };
  using Text = std::shared_ptr<const std::string>;
  struct Viewer {
    net::Responder responder;
    bool needs_snapshot = true;
    uint64_t next = 0;  // The change that is to be sent to it.
  };

  std::shared_ptr<Work> NewWork() const;
  void DropGone();
  void Look();
  void Publish();
  void Serve(Viewer& viewer, const Text& snapshot);

  runtime::Timers& timers_;
  Read read_;
  Figures figures_;
  runtime::Loop loop_;
  std::shared_ptr<Work> work_;
  std::list<Viewer> viewers_;
  std::deque<Text> history_;  // The last changes.
  size_t history_bytes_ = 0;
  uint64_t change_count_ = 0;
  uint32_t silent_periods_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace berth::web
