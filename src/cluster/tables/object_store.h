// SPDX-License-Identifier: Apache-2.0
// ObjectStore: the API objects of one kind, by namespace and name, in order of name.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "api/objects/object.h"

namespace berth::cluster {

template <class T>
class ObjectStore {
 public:
  using Ptr = std::shared_ptr<const T>;
  using Map = std::map<std::string, Ptr, std::less<>>;
  // What was there and what is there now; either may be null.
  using Listener = std::function<void(const Ptr& before, const Ptr& after)>;

  // Hears of every change from now on.
  void set_listener(Listener listener) { listener_ = std::move(listener); }

  // REQUIRES: namespaced kinds pass both, cluster-scoped kinds an empty namespace.
  const T* Find(std::string_view ns, std::string_view name) const {
    const auto it = objects_.find(Key(ns, name));
    return it == objects_.end() ? nullptr : it->second.get();
  }
  Ptr Get(std::string_view ns, std::string_view name) const {
    const auto it = objects_.find(Key(ns, name));
    return it == objects_.end() ? nullptr : it->second;
  }
  // Adds or replaces; returns what was there.
  Ptr Put(T object) {
    std::string key = Key(object.meta.ns, object.meta.name);
    Ptr& entry = objects_[std::move(key)];
    Ptr old = std::move(entry);
    entry = std::make_shared<const T>(std::move(object));
    ++version_;
    if (listener_) listener_(old, entry);
    return old;
  }
  Ptr Erase(std::string_view ns, std::string_view name) {
    const auto it = objects_.find(Key(ns, name));
    if (it == objects_.end()) return nullptr;
    Ptr old = std::move(it->second);
    objects_.erase(it);
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
