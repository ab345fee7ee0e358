// SPDX-License-Identifier: Apache-2.0
// Watches: everybody who wants to be told of changes.
//
// A watch remembers how far it has come and finds what is next in the store's history, so a slow client costs nothing
// but its own delay: when the history has forgotten what it has not been told, its watch ends as expired and it lists
// again. Changes that follow each other quickly are told together. The history keeps some minutes, if there is room.
//
// Thread: that of the store.

#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "base/random.h"
#include "runtime/loop.h"
#include "runtime/timers.h"
#include "server/rest/call.h"
#include "server/rest/list_options.h"
#include "server/rest/selection.h"
#include "server/store/store.h"
#include "server/webhooks/webhooks.h"

namespace berth::server {

class Watch;

class Watches {
 public:
  // REQUIRES: all outlive this.
  Watches(Store& store, Webhooks& webhooks, runtime::Timers& timers, uint64_t seed);
  ~Watches();
  Watches(const Watches&) = delete;
  Watches& operator=(const Watches&) = delete;

  // Answers the call, for as long as its client stays or its time allows.
  void Open(Call call, Selection selection, const ListOptions& options);

  size_t count() const { return watches_.size(); }

 private:
  friend class Watch;

  void OnChange(const Resource& resource);
  // Tells all who are behind, in turns short enough for requests to come between.
  void Tell();
  void Bookmark();
  void Forget();
  // Later, so that a watch may ask for it.
  void Remove(Watch& watch);

  Store& store_;
  Webhooks& webhooks_;
  runtime::Timers& timers_;
  Random random_;
  std::list<std::unique_ptr<Watch>> watches_;
  std::vector<bool> changed_;  // By the index of the resource.
  Time told_at_{};
  runtime::Timer telling_;
  runtime::Loop bookmarks_;
  runtime::Timer sweep_;
  runtime::Loop forgetting_;
  Revision forgettable_ = 0;  // What there was when something was last forgotten.
};

}  // namespace berth::server
