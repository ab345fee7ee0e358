// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/similar_events.h"

#include <algorithm>

namespace berth::server {
namespace {

constexpr size_t kWrittenMax = 10;
constexpr Duration kSimilarFor = Minutes(10);
constexpr Duration kShareAgain = Minutes(5);

}  // namespace

SimilarEvents::Place SimilarEvents::Judge(const std::string& kind, uint64_t words, Time now) {
  if (kinds_.size() >= kKindsMax && !kinds_.contains(kind)) kinds_.clear();
  Recent& recent = kinds_[kind];
  if (now - recent.last > kSimilarFor) recent = {};
  recent.last = now;
  if (std::ranges::find(recent.words, words) != recent.words.end()) return Place::kOwn;
  if (recent.words.size() < kWrittenMax) {
    recent.words.push_back(words);
    return Place::kOwn;
  }
  if (recent.shared_at && now - *recent.shared_at < kShareAgain) return Place::kNone;
  recent.shared_at = now;
  return Place::kShared;
}

}  // namespace berth::server
