// SPDX-License-Identifier: Apache-2.0
// ObjectStore: the API objects of one kind, by namespace and name, in order of name.
//
// A copy shares what neither changes (see ChunkedMap), and has no listener.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "api/objects/object.h"
#include "cluster/tables/chunked_map.h"

namespace berth::cluster {

template <class T>
class ObjectStore {
 public:
  using Ptr = std::shared_ptr<const T>;
  using Map = ChunkedMap<std::string, Ptr>;
  // What was there and what is there now; either may be null.
  using Listener = std::function<void(const Ptr& before, const Ptr& after)>;

  ObjectStore() = default;
  ObjectStore(const ObjectStore& other) : objects_(other.objects_), version_(other.version_) {}
  ObjectStore& operator=(const ObjectStore&) = delete;

  // Hears of every change from now on.
  void set_listener(Listener listener) { listener_ = std::move(listener); }

  // REQUIRES: namespaced kinds pass both, cluster-scoped kinds an empty namespace.
  const T* Find(std::string_view ns, std::string_view name) const {
    const Ptr* found = objects_.Find(Key(ns, name));
    return found == nullptr ? nullptr : found->get();
  }
  Ptr Get(std::string_view ns, std::string_view name) const {
    const Ptr* found = objects_.Find(Key(ns, name));
    return found == nullptr ? nullptr : *found;
  }
  // Adds or replaces; returns what was there.
  Ptr Put(T object) {
    std::string key = Key(object.meta.ns, object.meta.name);
    const Ptr made = std::make_shared<const T>(std::move(object));
    Ptr old = std::exchange(objects_[std::move(key)], made);
    ++version_;
    if (listener_) listener_(old, made);
    return old;
  }
  Ptr Erase(std::string_view ns, std::string_view name) {
    Ptr old = Get(ns, name);
    if (old == nullptr) return nullptr;
    objects_.Erase(Key(ns, name));
    ++version_;
    if (listener_) listener_(old, nullptr);
    return old;
  }

  const Map& all() const { return objects_; }
  bool empty() const { return objects_.empty(); }
  // Changes with every Put and Erase.
  uint64_t version() const { return version_; }

  // Calls `visit(const T&)` for every object of the namespace.
  template <class Visit>
  void ForNamespace(std::string_view ns, Visit visit) const {
    const std::string prefix = std::string(ns) + "/";
    for (auto it = objects_.lower_bound(prefix); it != objects_.end() && it->first.starts_with(prefix); ++it)
      visit(*it->second);
  }

 private:
  static std::string Key(std::string_view ns, std::string_view name) {
    std::string key(ns);
    key += '/';
    key += name;
    return key;
  }

  Map objects_;
  uint64_t version_ = 0;
  Listener listener_;
};

// Everything that plugins look up by name: a store for each kind of api/objects/kinds.h, called as its row says.
struct Objects {
#define BERTH_STORE(type, store, ...) ObjectStore<api::type> store;
  BERTH_STORED_KINDS(BERTH_STORE)
#undef BERTH_STORE

  // Calls `visit(kind, store)` for every store.
  template <class Visit>
  void ForEachStore(Visit visit) {
    VisitStores(*this, visit);
  }
  template <class Visit>
  void ForEachStore(Visit visit) const {
    VisitStores(*this, visit);
  }

  template <class T>
  void Put(T object) {
    ForEachStore([&](std::string_view, auto& store) {
      if constexpr (std::is_same_v<decltype(store), ObjectStore<T>&>) store.Put(std::move(object));
    });
  }
  void Erase(std::string_view kind, std::string_view ns, std::string_view name) {
    ForEachStore([&](std::string_view store_kind, auto& store) {
      if (store_kind == kind) store.Erase(ns, name);
    });
  }

 private:
  static void VisitStores(auto& objects, auto& visit) {
#define BERTH_VISIT(type, store, ...) visit(api::RowOf<api::type>().kind, objects.store);
    BERTH_STORED_KINDS(BERTH_VISIT)
#undef BERTH_VISIT
  }
};

}  // namespace berth::cluster
