// SPDX-License-Identifier: Apache-2.0
// Store: every object, and the recent history of each resource.
//
// Every write gets the next revision and becomes one Change, which listeners hear of at once and watchers find in the
// history. The history is bounded by bytes; what is older can neither be watched nor listed.
//
// Thread: one.

#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "server/store/change.h"
#include "server/store/change_log.h"
#include "server/store/stored_object.h"

namespace berth::server {

// The objects of a resource at some revision. REQUIRES: nothing was written since it was made.
class Snapshot {
 public:
  using Objects = std::map<std::string, ObjectPtr, std::less<>>;  // By key.

  // `now`, but for the keys in `differences`, whose objects are there; null: there was none.
  Snapshot(const Objects& now, Objects differences);

  size_t size() const { return size_; }
  // Null if there is none.
  ObjectPtr Find(std::string_view key) const;
  // Calls `visit` for all objects from key `first` on, in the order of keys, until it returns false.
  template <class Visit>
  void VisitFrom(std::string_view first, Visit visit) const;

 private:
  const Objects& now_;
  Objects differences_;
  size_t size_;
};

class Store {
 public:
  using Objects = Snapshot::Objects;
  using Listener = std::function<void(const ChangePtr&)>;
  struct Options {
    size_t history_bytes_max = size_t{256} << 20;  // Of all resources together.
    // Of objects whose changes are new, so that their frames are kept for the watchers that have not asked yet.
    size_t new_bytes_max = size_t{4} << 20;
    // Of the texts of objects that are fresh, so that their trees are kept: of
    // those that were written last, the present versions. A tree takes about
    // three times as much, and should still be in the processor's cache when it
    // goes.
    size_t fresh_bytes_max = size_t{64} << 10;
  };

  explicit Store(const Catalog& catalog) : Store(catalog, Options()) {}
  Store(const Catalog& catalog, Options options);
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Makes room for resources that the catalog has got since.
  void Extend(const Catalog& catalog) { tables_.resize(std::max(tables_.size(), catalog.all().size())); }

  // Puts what `make` makes of each object of the resource in its place, in the same revision. Nobody hears of it.
  void Replace(const Resource& resource, const std::function<ObjectPtr(const StoredObject& object)>& make);

  // Restoring: takes an object as it was kept, in its own revision. Nobody hears of it, and it is not in the history.
  // REQUIRES, of both: nothing was written yet.
  void Import(ObjectPtr object);
  // The last revision that was given, which may have been a removal.
  void ImportRevision(Revision revision);
  // Gets every change from now on. It must outlive the store, or be replaced by null.
  void SetLog(ChangeLog* log) { log_ = log; }

  // The last one given.
  Revision revision() const { return revision_; }

  // REQUIRES, here and below: the resource is a stored one.
  ObjectPtr Find(const Resource& resource, std::string_view ns, std::string_view name) const;
  const Objects& All(const Resource& resource) const { return tables_[resource.index].objects; }
  size_t Count(const Resource& resource) const { return All(resource).size(); }
  size_t total_count() const;

  // Creates or replaces the object of this name; its resourceVersion is set here.
  ObjectPtr Put(const Resource& resource, Json object);
  // Removes the object of this name, whose last state is `last`; its resourceVersion becomes that of the removal.
  // REQUIRES: there is one.
  ObjectPtr Remove(const Resource& resource, Json last);

  // Called after every change, in the order in which they were added. A listener may write: that change is told after
  // the present one has been told to all.
  void Listen(Listener listener) { listeners_.push_back(std::move(listener)); }

  // The first changes after `revision`, oldest first, at most `limit` of them. Nothing: some of them are forgotten.
  std::optional<std::vector<ChangePtr>> ChangesAfter(const Resource& resource, Revision revision,
                                                     size_t limit = std::numeric_limits<size_t>::max()) const;
  // The objects as they were at `revision`, or later if that is yet to come. Nothing: it is forgotten.
  // Cost: that of the changes since.
  std::optional<Snapshot> StateAt(const Resource& resource, Revision revision) const;
  // The oldest revision from which all resources can still be watched.
  Revision oldest() const { return oldest_; }
  // Forgets the changes up to `revision`, even if there is room for them.
  void Forget(Revision revision);
  size_t history_bytes() const { return history_bytes_; }

 private:
  struct Table {
    Objects objects;
    boost::unordered_flat_map<std::string_view, Objects::iterator> by_key;  // All of them; the keys are those there.
    std::deque<ChangePtr> history;                                          // Oldest first.
    Revision complete_after = 0;  // All changes after this revision are in `history`.
  };

  static std::deque<ChangePtr>::const_iterator FirstAfter(const Table& table, Revision revision);
  ObjectPtr Commit(ChangePtr change);
  void Remember(ChangePtr change);
  void ForgetOldest();
  void SettleOld();
  void KeepFresh(const Change& change);
  void Tell(ChangePtr change);

  Options options_;
  Revision revision_ = 0;
  std::deque<Table> tables_;  // By the index of the resource; they stay in place.
  ChangeLog* log_ = nullptr;

  std::deque<ChangePtr> history_;  // Of all resources, oldest first.
  size_t history_bytes_ = 0;
  Revision oldest_ = 0;
  size_t new_count_ = 0;  // The last ones in the history, whose frames are kept.
  size_t new_bytes_ = 0;
  std::map<Revision, ObjectPtr> fresh_;  // Present versions only.
  size_t fresh_bytes_ = 0;

  std::deque<Listener> listeners_;  // Stay in place when one is added.
  std::deque<ChangePtr> untold_;
  bool is_telling_ = false;
};

template <class Visit>
void Snapshot::VisitFrom(std::string_view first, Visit visit) const {
  auto now = now_.lower_bound(first);
  auto past = differences_.lower_bound(first);
  while (now != now_.end() || past != differences_.end()) {
    const bool is_past = past != differences_.end() && (now == now_.end() || past->first <= now->first);
    const ObjectPtr& object = is_past ? past->second : now->second;
    if (object && !visit(object)) return;
    if (!is_past || (now != now_.end() && past->first == now->first)) ++now;
    if (is_past) ++past;
  }
}

}  // namespace berth::server
