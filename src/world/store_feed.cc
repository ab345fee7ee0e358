// SPDX-License-Identifier: Apache-2.0
#include "world/store_feed.h"

#include <optional>
#include <utility>

#include "api/decode/decode_kinds.h"
#include "base/assert.h"
#include "client/informers.h"
#include "telemetry/log.h"

namespace berth::world {

StoreFeed::StoreFeed(server::Store& store, const server::Catalog& catalog, client::ObjectSink& sink,
                     api::KeptSources sources, OnSkipped on_skipped)
    : store_(store),
      sink_(sink),
      sources_(sources),
      on_skipped_(std::move(on_skipped)),
      by_resource_(catalog.all().size(), kNotTold) {
  client::WatchedGroups groups = client::GroupsOf(catalog.gates());
  groups.coscheduled_groups = true;
  for (client::WatchedResource& watched : client::SchedulerResources(groups)) {
    const server::Resource* const resource = catalog.FindKind(watched.api_version, api::ManifestKind(watched.kind));
    // One that the store keeps in another form would have to be converted first.
    BERTH_ASSERT(resource != nullptr && resource->stored == resource);
    server::Outcome<server::Selection> selection = server::Selection::Create(*resource, "", "", watched.field_selector);
    BERTH_ASSERT(selection);
    by_resource_[resource->index] = told_.size();
    told_.push_back({resource, std::move(watched), *std::move(selection)});
  }
  store_.Listen([this](const server::ChangePtr& change) {
    if (is_running_) OnChange(*change);
  });
}

void StoreFeed::LogSkipped(const Error& error) {
  telemetry::LogError(error, "Skipping an object that cannot be decoded");
}

void StoreFeed::Start(Callback on_synced) {
  is_running_ = true;
  on_synced_ = std::move(on_synced);
  for (size_t i = 0; i < told_.size(); ++i) {
    for (const auto& [key, object] : store_.All(*told_[i].resource)) {
      if (told_[i].selection.Matches(*object)) untold_.emplace_hint(untold_.end(), i, key);
    }
  }
  Resume();
}

void StoreFeed::Resume() {
  while (is_running_ && !untold_.empty() && !sink_.is_full()) {
    const auto first = untold_.extract(untold_.begin());
    Tell(told_[first.value().first], first.value().second);
  }
  if (is_running_ && untold_.empty() && on_synced_) std::exchange(on_synced_, nullptr)();
}

std::vector<std::string> StoreFeed::NodeNames() const {
  std::vector<std::string> names;
  for (const Told& told : told_) {
    if (told.watched.kind != "Node") continue;
    for (const auto& [name, object] : store_.All(*told.resource)) names.push_back(name);
  }
  return names;
}

void StoreFeed::OnChange(const server::Change& change) {
  const size_t index = by_resource_[change.object->resource().index];
  if (index == kNotTold) return;
  const Told& told = told_[index];
  const bool was_seen = change.before != nullptr && told.selection.Matches(*change.before);
  const bool is_seen = change.type != server::Change::Type::kDeleted && told.selection.Matches(*change.object);
  if (!was_seen && !is_seen) return;
  // What came earlier goes first.
  if (!untold_.empty() || sink_.is_full()) {
    untold_.emplace(index, change.object->key());
  } else if (is_seen) {
    Put(told, *change.object);
  } else {
    Remove(told, change.object->ns(), change.object->name());
  }
}

void StoreFeed::Tell(const Told& told, const std::string& key) {
  const server::Store::Objects& all = store_.All(*told.resource);
  const auto found = all.find(key);
  if (found != all.end() && told.selection.Matches(*found->second)) return Put(told, *found->second);
  const size_t slash = key.find('/');
  Remove(told, slash == key.npos ? "" : key.substr(0, slash), key.substr(slash + 1));
}

void StoreFeed::Put(const Told& told, const server::StoredObject& object) {
  // Nothing of this object is used: it may be gone by then.
  sink_.DeliverUndecoded([tree = object.tree(), kind = told.watched.kind, api_version = told.watched.api_version,
                          keeps_source = sources_.Has(told.watched.kind),
                          on_skipped = on_skipped_]() -> std::optional<scheduler::PutObject> {
    Result<api::Object> decoded = api::DecodeObjectAs(kind, api_version, api::Value(*tree));
    if (!decoded) {
      on_skipped(decoded.error());
      return std::nullopt;
    }
    if (keeps_source) {
      const Result<void> kept = api::KeepSource(*decoded, api::Value(*tree));
      if (!kept) telemetry::LogError(kept.error(), "An object cannot be shown to extenders");
    }
    return scheduler::PutObject{*std::move(decoded)};
  });
}

void StoreFeed::Remove(const Told& told, std::string_view ns, std::string_view name) {
  std::vector<client::Delivery> batch;
  batch.emplace_back(scheduler::RemoveObject{told.watched.kind, std::string(ns), std::string(name)});
  sink_.Deliver(std::move(batch));
}

}  // namespace berth::world
