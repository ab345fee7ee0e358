// SPDX-License-Identifier: Apache-2.0
// GarbageCollector: deletes objects whose owners are gone, or lets them go their own way if that was asked for.
//
// In a cluster that is not whole, a part of a dump say, an owner that was never seen is taken to be elsewhere.
//
// Thread: that of the store.

#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "server/controllers/controller.h"

namespace berth::server {

class GarbageCollector : public Controller {
 public:
  explicit GarbageCollector(const Cluster& cluster, bool is_whole = true) : cluster_(cluster), is_whole_(is_whole) {}

  std::string_view name() const override { return "garbage-collector"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  // By the index of the resource and the object's key: `7:default/web`.
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  // Whether an owner keeps its dependents, is gone, or waits for them to go first.
  enum class Owner : uint8_t { kSolid, kGone, kWaiting };
  struct Found {
    const Resource* resource = nullptr;
    ObjectPtr object;  // Null: it is gone.
  };

  Found Find(const std::string& key) const;
  Owner StateOf(const Json& owner, const StoredObject& dependent) const;
  // Whether the owners are new.
  bool Learn(const std::string& key, const StoredObject& object);
  // Whether one of its owners was deleted.
  bool HasLostOwner(const std::string& key) const;
  void Forget(const std::string& key);
  std::optional<Duration> Finish(const StoredObject& owner, const Json& tree);
  bool Blocks(const std::string& dependent, const std::string& owner_uid) const;
  bool MayBeInACircle(const StoredObject& object) const;
  bool Unblock(const Found& found);
  bool Orphan(const std::string& dependent, const std::vector<std::string>& owner_uids);

  const Cluster& cluster_;
  const bool is_whole_;
  std::set<std::string, std::less<>> gone_;                               // Uids of owners that were deleted.
  std::map<std::string, std::vector<std::string>> owners_;                // Uids, by the key of what they own.
  std::map<std::string, std::set<std::string>, std::less<>> dependents_;  // Keys, by the uid of their owner.
};

}  // namespace berth::server
