// SPDX-License-Identifier: Apache-2.0
#include "cluster/assumed_volumes.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace berth::cluster {
namespace {

std::string StoreKey(std::string_view ns, std::string_view name) { return fmt::format("{}/{}", ns, name); }

}  // namespace

template <class T>
auto AssumedObjects<T>::Get(std::string_view ns, std::string_view name) const -> Ptr {
  const Ptr stored = store_.Get(ns, name);
  if (stored == nullptr || assumed_.empty()) return stored;
  return Overlay(StoreKey(ns, name), stored);
}

template <class T>
auto AssumedObjects<T>::GetStored(std::string_view ns, std::string_view name) const -> Result<Ptr> {
  Ptr stored = store_.Get(ns, name);
  if (stored != nullptr) return stored;
  return Fail(Code::kNotFound,
              fmt::format("{} \"{}\" not found", resource_, ns.empty() ? std::string(name) : StoreKey(ns, name)));
}

template <class T>
Result<void> AssumedObjects<T>::Assume(T object) {
  const Ptr stored = BERTH_TRY(GetStored(object.meta.ns, object.meta.name));
  if (stored->meta.resource_version != object.meta.resource_version) {
    return Fail(Code::kConflict,
                fmt::format("\"{}\" is out of sync (stored: {}, assume: {})", api::FullName(object.meta),
                            stored->meta.resource_version, object.meta.resource_version));
  }
  if (assumed_.size() >= drop_at_) DropOvertaken();
  std::string key = StoreKey(object.meta.ns, object.meta.name);
  assumed_.insert_or_assign(std::move(key), std::make_shared<const T>(std::move(object)));
  return {};
}

template <class T>
void AssumedObjects<T>::Restore(const T& object) {
  const auto it = assumed_.find(StoreKey(object.meta.ns, object.meta.name));
  if (it == assumed_.end() || it->second->meta.resource_version != object.meta.resource_version) return;
  assumed_.erase(it);
}

template <class T>
auto AssumedObjects<T>::Overlay(std::string_view key, const Ptr& stored) const -> const Ptr& {
  const auto it = assumed_.find(key);
  const bool holds = it != assumed_.end() && it->second->meta.resource_version == stored->meta.resource_version;
  return holds ? it->second : stored;
}

template <class T>
void AssumedObjects<T>::DropOvertaken() {
  std::erase_if(assumed_, [this](const auto& entry) {
    const T* stored = store_.Find(entry.second->meta.ns, entry.second->meta.name);
    return stored == nullptr || stored->meta.resource_version != entry.second->meta.resource_version;
  });
  drop_at_ = std::max<size_t>(64, 2 * assumed_.size());
}

template class AssumedObjects<api::PersistentVolume>;
template class AssumedObjects<api::PersistentVolumeClaim>;

}  // namespace berth::cluster
