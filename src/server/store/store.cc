// SPDX-License-Identifier: Apache-2.0
#include "server/store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/assert.h"

namespace berth::server {
namespace {

ObjectPtr Versioned(const Resource& resource, Json object, Revision revision, const StoredObject* before) {
  object.Make({"metadata", "resourceVersion"}) = Json::String(fmt::to_string(revision));
  return std::make_shared<const StoredObject>(resource, std::move(object), revision, before);
}

std::string KeyOf(const Json& object) {
  const Json& metadata = object["metadata"];
  return ObjectKey(metadata["namespace"].text(), metadata["name"].text());
}

}  // namespace

Snapshot::Snapshot(const Objects& now, Objects differences)
    : now_(now), differences_(std::move(differences)), size_(now.size()) {
  for (const auto& [key, object] : differences_) size_ = size_ + (object ? 1 : 0) - (now.contains(key) ? 1 : 0);
}

ObjectPtr Snapshot::Find(std::string_view key) const {
  if (const auto past = differences_.find(key); past != differences_.end()) return past->second;
  const auto now = now_.find(key);
  return now == now_.end() ? nullptr : now->second;
}

Store::Store(const Catalog& catalog, Options options) : options_(options), tables_(catalog.all().size()) {}

void Store::Import(ObjectPtr object) {
  BERTH_ASSERT(history_.empty());
  object->Settle();
  ImportRevision(object->revision());
  Table& table = tables_[object->resource().index];
  const auto [at, is_new] = table.objects.insert_or_assign(object->key(), object);
  if (is_new) table.by_key.emplace(at->first, at);
}

void Store::ImportRevision(Revision revision) {
  BERTH_ASSERT(history_.empty());
  revision_ = std::max(revision_, revision);
  oldest_ = revision_;
  for (Table& table : tables_) table.complete_after = revision_;
}

void Store::Replace(const Resource& resource, const std::function<ObjectPtr(const StoredObject& object)>& make) {
  for (auto& [key, object] : tables_[resource.index].objects) object = make(*object);
}

ObjectPtr Store::Find(const Resource& resource, std::string_view ns, std::string_view name) const {
  const Table& table = tables_[resource.index];
  const auto found = table.by_key.find(ObjectKey(ns, name));
  return found == table.by_key.end() ? nullptr : found->second->second;
}

size_t Store::total_count() const {
  size_t count = 0;
  for (const Table& table : tables_) count += table.objects.size();
  return count;
}

ObjectPtr Store::Put(const Resource& resource, Json object) {
  Table& table = tables_[resource.index];
  const auto found = table.by_key.find(KeyOf(object));
  if (found == table.by_key.end()) {
    ObjectPtr stored = Versioned(resource, std::move(object), ++revision_, nullptr);
    const auto at = table.objects.emplace(stored->key(), stored).first;
    table.by_key.emplace(at->first, at);
    return Commit(std::make_shared<const Change>(Change::Type::kAdded, std::move(stored), nullptr));
  }
  ObjectPtr& present = found->second->second;
  ObjectPtr stored = Versioned(resource, std::move(object), ++revision_, present.get());
  ObjectPtr before = std::exchange(present, stored);
  before->Supersede();
  return Commit(std::make_shared<const Change>(Change::Type::kModified, std::move(stored), std::move(before)));
}

ObjectPtr Store::Remove(const Resource& resource, Json last) {
  Table& table = tables_[resource.index];
  const auto found = table.by_key.find(KeyOf(last));
  BERTH_ASSERT(found != table.by_key.end());
  const Objects::iterator at = found->second;
  ObjectPtr before = std::move(at->second);
  ObjectPtr stored = Versioned(resource, std::move(last), ++revision_, before.get());
  table.by_key.erase(found);
  table.objects.erase(at);
  before->Supersede();
  stored->Supersede();
  return Commit(std::make_shared<const Change>(Change::Type::kDeleted, std::move(stored), std::move(before)));
}

ObjectPtr Store::Commit(ChangePtr change) {
  ObjectPtr object = change->object;
  if (log_ != nullptr) log_->Append(*change);
  KeepFresh(*change);
  Remember(change);
  Tell(std::move(change));
  return object;
}

void Store::Remember(ChangePtr change) {
  history_bytes_ += change->memory_bytes();
  new_bytes_ += change->object->text_bytes();
  ++new_count_;
  tables_[change->object->resource().index].history.push_back(change);
  history_.push_back(std::move(change));
  SettleOld();
  while (history_bytes_ > options_.history_bytes_max) ForgetOldest();
}

// The newest stays new, however large it is.
void Store::SettleOld() {
  for (; new_bytes_ > options_.new_bytes_max && new_count_ > 1; --new_count_) {
    const Change& change = *history_[history_.size() - new_count_];
    new_bytes_ -= change.object->text_bytes();
    change.Settle();
  }
}

// Hardly anybody asks for the tree of what has a later version.
void Store::KeepFresh(const Change& change) {
  if (const auto before = change.before ? fresh_.find(change.before->revision()) : fresh_.end();
      before != fresh_.end()) {
    fresh_bytes_ -= before->second->text_bytes();
    fresh_.erase(before);
  }
  if (change.type == Change::Type::kDeleted) return;
  fresh_bytes_ += change.object->text_bytes();
  fresh_.emplace_hint(fresh_.end(), change.revision, change.object);
  while (fresh_bytes_ > options_.fresh_bytes_max && fresh_.size() > 1) {
    const auto oldest = fresh_.begin();
    fresh_bytes_ -= oldest->second->text_bytes();
    oldest->second->Rest();
    fresh_.erase(oldest);
  }
}

void Store::ForgetOldest() {
  const ChangePtr change = std::move(history_.front());
  history_.pop_front();
  history_bytes_ -= change->memory_bytes();
  if (new_count_ > history_.size()) {
    new_count_ = history_.size();
    new_bytes_ -= change->object->text_bytes();
  }
  change->Settle();
  Table& table = tables_[change->object->resource().index];
  table.history.pop_front();
  table.complete_after = change->revision;
  oldest_ = change->revision;
}

void Store::Forget(Revision revision) {
  while (!history_.empty() && history_.front()->revision <= revision) ForgetOldest();
}

void Store::Tell(ChangePtr change) {
  untold_.push_back(std::move(change));
  if (is_telling_) return;
  is_telling_ = true;
  while (!untold_.empty()) {
    const ChangePtr next = std::move(untold_.front());
    untold_.pop_front();
    for (size_t i = 0; i < listeners_.size(); ++i) listeners_[i](next);  // One may be added meanwhile.
    if (next->before) next->before->Rest();
  }
  is_telling_ = false;
}

std::deque<ChangePtr>::const_iterator Store::FirstAfter(const Table& table, Revision revision) {
  return std::ranges::upper_bound(table.history, revision, {},
                                  [](const ChangePtr& change) { return change->revision; });
}

std::optional<std::vector<ChangePtr>> Store::ChangesAfter(const Resource& resource, Revision revision,
                                                          size_t limit) const {
  const Table& table = tables_[resource.index];
  if (revision < table.complete_after) return std::nullopt;
  const auto first = FirstAfter(table, revision);
  const auto count = static_cast<ptrdiff_t>(std::min(limit, static_cast<size_t>(table.history.end() - first)));
  return std::vector<ChangePtr>(first, first + count);
}

std::optional<Snapshot> Store::StateAt(const Resource& resource, Revision revision) const {
  const Table& table = tables_[resource.index];
  if (revision < table.complete_after) return std::nullopt;
  Objects differences;
  // Of the changes of one object, the first after the revision knows how it was then.
  for (auto at = FirstAfter(table, revision); at != table.history.end(); ++at) {
    differences.try_emplace((*at)->object->key(), (*at)->before);
  }
  return Snapshot(table.objects, std::move(differences));
}

}  // namespace berth::server
