// SPDX-License-Identifier: Apache-2.0
#include "queue/in_flight.h"

#include <utility>

namespace berth::queue {

bool InFlight::Begin(std::string uid) {
  if (Contains(uid)) return false;
  log_.push_back({.kind = Entry::Kind::kPop, .uid = std::move(uid)});
  pops_.emplace(log_.back().uid, std::prev(log_.end()));
  return true;
}

void InFlight::Done(std::string_view uid) {
  const auto pop = pops_.find(uid);
  if (pop == pops_.end()) return;
  const Log::iterator entry = pop->second;
  pops_.erase(pop);
  log_.erase(entry);
  while (!log_.empty() && log_.front().kind != Entry::Kind::kPop) log_.pop_front();
}

}  // namespace berth::queue
