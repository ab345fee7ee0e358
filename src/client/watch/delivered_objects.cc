// SPDX-License-Identifier: Apache-2.0

#include "client/watch/delivered_objects.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace berth::client {
namespace {

std::string KeyOf(std::string_view ns, std::string_view name) {
  std::string key;
  key.reserve(ns.size() + 1 + name.size());
  key += ns;
  key += '/';
  key += name;
  return key;
}

constexpr uint64_t kNoNumber = uint64_t{1} << 63;

// Resource versions are decimal numbers, though no client may rely on it: others become a hash that no number equals.
uint64_t VersionOf(std::string_view resource_version) {
  uint64_t number = 0;
  const char* end = resource_version.data() + resource_version.size();
  const auto [rest, error] = std::from_chars(resource_version.data(), end, number);
  if (error == std::errc() && rest == end && number < kNoNumber) return number;
  return std::hash<std::string_view>()(resource_version) | kNoNumber;
}

// Known to be so.
bool IsOlder(uint64_t version, uint64_t other) { return version < other && other < kNoNumber; }

}  // namespace

bool DeliveredObjects::Known::IsCovering(uint64_t other) const {
  return other == version || (read_ahead && IsOlder(other, version));
}

void DeliveredObjects::BeginList() {
  ++list_;
  listing_ = true;
  held_back_.clear();
}

void DeliveredObjects::EndList(std::string_view resource_version) {
  listing_ = false;
  listed_ = true;
  for (Delivery& delivery : std::exchange(held_back_, {})) Apply(std::move(delivery));
  RemoveVanished(resource_version);
}

bool DeliveredObjects::IsNew(std::string_view ns, std::string_view name, std::string_view resource_version) {
  const auto found = known_.find(KeyOf(ns, name));
  if (found == known_.end()) return true;
  found->second.list = list_;
  return resource_version.empty() || !found->second.IsCovering(VersionOf(resource_version));
}

void DeliveredObjects::Keep(std::string_view ns, std::string_view name) {
  if (const auto found = known_.find(KeyOf(ns, name)); found != known_.end()) found->second.list = list_;
}

void DeliveredObjects::Put(api::Object object) { Apply(Delivery(scheduler::PutObject{std::move(object)})); }

void DeliveredObjects::Remove(std::string_view ns, std::string_view name, std::string_view resource_version) {
  const auto known = known_.find(KeyOf(ns, name));
  // One of that name which was created since then has been read already.
  if (known != known_.end() && known->second.read_ahead && IsOlder(VersionOf(resource_version), known->second.version))
    return;
  Apply(Delivery(scheduler::RemoveObject{kind_, std::string(ns), std::string(name), false}));
}

void DeliveredObjects::Apply(Delivery delivery) {
  if (listing_ && listed_) {
    held_back_.push_back(std::move(delivery));
  } else {
    std::visit([this](auto& change) { Apply(std::move(change)); }, delivery);
  }
}

void DeliveredObjects::Apply(scheduler::PutObject put) {
  const api::ObjectMeta& meta = api::MetaOf(put.object);
  const Known now{VersionOf(meta.resource_version), list_};
  const auto [known, added] = known_.try_emplace(KeyOf(meta.ns, meta.name), now);
  known->second.list = list_;
  if (!added && !meta.resource_version.empty() && known->second.IsCovering(now.version)) return;
  known->second = now;
  ready_.emplace_back(std::move(put));
}

void DeliveredObjects::Apply(scheduler::RemoveObject removal) {
  const auto known = known_.find(KeyOf(removal.ns, removal.name));
  if (known == known_.end()) return;
  if (!known->second.is_gone) ready_.emplace_back(std::move(removal));
  known_.erase(known);
}

void DeliveredObjects::ReadAhead(scheduler::PutObject put, std::string_view delivered) {
  const api::ObjectMeta& meta = api::MetaOf(put.object);
  const uint64_t version = VersionOf(meta.resource_version);
  // The watch was faster: it has delivered this version, or what came after it.
  const auto is_superfluous = [&](uint64_t other) { return version == other || IsOlder(version, other); };
  if (is_superfluous(VersionOf(delivered))) return;
  const auto [known, added] = known_.try_emplace(KeyOf(meta.ns, meta.name));
  if (!added && is_superfluous(known->second.version)) return;
  // It did not come up in the list that may be under way.
  known->second.version = version;
  known->second.read_ahead = true;
  known->second.is_gone = false;
  ready_.emplace_back(std::move(put));
}

void DeliveredObjects::ReadAhead(scheduler::RemoveObject removal, std::string_view gone) {
  const auto known = known_.find(KeyOf(removal.ns, removal.name));
  // What came after that version, the watch knows better.
  if (known == known_.end() || IsOlder(VersionOf(gone), known->second.version)) return;
  // It is remembered, so that older versions do not bring it back.
  known->second.version = VersionOf(gone);
  known->second.read_ahead = true;
  if (!std::exchange(known->second.is_gone, true)) ready_.emplace_back(std::move(removal));
}

std::vector<std::string> DeliveredObjects::Names() const {
  std::vector<std::string> names;
  for (const auto& [key, known] : known_) {
    if (!known.is_gone) names.push_back(key.substr(key.find('/') + 1));
  }
  std::ranges::sort(names);
  return names;
}

void DeliveredObjects::RemoveVanished(std::string_view resource_version) {
  const uint64_t listed = VersionOf(resource_version);
  std::vector<std::string> vanished;
  for (const auto& [key, known] : known_) {
    const bool is_newer = known.read_ahead && IsOlder(listed, known.version);
    if (known.list != list_ && !is_newer) vanished.push_back(key);
  }
  // In an order that does not depend on the hash.
  std::ranges::sort(vanished);
  for (const std::string& key : vanished) {
    const auto known = known_.find(key);
    const bool was_told = known->second.is_gone;
    known_.erase(known);
    if (was_told) continue;
    const size_t slash = key.find('/');
    ready_.emplace_back(scheduler::RemoveObject{kind_, key.substr(0, slash), key.substr(slash + 1), true});
  }
}

}  // namespace berth::client
