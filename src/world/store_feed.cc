// SPDX-License-Identifier: Apache-2.0
#include "world/store_feed.h"

#include <optional>
#include <utility>

#include "api/decode/decode_kinds.h"
#include "base/assert.h"
#include "client/informers.h"
#include "telemetry/log.h"

namespace berth::world {
namespace {

// So many changes are told in one turn.
constexpr size_t kToldPerTurn = 64;

}  // namespace

StoreFeed::StoreFeed(server::Store& store, const server::Catalog& catalog, client::ObjectSink& sink,
                     api::KeptSources sources, OnSkipped on_skipped, runtime::Timers* timers)
    : store_(store),
      sink_(sink),
      sources_(sources),
      on_skipped_(std::move(on_skipped)),
      by_resource_(catalog.all().size(), kNotTold) {
  if (timers != nullptr) turn_.emplace(*timers);
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
      if (told_[i].selection.Matches(*object)) Note(i, key);
    }
  }
  TellAll();
}

void StoreFeed::Resume() {
  if (!turn_) return TellAll();
  if (!turn_->is_running()) turn_->Start(Duration{}, [this] { Turn(); });
}

void StoreFeed::Refresh(Callback done) {
  TellAll();
  done();
}

void StoreFeed::Note(size_t index, const std::string& key) {
  if (is_untold_.contains({index, key})) return;
  const Untold& noted = untold_.emplace_back(index, key);
  is_untold_.emplace(noted.index, noted.key);
}

void StoreFeed::TellNext() {
  is_untold_.erase({untold_.front().index, untold_.front().key});
  const Untold next = std::move(untold_.front());
  untold_.pop_front();
  Tell(told_[next.index], next.key);
}

void StoreFeed::TellAll() {
  while (is_running_ && !untold_.empty() && !sink_.is_full()) TellNext();
  if (is_running_ && untold_.empty() && on_synced_) std::exchange(on_synced_, nullptr)();
}

void StoreFeed::Turn() {
  for (size_t i = 0; i < kToldPerTurn && is_running_ && !untold_.empty() && !sink_.is_full(); ++i) TellNext();
  if (untold_.empty()) return TellAll();
  // A core that is full says so when it is not.
  if (is_running_ && !sink_.is_full()) Resume();
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
  const size_t resource = change.object->resource().index;  // Custom resources come later.
  const size_t index = resource < by_resource_.size() ? by_resource_[resource] : kNotTold;
  if (index == kNotTold) return;
  const Told& told = told_[index];
  const bool was_seen = change.before != nullptr && told.selection.Matches(*change.before);
  const bool is_seen = change.type != server::Change::Type::kDeleted && told.selection.Matches(*change.object);
  if (!was_seen && !is_seen) return;
  // What came earlier goes first.
  if (turn_ || !untold_.empty() || sink_.is_full()) {
    Note(index, change.object->key());
    if (turn_ && !sink_.is_full()) Resume();
  } else if (is_seen) {
    Put(told, *change.object);
  } else {
    Remove(told, change.object->ns(), change.object->name());
  }
}

void StoreFeed::Tell(const Told& told, const std::string& key) {
  const size_t slash = key.find('/');
  const std::string_view ns = slash == key.npos ? std::string_view() : std::string_view(key).substr(0, slash);
  const std::string_view name = std::string_view(key).substr(slash + 1);  // None: npos + 1 is 0.
  const server::ObjectPtr found = store_.Find(*told.resource, ns, name);
  if (found != nullptr && told.selection.Matches(*found)) return Put(told, *found);
  Remove(told, ns, name);
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
