// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/cleanup/garbage_collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "server/model/metadata.h"

namespace berth::server {
namespace {

// How often an owner looks whether its dependents have gone.
constexpr Duration kWait = Milliseconds(100);

// How an object goes that nobody owns any more: as its finalizers say.
DeleteOptions::Propagation OwnPropagation(const Json& metadata) {
  const bool says_how = HasFinalizer(metadata, kOrphanFinalizer) || HasFinalizer(metadata, kForegroundFinalizer);
  return says_how ? DeleteOptions::Propagation::kDefault : DeleteOptions::Propagation::kBackground;
}

std::string KeyOf(const StoredObject& object) { return fmt::format("{}:{}", object.resource().index, object.key()); }

}  // namespace

void GarbageCollector::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  const bool is_known = change.type == Change::Type::kModified && change.before->owners() == object.owners();
  if (is_known && !object.is_being_deleted()) return;
  const std::string key = KeyOf(object);
  if (change.type == Change::Type::kDeleted) {
    Forget(key);
    if (const auto found = dependents_.find(object.uid()); found != dependents_.end()) {
      if (!is_whole_) gone_.insert(object.uid());
      for (const std::string& dependent : found->second) enqueue(dependent, Duration{});
    }
    return;
  }
  if (object.owners().is_null()) {
    Forget(key);
  } else if (Learn(key, object) && (is_whole_ || HasLostOwner(key))) {
    enqueue(key, Duration{});
  }
  if (object.is_being_deleted()) enqueue(key, Duration{});
}

bool GarbageCollector::Learn(const std::string& key, const StoredObject& object) {
  std::vector<std::string> uids;
  for (const Json& owner : object.owners().items()) uids.push_back(owner["uid"].text());
  if (const auto known = owners_.find(key); known != owners_.end() && known->second == uids) return false;
  Forget(key);
  for (const std::string& uid : uids) dependents_[uid].insert(key);
  owners_[key] = std::move(uids);
  return true;
}

bool GarbageCollector::HasLostOwner(const std::string& key) const {
  return std::ranges::any_of(owners_.at(key), [&](const std::string& uid) { return gone_.contains(uid); });
}

void GarbageCollector::Forget(const std::string& key) {
  const auto known = owners_.find(key);
  if (known == owners_.end()) return;
  for (const std::string& uid : known->second) {
    const auto found = dependents_.find(uid);
    if (found == dependents_.end()) continue;
    found->second.erase(key);
    if (found->second.empty()) dependents_.erase(found);
  }
  owners_.erase(known);
}

GarbageCollector::Found GarbageCollector::Find(const std::string& key) const {
  size_t index = 0;
  const auto [colon, error] = std::from_chars(key.data(), key.data() + key.size(), index);
  const auto all = cluster_.objects.catalog().all();
  if (error != std::errc() || index >= all.size()) return {};
  const Resource& resource = *all[index];
  const Store::Objects& objects = cluster_.store().All(resource);
  const auto at = objects.find(std::string_view(colon + 1, key.data() + key.size()));
  return {.resource = &resource, .object = at == objects.end() ? nullptr : at->second};
}

GarbageCollector::Owner GarbageCollector::StateOf(const Json& owner, const StoredObject& dependent) const {
  const Resource* resource = cluster_.objects.catalog().FindKind(owner["apiVersion"].text(), owner["kind"].text());
  // Of a kind that is not served, or in no namespace that could be known: nobody can say that it is gone.
  if (resource == nullptr || (resource->namespaced && dependent.ns().empty())) return Owner::kSolid;
  const ObjectPtr found =
      cluster_.store().Find(*resource->stored, resource->namespaced ? dependent.ns() : "", owner["name"].text());
  if (found == nullptr || found->uid() != owner["uid"].text()) {
    return is_whole_ || gone_.contains(owner["uid"].text()) ? Owner::kGone : Owner::kSolid;
  }
  const bool waits = found->is_being_deleted() && HasFinalizer((*found->tree())["metadata"], kForegroundFinalizer);
  return waits ? Owner::kWaiting : Owner::kSolid;
}

