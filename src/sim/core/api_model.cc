// SPDX-License-Identifier: Apache-2.0
// Objects and watches. Effects are in api_effects.cc.

#include "sim/core/api_model.h"

#include <optional>
#include <utility>

namespace berth::sim {

std::string ApiModel::Key(std::string_view kind, std::string_view ns, std::string_view name) {
  std::string key(kind);
  key.append("/").append(ns).append("/").append(name);
  return key;
}

std::string ApiModel::KeyOf(const api::Object& object) {
  const api::ObjectMeta& meta = api::MetaOf(object);
  return Key(api::KindOf(object), meta.ns, meta.name);
}

void ApiModel::Write(api::Object object) {
  const std::string key = KeyOf(object);
  std::visit(
      [&](auto& value) {
        value.meta.resource_version = std::to_string(++version_);
        if (value.meta.uid.empty()) value.meta.uid = "uid-" + value.meta.resource_version;
        if (!value.meta.creation_timestamp) value.meta.creation_timestamp = agenda_.now();
      },
      object);
  objects_.insert_or_assign(key, object);
  Announce(key, object);
  if (on_write_) on_write_(object);
}

void ApiModel::Remove(std::string_view key) {
  const auto found = objects_.find(key);
  if (found == objects_.end()) return;
  const auto removed = objects_.extract(found);
  Announce(removed.key(), std::nullopt);
  if (on_removal_) on_removal_(removed.mapped());
}

void ApiModel::DeletePod(std::string_view ns, std::string_view name, bool graceful) {
  if (!graceful) return Remove(Key("Pod", ns, name));
  Update<api::Pod>(ns, name, [&](api::Pod& pod) {
    if (!pod.meta.deletion_timestamp) pod.meta.deletion_timestamp = agenda_.now();
  });
}

void ApiModel::Announce(const std::string& key, std::optional<api::Object> state) {
  const std::string kind = key.substr(0, key.find('/'));
  Stream& stream = streams_[kind];
  stream.keys.push_back(key);
  stream.states.push_back(std::move(state));
  stream.last_arrival = std::max(stream.last_arrival, agenda_.now() + dice_.UpTo(faults_.delay_max));
  agenda_.At(stream.last_arrival, [this, kind] { DeliverNext(kind); });
  if (stream.broken || !dice_.Percent(faults_.gap)) return;
  stream.broken = true;
  agenda_.After(dice_.UpTo(Seconds(10)), [this, kind] { ListAnew(kind); });
}

void ApiModel::DeliverNext(const std::string& kind) {
  Stream& stream = streams_[kind];
  if (stream.broken || stream.keys.empty()) return;
  const std::string key = std::move(stream.keys.front());
  std::optional<api::Object> state = std::move(stream.states.front());
  stream.keys.pop_front();
  stream.states.pop_front();
  DeliverState(key, std::move(state), false);
}

void ApiModel::ListAnew(const std::string& kind) {
  Stream& stream = streams_[kind];
  stream.broken = false;
  stream.keys.clear();
  stream.states.clear();
  const std::string prefix = kind + "/";
  std::set<std::string> keys;
  for (const Objects* objects : {&objects_, &seen_}) {
    for (auto it = objects->lower_bound(prefix); it != objects->end() && it->first.starts_with(prefix); ++it)
      keys.insert(it->first);
  }
  for (const std::string& key : keys) {
    const auto found = objects_.find(key);
    DeliverState(key, found == objects_.end() ? std::nullopt : std::optional(found->second), true);
  }
}

void ApiModel::DeliverState(const std::string& key, std::optional<api::Object> state, bool final_state_unknown) {
  const auto known = seen_.find(key);
  if (!state) {
    if (known == seen_.end()) return;
    const api::ObjectMeta meta = api::MetaOf(known->second);
    const std::string kind(api::KindOf(known->second));
    seen_.erase(known);
    deliver_(scheduler::RemoveObject{kind, meta.ns, meta.name, final_state_unknown});
    return;
  }
  if (known != seen_.end() && api::MetaOf(known->second).resource_version == api::MetaOf(*state).resource_version)
    return;
  seen_.insert_or_assign(key, *state);
  deliver_(scheduler::PutObject{*std::move(state)});
}

void ApiModel::Reconnect() {
  ++connection_;
  unanswered_ = 0;
  streams_.clear();
  seen_.clear();
  const Objects objects = objects_;
  for (const auto& [key, object] : objects) DeliverState(key, object, false);
}

// Tells the scheduler the object's newest state now, instead of what is under way.
void ApiModel::CatchUp(const std::string& key) {
  Stream& stream = streams_[key.substr(0, key.find('/'))];
  for (size_t i = stream.keys.size(); i-- > 0;) {
    if (stream.keys[i] != key) continue;
    stream.keys.erase(stream.keys.begin() + static_cast<std::ptrdiff_t>(i));
    stream.states.erase(stream.states.begin() + static_cast<std::ptrdiff_t>(i));
  }
  const auto found = objects_.find(key);
  DeliverState(key, found == objects_.end() ? std::nullopt : std::optional(found->second), true);
}

}  // namespace berth::sim
