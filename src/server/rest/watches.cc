// SPDX-License-Identifier: Apache-2.0
#include "server/rest/watches.h"

#include <algorithm>

#include "server/rest/watch.h"

namespace berth::server {
namespace {

// How long a change may wait for others to be told with it.
constexpr Duration kPace = Milliseconds(2);
// How long requests may wait while watches are told.
constexpr Duration kTurn{200'000};
// The history reaches back between this and twice as much; upstream's reaches back 75 seconds.
constexpr Duration kHistory = Minutes(3);
constexpr Duration kBookmarkPeriod = Minutes(1);
// A watch without a timeout gets one between this and twice as much.
constexpr int64_t kTimeoutSeconds = 1800;

}  // namespace

Watches::Watches(Store& store, Webhooks& webhooks, runtime::Timers& timers, uint64_t seed)
    : store_(store),
      webhooks_(webhooks),
      timers_(timers),
      random_(seed),
      telling_(timers),
      bookmarks_(timers, {.delay = runtime::Every(kBookmarkPeriod)}, [this] { Bookmark(); }),
      sweep_(timers),
      forgetting_(timers, {.delay = runtime::Every(kHistory)}, [this] { Forget(); }) {
  store_.Listen([this](const ChangePtr& change) { OnChange(change->object->resource()); });
  forgetting_.StartLater();
}

Watches::~Watches() = default;

void Watches::Open(Call call, Selection selection, const ListOptions& options) {
  int64_t seconds = options.timeout_seconds.value_or(0);
  if (seconds == 0) {
    seconds = kTimeoutSeconds + static_cast<int64_t>(random_.Below(static_cast<uint64_t>(kTimeoutSeconds)));
  }
  watches_.push_back(std::make_unique<Watch>(*this, std::move(call), std::move(selection), options, Seconds(seconds)));
  watches_.back()->Start();
  if (!bookmarks_.is_running()) bookmarks_.StartLater();
}

void Watches::OnChange(const Resource& resource) {
  if (watches_.empty()) return;
  if (changed_.size() <= resource.index) changed_.resize(resource.index + 1);
  changed_[resource.index] = true;
  if (telling_.is_running()) return;
  const Duration since = timers_.Now() - told_at_;
  telling_.Start(since < kPace ? kPace - since : Duration{}, [this] { Tell(); });
}

void Watches::Tell() {
  told_at_ = timers_.Now();
  const std::vector<bool> changed = std::exchange(changed_, {});
  for (const auto& watch : watches_) {
    const size_t index = watch->stored().index;
    if (index < changed.size() && changed[index]) watch->is_behind = true;
  }
  // Whoever was told something waits until all others were.
  for (size_t up_to_date = 0; up_to_date < watches_.size();) {
    watches_.splice(watches_.end(), watches_, watches_.begin());
    Watch& watch = *watches_.back();
    if (!watch.is_behind || watch.is_over()) {
      ++up_to_date;
      continue;
    }
    up_to_date = 0;
    watch.is_behind = watch.AdvanceSome();
    if (timers_.Now() - told_at_ < kTurn) continue;
    if (!telling_.is_running()) telling_.Start(Duration{}, [this] { Tell(); });
    return;
  }
}

void Watches::Bookmark() {
  for (const auto& watch : watches_) watch->Bookmark();
  if (watches_.empty()) bookmarks_.Stop();
}

void Watches::Forget() {
  store_.Forget(forgettable_);
  forgettable_ = store_.revision();
}

void Watches::Remove(Watch& /*watch*/) {
  if (sweep_.is_running()) return;
  sweep_.Start(Duration{}, [this] { std::erase_if(watches_, [](const auto& watch) { return watch->is_over(); }); });
}

}  // namespace berth::server
