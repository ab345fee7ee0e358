// SPDX-License-Identifier: Apache-2.0
#include "server/patch/managed_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "api/document/field_error.h"

namespace berth::server {
namespace {

constexpr size_t kUpdatesMax = 10;
constexpr std::string_view kOldUpdates = "ancient-changes";

bool IsOwner(const ManagedEntry& entry, std::string_view manager, std::string_view operation,
             std::string_view api_version, std::string_view subresource) {
  return entry.manager() == manager && entry.operation() == operation && entry.subresource() == subresource &&
         (operation == "Apply" || entry.api_version() == api_version);
}

Result<void> Check(const Json& entry, size_t index) {
  const std::string& operation = entry["operation"].text();
  if (operation != "Apply" && operation != "Update") return Invalid("operation must be `Apply` or `Update`");
  if (entry["apiVersion"].text().empty()) return Invalid("apiVersion must not be empty");
  const std::string& type = entry["fieldsType"].text();
  if (type.empty()) return Invalid(fmt::format("missing fieldsType in managed fields entry {}", index));
  if (type != "FieldsV1") {
    return Invalid(fmt::format("invalid fieldsType \"{}\" in managed fields entry {}", type, index));
  }
  return {};
}

}  // namespace

std::string ManagedEntry::Description() const {
  std::string text = api::GoQuote(manager());
  if (!subresource().empty()) text += fmt::format(" with subresource {}", api::GoQuote(subresource()));
  if (!is_applied()) text += fmt::format(" using {}", api_version());
  return text;
}

ManagedEntries::ManagedEntries(Json list) {
  if (!list.is_list()) return;
  all_.reserve(list.size() + 1);
  for (Json& item : list.mutable_items()) {
    ManagedEntry& entry = all_.emplace_back();
    entry.json = std::move(item);
    Json* fields = entry.json.Find("fieldsV1");
    if (fields == nullptr) continue;
    entry.fields = FieldSet(std::move(*fields));
    *fields = Json();
  }
}

Result<ManagedEntries> ManagedEntries::Parse(const Json& list) {
  ManagedEntries entries;
  for (size_t i = 0; i < list.size(); ++i) {
    const Json& item = list[i];
    BERTH_CHECK_OK(Check(item, i));
    FieldSet fields = BERTH_TRY(FieldSet::Parse(item["fieldsV1"]));
    ManagedEntry& entry = entries.Make(item["manager"].text(), item["operation"].text(), item["apiVersion"].text(),
                                       item["subresource"].text());
    entry.json = item;
    entry.fields = std::move(fields);
  }
  return entries;
}

ManagedEntry& ManagedEntries::Make(std::string_view manager, std::string_view operation, std::string_view api_version,
                                   std::string_view subresource) {
  for (ManagedEntry& entry : all_) {
    if (IsOwner(entry, manager, operation, api_version, subresource)) return entry;
  }
  ManagedEntry& entry = all_.emplace_back();
  entry.json = Json::MakeMap();
  Json::Map& members = entry.json.mutable_members();
  members.reserve(7);
  members.push_back({"apiVersion", Json::String(api_version)});
  members.push_back({"fieldsType", Json::String("FieldsV1")});
  members.push_back({"fieldsV1", Json()});
  members.push_back({"manager", Json::String(manager)});
  members.push_back({"operation", Json::String(operation)});
  if (!subresource.empty()) members.push_back({"subresource", Json::String(subresource)});
  return entry;
}

void ManagedEntries::DropEmpty() {
  std::erase_if(all_, [](const ManagedEntry& entry) { return entry.fields.empty(); });
}

void ManagedEntries::Cap() {
  size_t count =
      static_cast<size_t>(std::ranges::count_if(all_, [](const ManagedEntry& entry) { return !entry.is_applied(); }));
  if (count <= kUpdatesMax) return;
  std::ranges::stable_sort(all_, {}, [](const ManagedEntry& entry) {
    return std::tuple(entry.is_applied(), entry.time(), entry.manager(), entry.api_version(),
                      entry.subresource().empty(), entry.subresource());
  });
  std::map<std::string, size_t> oldest;  // Of each version.
  for (size_t i = 0; count > kUpdatesMax; ++i) {
    ManagedEntry& entry = all_[i];
    const auto [first, is_first] = oldest.emplace(entry.api_version(), i);
    if (is_first) continue;
    MergeOld(entry, all_[first->second]);
    --count;
  }
  DropEmpty();
}

void ManagedEntries::MergeOld(ManagedEntry& entry, ManagedEntry& oldest) {
  const auto found = std::ranges::find_if(
      all_, [&](const ManagedEntry& other) { return IsOwner(other, kOldUpdates, "Update", entry.api_version(), ""); });
  ManagedEntry& bucket = found == all_.end() ? oldest : *found;
  if (found == all_.end()) {
    bucket.json.Set("manager", kOldUpdates);
    bucket.json.Erase("subresource");
  }
  bucket.json.Erase("time");
  if (!entry.time().empty()) bucket.json.Set("time", entry.time());
  bucket.fields.Add(std::move(entry.fields));
  // If both are the same, which happens to an entry as old as the oldest, upstream forgets its fields too.
  entry.fields = FieldSet();
}

Json ManagedEntries::Take() {
  std::ranges::sort(all_, {}, [](const ManagedEntry& entry) {
    return std::tuple(entry.operation(), entry.time(), entry.manager(), entry.api_version(), entry.subresource());
  });
  Json list = Json::MakeList();
  list.mutable_items().reserve(all_.size());
  for (ManagedEntry& entry : all_) {
    entry.json.Set("fieldsV1", std::move(entry.fields.mutable_json()));
    list.mutable_items().push_back(std::move(entry.json));
  }
  all_.clear();
  return list;
}

}  // namespace berth::server
