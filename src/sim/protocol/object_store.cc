// SPDX-License-Identifier: Apache-2.0
#include "sim/protocol/object_store.h"

#include <fmt/format.h>

#include <utility>

#include "api/json_writer.h"

namespace berth::sim {
namespace {

StoredPtr Store(std::string json, int64_t version) {
  auto stored = std::make_shared<StoredObject>();
  stored->json = std::move(json);
  stored->document = api::ParseJson(stored->json).value();
  const api::Value root = stored->root();
  const api::Value meta = root["metadata"];
  stored->kind = root["kind"].text();
  stored->ns = meta["namespace"].text();
  stored->name = meta["name"].text();
  stored->uid = meta["uid"].text();
  stored->version = version;
  const std::string_view phase = root["status"]["phase"].text();
  stored->is_selected = stored->kind != "Pod" || (phase != "Succeeded" && phase != "Failed");
  return stored;
}

}  // namespace

std::string Quoted(std::string_view text) {
  std::string out;
  api::AppendQuoted(out, text);
  return out;
}

StoredPtr ObjectStore::Write(std::string_view json) {
  const api::Document document = api::ParseJson(json).value();
  const api::Value root = document.root();
  const api::Value meta = root["metadata"];
  ++version_;
  std::vector<client::JsonMember> members = {{{"metadata", "resourceVersion"}, Quoted(std::to_string(version_))}};
  if (meta["uid"].text().empty()) members.push_back({{"metadata", "uid"}, Quoted(fmt::format("uid-{}", ++uids_))});
  if (meta["creationTimestamp"].is_null()) {
    members.push_back({{"metadata", "creationTimestamp"}, Quoted(FormatTime(agenda_.now()))});
  }
  StoredPtr stored = Store(client::WithMembers(root, members), version_);
  Kind& kind = kinds_[stored->kind];
  StoredPtr& place = kind.objects[stored->Key()];
  StoredPtr before = std::exchange(place, stored);
  Record(kind, {version_, std::move(before), stored, false});
  return stored;
}

void ObjectStore::Remove(std::string_view kind_name, std::string_view key) {
  const auto kind = kinds_.find(kind_name);
  if (kind == kinds_.end()) return;
  const auto found = kind->second.objects.find(key);
  if (found == kind->second.objects.end()) return;
  StoredPtr before = found->second;
  kind->second.objects.erase(found);
  ++version_;
  const std::vector<client::JsonMember> members = {{{"metadata", "resourceVersion"}, Quoted(std::to_string(version_))}};
  StoredPtr after = Store(client::WithMembers(before->root(), members), version_);
  Record(kind->second, {version_, std::move(before), std::move(after), true});
}

void ObjectStore::Record(Kind& kind, StoreChange change) {
  kind.history.push_back(change);
  for (const Listener& listener : listeners_) listener(change);
}

StoredPtr ObjectStore::Find(std::string_view kind, std::string_view key) const {
  const Objects& objects = All(kind);
  const auto found = objects.find(key);
  return found == objects.end() ? nullptr : found->second;
}

const ObjectStore::Objects& ObjectStore::All(std::string_view kind) const {
  static const Objects kNone;
  const auto found = kinds_.find(kind);
  return found == kinds_.end() ? kNone : found->second.objects;
}

const std::vector<StoreChange>& ObjectStore::History(std::string_view kind) const {
  static const std::vector<StoreChange> kNone;
  const auto found = kinds_.find(kind);
  return found == kinds_.end() ? kNone : found->second.history;
}

ObjectStore::Objects ObjectStore::StateAt(std::string_view kind, int64_t version) const {
  Objects state;
  for (const StoreChange& change : History(kind)) {
    if (change.version > version) break;
    if (change.is_removal) {
      state.erase(change.after->Key());
    } else {
      state.insert_or_assign(change.after->Key(), change.after);
    }
  }
  return state;
}

}  // namespace berth::sim
