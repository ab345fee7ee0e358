// SPDX-License-Identifier: Apache-2.0
#include "server/patch/managed_fields.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "server/patch/apply_compare.h"
#include "server/patch/apply_merge.h"

namespace berth::server {
namespace {

constexpr size_t kManagerMax = 128;  // Bytes.
constexpr std::string_view kManagedFields = "managedFields";

// Empty if there is no metadata.
Json TakeManagedFields(Json& object) {
  Json* metadata = object.Find("metadata");
  Json* fields = metadata == nullptr ? nullptr : metadata->Find(kManagedFields);
  if (fields == nullptr) return {};
  Json taken = std::move(*fields);
  metadata->Erase(kManagedFields);
  return taken;
}

std::string_view GroupOf(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

bool IsReset(const Json& sent) {
  if (!sent.is_list() || sent.size() > 1) return false;
  return sent.empty() || (sent[size_t{0}].is_map() && sent[size_t{0}].empty());
}

ManagedEntries EntriesFor(const Json* old, Json sent, bool is_subresource, const ObjectSchema& schema) {
  static const Json kNone;
  const Json& kept = old == nullptr ? kNone : (*old)["metadata"][kManagedFields];
  if (is_subresource || sent.is_null()) return ManagedEntries(kept);
  if (sent == kept) return ManagedEntries(std::move(sent));
  if (IsReset(sent)) return {};
  auto parsed = ManagedEntries::Parse(sent);
  if (!parsed || parsed->empty()) return ManagedEntries(kept);
  for (ManagedEntry& entry : parsed->all()) CloseLeaves(entry.fields, schema);
  return *std::move(parsed);
}

// Whether two maps are equal but for one member.
bool SameBesides(const Json& left, const Json& right, std::string_view name) {
  const auto others = std::views::filter([name](const Json::Member& member) { return member.name != name; });
  return std::ranges::equal(left.members() | others, right.members() | others);
}

bool SameBesidesTimes(const Json& left, const Json& right) {
  return std::ranges::equal(left.items(), right.items(),
                            [](const Json& a, const Json& b) { return SameBesides(a, b, "time"); });
}

}  // namespace

std::string ManagerName(std::string_view field_manager, std::string_view user_agent) {
  if (!field_manager.empty()) return std::string(field_manager);
  std::string name;
  for (const char c : user_agent.substr(0, user_agent.find('/'))) {
    const bool is_printable = c >= 0x20 && c < 0x7f;
    if (name.size() == kManagerMax) break;
    if (is_printable) name += c;
  }
  return name;
}

void TrackUpdate(const Json* old, Json& object, const ObjectSchema& schema, const FieldManagerOptions& options) {
  ManagedEntries entries = EntriesFor(old, TakeManagedFields(object), !options.subresource.empty(), schema);
  if (entries.empty() && old != nullptr) return;
  RecordUpdate(old, object, schema, options, entries);
  entries.Cap();
  if (!entries.empty()) object.Make({"metadata", kManagedFields}) = entries.Take();
}

void RecordUpdate(const Json* old, const Json& object, const ObjectSchema& schema, const FieldManagerOptions& options,
                  ManagedEntries& entries) {
  DropForeignVersions(entries, options);
  FieldChanges changes = CompareFields(old, object, schema);
  if (options.reset != nullptr) {
    changes.changed.SubtractTrees(*options.reset);
    changes.removed.SubtractTrees(*options.reset);
  }
  for (ManagedEntry& entry : entries.all()) {
    if (entry.api_version() != options.api_version) continue;
    entry.fields.Subtract(changes.changed);
    entry.fields.Subtract(changes.removed);
  }
  entries.DropEmpty();
  StripFields(changes.changed);
  if (changes.changed.empty()) return;
  ManagedEntry& own = entries.Make(options.manager.empty() ? "unknown" : options.manager, "Update", options.api_version,
                                   options.subresource);
  own.fields.Add(std::move(changes.changed));
  // Upstream loses the time of a write to this subresource, because it is made to another object.
  if (options.subresource != "scale") own.SetTime(options.now);
}

void MarkCleared(Json& object) {
  Json* metadata = object.Find("metadata");
  Json* fields = metadata == nullptr ? nullptr : metadata->Find(kManagedFields);
  if (fields != nullptr && fields->is_list() && fields->empty()) fields->Append(Json::MakeMap());
}

void KeepTimesIfSame(const Json& old, Json& object) {
  const Json& before = old["metadata"][kManagedFields];
  const Json& after = std::as_const(object)["metadata"][kManagedFields];
  if (before.size() != after.size() || after.empty() || before == after || !SameBesidesTimes(before, after)) return;
  if (!SameBesides(old, object, "metadata") || !SameBesides(old["metadata"], object["metadata"], kManagedFields))
    return;
  object.Make({"metadata", kManagedFields}) = Json(before);
}

void StripFields(FieldSet& fields) {
  static const FieldSet kNeverOwned = FieldSet::OfNames({{"apiVersion"},
                                                         {"kind"},
                                                         {"metadata"},
                                                         {"metadata", "name"},
                                                         {"metadata", "namespace"},
                                                         {"metadata", "creationTimestamp"},
                                                         {"metadata", "selfLink"},
                                                         {"metadata", "uid"},
                                                         {"metadata", "clusterName"},
                                                         {"metadata", "generation"},
                                                         {"metadata", "managedFields"},
                                                         {"metadata", "resourceVersion"}});
  fields.Subtract(kNeverOwned);
}

void DropForeignVersions(ManagedEntries& entries, const FieldManagerOptions& options) {
  std::erase_if(entries.all(), [&](const ManagedEntry& entry) {
    const std::string_view version = entry.api_version();
    if (version == options.api_version) return false;
    if (GroupOf(version) != GroupOf(options.api_version)) return true;
    return options.custom != nullptr ? !options.custom->HasVersion(version)
                                     : api::wire::FindKind(version, options.kind) == nullptr;
  });
}

}  // namespace berth::server
