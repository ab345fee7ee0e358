// SPDX-License-Identifier: Apache-2.0
#include "sim/protocol/delivery_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace berth::sim {
namespace {

server::Revision RevisionOf(const server::ChangePtr& change) { return change->revision; }

// Whether the object is shown after the change.
bool IsThere(const server::Change& change) {
  return change.type != server::Change::Type::kDeleted && IsWatched(*change.object);
}

}  // namespace

void DeliveryCheck::OnDelivered(const client::Delivery& delivery) {
  ++delivered_;
  if (const auto* put = std::get_if<scheduler::PutObject>(&delivery)) {
    const api::ObjectMeta& meta = api::MetaOf(put->object);
    Trail& trail = trails_[std::string(api::KindOf(put->object))];
    const Change change{server::ObjectKey(meta.ns, meta.name), std::stoll(meta.resource_version)};
    trail.view[change.key] = change.version;
    // Before the first list is complete, another may be begun on a replica that is further behind.
    if (trail.is_synced) {
      const int64_t newest = std::exchange(trail.newest[change.key], change.version);
      if (change.version <= newest)
        wrong_ = fmt::format("{}: version {} was delivered after {}", change.key, change.version, newest);
    }
    trail.since.push_back(change);
  } else {
    const auto& removed = std::get<scheduler::RemoveObject>(delivery);
    Trail& trail = trails_[removed.kind];
    const Change change{server::ObjectKey(removed.ns, removed.name), 0};
    trail.view.erase(change.key);
    trail.since.push_back(change);
  }
}

void DeliveryCheck::OnList(const client::WatchedResource& resource, Duration, size_t) {
  Trail& trail = trails_[resource.kind];
  trail.was_listed = true;
  trail.is_synced = true;
}

void DeliveryCheck::OnResourceVersion(const client::WatchedResource& resource, std::string_view version) {
  trails_[resource.kind].claimed = std::stoll(std::string(version));
  claimed_.insert(resource.kind);
}

void DeliveryCheck::OnSkipped(const client::WatchedResource& resource, const std::string& why) {
  wrong_ = fmt::format("a {} could not be read: {}", resource.kind, why);
}

std::string DeliveryCheck::Check() {
  if (!wrong_.empty()) return wrong_;
  for (const std::string& kind : std::exchange(claimed_, {})) {
    if (std::string wrong = Check(kind, trails_[kind]); !wrong.empty()) return wrong;
  }
  return "";
}

std::string DeliveryCheck::Check(const std::string& kind, Trail& trail) const {
  if (trail.claimed < trail.checked) {
    return fmt::format("{}: went back from version {} to {}", kind, trail.checked, trail.claimed);
  }
  Expect(kind, trail);
  std::string wrong = trail.was_listed ? "" : CheckChanges(kind, trail);
  if (wrong.empty()) wrong = CheckView(kind, trail);
  trail.checked = trail.claimed;
  trail.was_listed = false;
  trail.since.clear();
  return wrong;
}

std::string DeliveryCheck::CheckChanges(const std::string& kind, const Trail& trail) const {
  auto next = trail.since.begin();
  const auto skip_read = [&] {
    while (next != trail.since.end() && IsRead(kind, next->key)) ++next;
  };
  const std::vector<server::ChangePtr>& history = cluster_.History(kind);
  auto made = std::ranges::upper_bound(history, trail.checked, {}, &RevisionOf);
  for (; made != history.end() && (*made)->revision <= trail.claimed; ++made) {
    const server::Change& change = **made;
    const bool was_there = change.before != nullptr && IsWatched(*change.before);
    const bool is_there = IsThere(change);
    const Change expected{change.object->key(), is_there ? change.revision : 0};
    if ((!was_there && !is_there) || IsRead(kind, expected.key)) continue;
    skip_read();
    if (next == trail.since.end())
      return fmt::format("{} {}: version {} was lost", kind, expected.key, change.revision);
    if (*next != expected) {
      return fmt::format("{}: {} in version {} was delivered instead of {} in version {}", kind, next->key,
                         next->version, expected.key, expected.version);
    }
    ++next;
  }
  skip_read();
  return next == trail.since.end() ? "" : fmt::format("{} {}: version {} came twice", kind, next->key, next->version);
}

void DeliveryCheck::Expect(const std::string& kind, Trail& trail) const {
  const std::vector<server::ChangePtr>& history = cluster_.History(kind);
  for (; trail.applied < history.size() && history[trail.applied]->revision <= trail.claimed; ++trail.applied) {
    const server::Change& change = *history[trail.applied];
    if (IsThere(change)) {
      trail.expected.insert_or_assign(change.object->key(), change.revision);
    } else {
      trail.expected.erase(change.object->key());
    }
  }
}

std::string DeliveryCheck::CheckView(const std::string& kind, const Trail& trail) const {
  if (trail.view == trail.expected) return "";
  for (const auto& [key, version] : trail.expected) {
    const auto seen = trail.view.find(key);
    if (seen != trail.view.end() && (seen->second == version || (seen->second > version && IsRead(kind, key))))
      continue;
    if (seen == trail.view.end() && IsRead(kind, key)) continue;
    return fmt::format("{} {}: {} was delivered, but at version {} it is {}", kind, key,
                       seen == trail.view.end() ? 0 : seen->second, trail.claimed, version);
  }
  for (const auto& [key, version] : trail.view) {
    if (trail.expected.contains(key) || IsRead(kind, key)) continue;
    return fmt::format("{} {}: version {} was delivered, but it is gone at {}", kind, key, version, trail.claimed);
  }
  return "";
}

std::string DeliveryCheck::CheckAtRest() const {
  for (const auto& [kind, trail] : trails_) {
    std::map<std::string, int64_t> expected;
    for (const auto& [key, object] : cluster_.All(kind)) {
      if (IsWatched(*object)) expected.emplace(key, object->revision());
    }
    for (const auto& [key, version] : expected) {
      const auto seen = trail.view.find(key);
      if (seen == trail.view.end() || seen->second != version)
        return fmt::format("at rest, version {} of {} {} has not arrived", version, kind, key);
    }
    for (const auto& [key, version] : trail.view) {
      if (!expected.contains(key)) return fmt::format("at rest, {} {} is known, but gone", kind, key);
    }
  }
  return "";
}

}  // namespace berth::sim