std::optional<Duration> GarbageCollector::Sync(const std::string& key) {
  const Found found = Find(key);
  if (found.object == nullptr) return std::nullopt;
  const TreePtr kept = found.object->tree();
  const Json& tree = *kept;
  if (tree["metadata"].Has("deletionTimestamp")) return Finish(*found.object, tree);
  const Json::List& owners = tree["metadata"]["ownerReferences"].items();
  std::vector<std::string> lost;  // Owners that do not hold it any more.
  bool is_awaited = false;
  for (const Json& owner : owners) {
    const Owner state = StateOf(owner, *found.object);
    if (state != Owner::kSolid) lost.push_back(owner["uid"].text());
    is_awaited = is_awaited || state == Owner::kWaiting;
  }
  if (lost.empty()) return std::nullopt;
  if (lost.size() < owners.size()) return Orphan(key, lost) ? std::nullopt : std::optional(kRetry);
  const bool is_first = is_awaited && dependents_.contains(found.object->uid());
  if (is_first && MayBeInACircle(*found.object) && !Unblock(found)) return kRetry;
  const auto propagation = is_first ? DeleteOptions::Propagation::kForeground : OwnPropagation(tree["metadata"]);
  const auto deleted = cluster_.objects.Delete(*found.resource, found.object->ns(), found.object->name(),
                                               {.uid = found.object->uid(), .propagation = propagation});
  return Succeeded(*this, deleted) ? std::nullopt : std::optional(kRetry);
}

// An object that waits for its dependents: until they are free of it, or gone.
std::optional<Duration> GarbageCollector::Finish(const StoredObject& owner, const Json& tree) {
  const bool orphans = HasFinalizer(tree["metadata"], kOrphanFinalizer);
  if (!orphans && !HasFinalizer(tree["metadata"], kForegroundFinalizer)) return std::nullopt;
  const auto known = dependents_.find(owner.uid());
  const std::set<std::string> dependents = known == dependents_.end() ? std::set<std::string>() : known->second;
  size_t done = 0;
  bool is_held = false;
  for (const std::string& key : dependents) {
    const Found dependent = Find(key);
    if (dependent.object == nullptr) continue;
    if (done == kBatch) return Duration{};
    if (orphans) {
      if (!Orphan(key, {owner.uid()})) return kRetry;
      ++done;
    } else if (!dependent.object->is_being_deleted()) {
      if (Sync(key)) return kRetry;
      ++done;
    }
    is_held = is_held || (!orphans && Blocks(key, owner.uid()));
  }
  if (is_held) return kWait;
  const std::string_view finalizer = orphans ? kOrphanFinalizer : kForegroundFinalizer;
  const auto written = cluster_.objects.Update(owner.resource(), owner.ns(), owner.name(), {},
                                               [&](const Json& current) -> Outcome<Json> {
                                                 Json changed = current;
                                                 RemoveFinalizer(changed.Make("metadata"), finalizer);
                                                 return changed;
                                               });
  return Succeeded(*this, written) ? std::nullopt : std::optional(kRetry);
}

// Whether the dependent is still there and says that its owner must wait for it.
bool GarbageCollector::Blocks(const std::string& dependent, const std::string& owner_uid) const {
  const Found found = Find(dependent);
  if (found.object == nullptr) return false;
  const Json tree = found.object->Tree();
  return std::ranges::any_of(tree["metadata"]["ownerReferences"].items(), [&](const Json& owner) {
    return owner["uid"].text() == owner_uid && owner["blockOwnerDeletion"].AsBool();
  });
}

// Whether one of its dependents waits for its own to go: the object may be among these.
bool GarbageCollector::MayBeInACircle(const StoredObject& object) const {
  const auto known = dependents_.find(object.uid());
  return known != dependents_.end() && std::ranges::any_of(known->second, [&](const std::string& key) {
           const ObjectPtr dependent = Find(key).object;
           return dependent != nullptr && dependent->is_being_deleted() &&
                  HasFinalizer((*dependent->tree())["metadata"], kForegroundFinalizer);
         });
}

// Its owners need not wait for it any more.
bool GarbageCollector::Unblock(const Found& found) {
  const auto written = cluster_.objects.Update(*found.resource, found.object->ns(), found.object->name(), {},
                                               [](const Json& current) -> Outcome<Json> {
                                                 Json changed = current;
                                                 Json& owners = changed.Make({"metadata", "ownerReferences"});
                                                 for (Json& owner : owners.mutable_items()) {
                                                   owner.Set("blockOwnerDeletion", Json::Bool(false));
                                                 }
                                                 return changed;
                                               });
  return Succeeded(*this, written);
}

// Takes these owners out of the dependent's.
bool GarbageCollector::Orphan(const std::string& dependent, const std::vector<std::string>& owner_uids) {
  const Found found = Find(dependent);
  const auto written = cluster_.objects.Update(*found.resource, found.object->ns(), found.object->name(), {},
                                               [&](const Json& current) -> Outcome<Json> {
                                                 Json changed = current;
                                                 RemoveOwners(changed.Make("metadata"), owner_uids);
                                                 return changed;
                                               });
  return Succeeded(*this, written);
}

}  // namespace berth::server
