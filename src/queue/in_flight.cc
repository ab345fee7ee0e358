// SPDX-License-Identifier: Apache-2.0
#include "queue/in_flight.h"

#include <utility>

namespace berth::queue {

void InFlight::Tell(const Entry& entry, int change) const {
  using Cause = framework::QueueCause::Kind;
  if (observer_ == nullptr) return;
  switch (entry.kind) {
    case Entry::Kind::kPop: return observer_->InFlightChanged({Cause::kPodPopped}, change);
    case Entry::Kind::kChange: return observer_->InFlightChanged({Cause::kEvent, entry.change.event}, change);
    case Entry::Kind::kForceActivate: return observer_->InFlightChanged({Cause::kForceActivate}, change);
    case Entry::Kind::kUnschedulableTimeout: return observer_->InFlightChanged({Cause::kUnschedulableTimeout}, change);
  }
}

void InFlight::Record(Entry entry) {
  Tell(entry, 1);
  log_.push_back(std::move(entry));
}

bool InFlight::Begin(std::string uid) {
  if (Contains(uid)) return false;
  Record({.kind = Entry::Kind::kPop, .uid = std::move(uid)});
  pops_.emplace(log_.back().uid, std::prev(log_.end()));
  return true;
}

void InFlight::Done(std::string_view uid) {
  const auto pop = pops_.find(uid);
  if (pop == pops_.end()) return;
  const Log::iterator entry = pop->second;
  pops_.erase(pop);
  Tell(*entry, -1);
  log_.erase(entry);
  while (!log_.empty() && log_.front().kind != Entry::Kind::kPop) {
    Tell(log_.front(), -1);
    log_.pop_front();
  }
}

}  // namespace berth::queue
