// SPDX-License-Identifier: Apache-2.0
#include "web/live_feed.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace berth::web {
namespace {

std::string Event(std::string_view name, std::string_view data) {
  return fmt::format("event: {}\ndata: {}\n\n", name, data);
}

}  // namespace

LiveFeed::LiveFeed(runtime::Timers& timers, Read read, Figures figures)
    : timers_(timers),
      read_(std::move(read)),
      figures_(std::move(figures)),
      loop_(timers, {.delay = runtime::Every(kPeriod)}, [this] { Look(); }),
      work_(NewWork()) {}

std::shared_ptr<LiveFeed::Work> LiveFeed::NewWork() const {
  auto work = std::make_shared<Work>();
  work->state.set_figures(figures_);
  return work;
}

size_t LiveFeed::viewer_count() {
  DropGone();
  return viewers_.size();
}

void LiveFeed::DropGone() {
  std::erase_if(viewers_, [](const Viewer& viewer) { return !viewer.responder.is_open(); });
}

void LiveFeed::Join(net::Responder responder) {
  if (viewer_count() >= kViewersMax) {
    return responder.Send(429, {{"Content-Type", "application/json"}, {"Retry-After", "10"}},
                          R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
                          R"("message":"too many look at the dashboard","reason":"TooManyRequests","code":429})");
  }
  responder.Begin(
      200,
      {{"Content-Type", "text/event-stream"}, {"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}});
  viewers_.push_back({.responder = std::move(responder)});
  if (!loop_.is_running()) loop_.Start();
}

void LiveFeed::Look() {
  DropGone();
  if (viewers_.empty()) {
    loop_.Stop();
    work_ = NewWork();
    history_.clear();
    history_bytes_ = 0;
    return;
  }
  work_->wants_snapshot = std::ranges::any_of(
      viewers_, [](const Viewer& viewer) { return viewer.needs_snapshot && viewer.responder.pending_bytes() == 0; });
  loop_.Hold();
  read_({.collect = [work = work_, now = timers_.WallNow()](
                        const scheduler::Core& core,
                        explain::Pacer& pacer) { return work->state.Read(core, pacer, now); },
         .encode =
             [work = work_] {
               work->delta = work->state.TakeDelta();
               if (!work->delta.empty()) work->delta = Event("change", work->delta);
               if (work->wants_snapshot) work->snapshot = Event("snapshot", work->state.Snapshot());
             },
         .done =
             [this, alive = std::weak_ptr(alive_)] {
               if (alive.expired()) return;
               Publish();
               loop_.Resume();
             }});
}

void LiveFeed::Publish() {
  ++silent_periods_;
  if (silent_periods_ > kSilentPeriodsMax && work_->delta.empty()) {
    silent_periods_ = 0;
    for (Viewer& viewer : viewers_) {
      if (viewer.responder.pending_bytes() == 0) viewer.responder.Write(":\n\n");
    }
  }
  if (!work_->delta.empty()) {
    silent_periods_ = 0;
    ++change_count_;
    history_bytes_ += work_->delta.size();
    history_.push_back(std::make_shared<const std::string>(std::exchange(work_->delta, {})));
  }
  for (; history_bytes_ > kHistoryBytesMax; history_.pop_front()) history_bytes_ -= history_.front()->size();
  Text snapshot;
  if (!work_->snapshot.empty()) snapshot = std::make_shared<const std::string>(std::exchange(work_->snapshot, {}));
  for (Viewer& viewer : viewers_) Serve(viewer, snapshot);
}

void LiveFeed::Serve(Viewer& viewer, const Text& snapshot) {
  if (viewer.responder.pending_bytes() > 0) return;
  const uint64_t oldest = change_count_ - history_.size();
  viewer.needs_snapshot = viewer.needs_snapshot || viewer.next < oldest;
  if (viewer.needs_snapshot) {
    if (snapshot == nullptr) return;
    viewer.responder.Write(snapshot);
    viewer.needs_snapshot = false;
  } else {
    for (uint64_t i = viewer.next; i < change_count_; ++i) viewer.responder.Write(history_[i - oldest]);
  }
  viewer.next = change_count_;
}

}  // namespace berth::web
