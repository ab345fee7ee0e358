// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/cleanup/event_expiry.h"

namespace berth::server {
namespace {

constexpr Duration kLife = Minutes(60);
constexpr Duration kPeriod = Seconds(10);

}  // namespace

void EventExpiry::OnChange(const Change& change, const Enqueue& enqueue) {
  if (&change.object->resource() != &events_ || change.type == Change::Type::kDeleted) return;
  if (written_.empty()) enqueue("", kPeriod);
  written_.emplace_back(cluster_.objects.now(), change.object);
}

std::optional<Duration> EventExpiry::Sync(const std::string& /*key*/) {
  const Time limit = cluster_.objects.now() - kLife;
  for (size_t i = 0; i < kBatch && !written_.empty() && written_.front().first <= limit; ++i) {
    const ObjectPtr event = std::move(written_.front().second);
    written_.pop_front();
    // One that was written again has an entry of its own further behind.
    if (cluster_.store().Find(events_, event->ns(), event->name()) != event) continue;
    (void)cluster_.objects.Delete(events_, event->ns(), event->name(), {});
  }
  if (written_.empty()) return std::nullopt;
  return written_.front().first <= limit ? Duration{} : kPeriod;
}

}  // namespace berth::server
