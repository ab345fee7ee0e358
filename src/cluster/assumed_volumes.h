// SPDX-License-Identifier: Apache-2.0
// AssumedVolumes: volumes and claims as they will be once the API server has heard of the scheduler's decisions.
//
// A decision that binds a volume to a claim, or has one provisioned, is assumed here until it comes back through the
// API, so that later decisions build on it. An assumed object stands in for the stored object with the same resource
// version; as soon as the store holds another version, or none, the store counts again. Nobody has to tell this class
// about updates: it compares when it is asked.
//
// Thread: core. Cost: as that of the object store; assumptions that were overtaken are dropped in bulk.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "api/objects/storage.h"
#include "base/result.h"
#include "cluster/tables/object_store.h"

namespace berth::cluster {

// The assumed objects of one kind, over a store.
template <class T>
class AssumedObjects {
 public:
  using Ptr = std::shared_ptr<const T>;

  // `resource` is the plural name of the kind, for errors. REQUIRES: `store` outlives this.
  AssumedObjects(const ObjectStore<T>& store, std::string_view resource) : store_(store), resource_(resource) {}
  // The assumptions of `other`, over a copy of its store.
  AssumedObjects(const ObjectStore<T>& store, const AssumedObjects& other)
      : store_(store), resource_(other.resource_), assumed_(other.assumed_), drop_at_(other.drop_at_) {}
  AssumedObjects(const AssumedObjects&) = delete;
  AssumedObjects& operator=(const AssumedObjects&) = delete;

  // The object as assumed, or else as stored; nullptr if it is not stored.
  Ptr Get(std::string_view ns, std::string_view name) const;
  // As stored, or upstream's error text.
  Result<Ptr> GetStored(std::string_view ns, std::string_view name) const;

  // Calls `visit(const Ptr&)` for every stored object in order of name, with the assumed one in its place.
  template <class Visit>
  void ForEach(Visit visit) const {
    for (const auto& [key, stored] : store_.all()) visit(Overlay(key, stored));
  }

  // Fails with upstream's text if the stored version is not the one that `object` was made from.
  Result<void> Assume(T object);
  // Takes an assumption about this version of the object back; another version is left alone.
  void Restore(const T& object);

  // Assumptions that are held, overtaken ones perhaps included.
  size_t size() const { return assumed_.size(); }

 private:
  const Ptr& Overlay(std::string_view key, const Ptr& stored) const;
  void DropOvertaken();

  const ObjectStore<T>& store_;
  std::string_view resource_;
  std::map<std::string, Ptr, std::less<>> assumed_;  // By "namespace/name", as in the store.
  size_t drop_at_ = 64;                              // Size at which overtaken assumptions are looked for.
};

struct AssumedVolumes {
  explicit AssumedVolumes(const Objects& objects)
      : volumes(objects.persistent_volumes, "persistentvolumes"),
        claims(objects.persistent_volume_claims, "persistentvolumeclaims") {}
  AssumedVolumes(const Objects& objects, const AssumedVolumes& other)
      : volumes(objects.persistent_volumes, other.volumes), claims(objects.persistent_volume_claims, other.claims) {}

  AssumedObjects<api::PersistentVolume> volumes;
  AssumedObjects<api::PersistentVolumeClaim> claims;
};

}  // namespace berth::cluster
