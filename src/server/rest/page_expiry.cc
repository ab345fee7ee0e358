// SPDX-License-Identifier: Apache-2.0
#include "server/rest/page_expiry.h"

namespace berth::server {
namespace {

constexpr Duration kPagesLast = Minutes(5);
constexpr Duration kMarkEvery = Minutes(1);

}  // namespace

void PageExpiry::Note(Time now, Revision revision) {
  while (!marks_.empty() && marks_.front().at + kPagesLast <= now) {
    oldest_ = marks_.front().revision;
    marks_.pop_front();
  }
  if (marks_.empty() || marks_.back().at + kMarkEvery <= now) marks_.push_back({now, revision});
}

}  // namespace berth::server
