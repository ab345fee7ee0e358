// SPDX-License-Identifier: Apache-2.0
#include "server/patch/apply.h"

#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "api/document/repeated_keys.h"
#include "api/document/value.h"
#include "api/typed/typed.h"
#include "server/patch/apply_check.h"
#include "server/patch/apply_compare.h"
#include "server/patch/apply_merge.h"
#include "server/patch/from_unstructured.h"
#include "server/patch/go_text.h"
#include "server/patch/last_applied.h"
#include "server/patch/patch_errors.h"

namespace berth::server {
namespace {

// What an owner would lose.
struct FieldConflict {
  ManagedEntry owner;  // Without its fields.
  FieldSet fields;
};

struct Applied {
  Json object;
  bool is_changed = false;
  ManagedEntries entries;
};

using Attempt = std::expected<Applied, std::vector<FieldConflict>>;

// /v1, Kind=Pod.
std::string KindText(const Json& config) {
  const std::string& version = config["apiVersion"].text();
  return fmt::format("{}{}, Kind={}", version.find('/') == std::string::npos ? "/" : "", version,
                     config["kind"].text());
}

// ns/name; /v1, Kind=Pod.
std::string ObjectText(const Json& config) {
  const Json& metadata = config["metadata"];
  return fmt::format("{}/{}; {}", metadata["namespace"].text(), metadata["name"].text(), KindText(config));
}

Outcome<void> CheckRequest(const Json& config, const ObjectSchema& schema, const FieldManagerOptions& options) {
  if (config["apiVersion"].text() != options.api_version || config["kind"].text() != options.kind) {
    return BadRequest(fmt::format("invalid object type: {}", KindText(config)));
  }
  if (config["metadata"]["managedFields"].is_list()) return BadRequest("metadata.managedFields must be nil");
  const std::string problem = CheckConfig(config, schema);
  if (problem.empty()) return {};
  return Unforeseen(fmt::format("failed to create typed patch object ({}): {}", ObjectText(config), problem));
}

Json WithoutManagedFields(const Json& live) {
  Json object = live;
  if (Json* metadata = object.Find("metadata")) metadata->Erase("managedFields");
  return object;
}

// The owners in `live`. Fields that were never tracked get an owner, so that taking them is a conflict.
ManagedEntries OwnersOf(const Json* live, const ObjectSchema& schema, const FieldManagerOptions& options) {
  if (live == nullptr) return {};
  ManagedEntries entries((*live)["metadata"]["managedFields"]);
  if (entries.empty()) {
    FieldManagerOptions before = options;
    before.manager = "before-first-apply";
    RecordUpdate(nullptr, *live, schema, before, entries);
  }
  DropForeignVersions(entries, options);
  return entries;
}

// Takes out of `merged` what the manager applied last time and does not any more, unless somebody else owns it.
void Prune(Json& merged, const FieldSet& last, const ManagedEntries& entries, const ObjectSchema& schema) {
  if (last.empty()) return;
  FieldSet owned;
  for (const ManagedEntry& entry : entries.all()) owned.Add(entry.fields);
  const FieldSet named_last = WithNamedFields(last, schema);
  const FieldSet all = WithNamedFields(FieldsOf(merged, schema), schema);

  Json pruned = merged;
  RemoveFields(pruned, named_last, schema);
  FieldSet unowned = all;
  FieldSet kept = WithNamedFields(FieldsOf(pruned, schema), schema);
  kept.Add(WithNamedFields(std::move(owned), schema));
  unowned.Subtract(kept);

  pruned = merged;
  RemoveFields(pruned, unowned, schema);
  FieldSet gone = all;
  gone.Subtract(WithNamedFields(FieldsOf(pruned, schema), schema));
  RemoveFields(merged, gone.Intersection(named_last), schema);
}

std::vector<FieldConflict> FindConflicts(const ManagedEntries& entries, const ManagedEntry* own,
                                         const FieldSet& changed, std::string_view api_version) {
  std::vector<FieldConflict> conflicts;
  for (const ManagedEntry& entry : entries.all()) {
    if (&entry == own || entry.api_version() != api_version) continue;
    FieldSet fields = entry.fields.Intersection(changed);
    if (!fields.empty()) conflicts.push_back({{entry.json, {}}, std::move(fields)});
  }
  std::ranges::sort(conflicts, {}, [](const FieldConflict& conflict) {
    const ManagedEntry& owner = conflict.owner;
    return std::tuple(owner.manager(), owner.operation(), owner.is_applied() ? "" : owner.api_version(),
                      owner.subresource().empty(), owner.subresource());
  });
  return conflicts;
}

Attempt Apply(const Json* live, const Json& config, const ObjectSchema& schema, const FieldManagerOptions& options,
              ManagedEntries entries) {
  const Json before = live == nullptr ? Json::MakeMap() : WithoutManagedFields(*live);
  Json merged = before;
  MergeConfig(merged, config, schema);

  ManagedEntry& own = entries.Make(options.manager.empty() ? "unknown" : options.manager, "Apply", options.api_version,
                                   options.subresource);
  own.json.Set("apiVersion", options.api_version);
  const FieldSet last = std::exchange(own.fields, FieldsOf(config, schema));
  if (options.reset != nullptr) own.fields.SubtractTrees(*options.reset);
  Prune(merged, last, entries, schema);

  FieldChanges changes = CompareFields(&before, merged, schema);
  if (options.reset != nullptr) {
    changes.changed.SubtractTrees(*options.reset);
    changes.removed.SubtractTrees(*options.reset);
  }
  if (!options.force) {
    std::vector<FieldConflict> conflicts = FindConflicts(entries, &own, changes.changed, options.api_version);
    if (!conflicts.empty()) return std::unexpected(std::move(conflicts));
  }
  for (ManagedEntry& entry : entries.all()) {
    if (&entry == &own || entry.api_version() != options.api_version) continue;
    entry.fields.Subtract(changes.changed);
    entry.fields.Subtract(changes.removed);
  }
  const bool is_changed = live == nullptr || !SameValue(before, merged);
  // Scales lose it, as in RecordUpdate.
  if (is_changed && options.subresource != "scale") own.SetTime(options.now);
  StripFields(own.fields);
  entries.DropEmpty();
  return Applied{is_changed ? std::move(merged) : before, is_changed, std::move(entries)};
}

Refusal ConflictError(const std::vector<FieldConflict>& conflicts) {
  StatusError error;
  error.code = 409;
  error.reason = "Conflict";
  std::string list;
  for (const FieldConflict& conflict : conflicts) {
    const std::string owner = conflict.owner.Description();
    list += fmt::format("{}conflicts with {}:", list.empty() ? "" : "\n", owner);
    conflict.fields.ForEach([&](FieldSet::Path path) {
      list += fmt::format("\n- {}", FieldPathText(path));
      error.causes.push_back({"FieldManagerConflict", fmt::format("conflict with {}", owner), FieldPathText(path)});
    });
  }
  const size_t count = error.causes.size();
  error.message =
      count == 1 ? fmt::format("Apply failed with 1 conflict: {}: {}", error.causes[0].message, error.causes[0].field)
                 : fmt::format("Apply failed with {} conflicts: {}", count, list);
  return Refusal(std::move(error));
}

// Applies; conflicts with what kubectl itself applied on the client's side are none for kubectl.
Attempt ApplyAsKubectl(const Json* live, const Json& config, const ObjectSchema& schema,
                       const FieldManagerOptions& options, const ManagedEntries& entries) {
  Attempt attempt = Apply(live, config, schema, options, entries);
  if (attempt || live == nullptr || options.manager != kKubectl) return attempt;
  const FieldSet allowed = LastAppliedFields(*live, schema, options.api_version);
  std::vector<FieldConflict> conflicts = std::move(attempt).error();
  if (allowed.empty()) return std::unexpected(std::move(conflicts));
  for (FieldConflict& conflict : conflicts) conflict.fields.Subtract(allowed);
  std::erase_if(conflicts, [](const FieldConflict& conflict) { return conflict.fields.empty(); });
  if (!conflicts.empty()) return std::unexpected(std::move(conflicts));
  FieldManagerOptions forced = options;
  forced.force = true;
  return Apply(live, config, schema, forced, entries);
}

// What was merged still has values as the configuration spells them.
Outcome<void> Convert(Json& object, const Json& config, const ObjectSchema& schema) {
  Result<void> done;
  if (schema.message() != nullptr) done = ConvertScalars(object, *schema.message());
  if (done) done = schema.Canonicalize(object);
  if (done) return {};
  return Unforeseen(fmt::format(
      "failed to convert new object ({}) to proper version: unable to convert unstructured object to {}: {}",
      ObjectText(config), KindText(config), done.error().message));
}

}  // namespace

Outcome<Json> ReadConfig(std::string_view yaml) {
  const Result<std::vector<api::Document>> documents = api::ParseYaml(yaml);
  if (!documents) return BadRequest(fmt::format("error encoding patch: yaml: {}", documents.error().message));
  const Json config = documents->empty() ? Json() : Json::FromValue(documents->front().root());
  if (config.is_null()) return Json::MakeMap();
  if (config.is_map()) return config;
  return BadRequest(fmt::format(
      "error decoding patch: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {} into Go "
      "value of type map[string]interface {{}}",
      api::GoKindName(config.kind())));
}

Outcome<void> CheckConfigIsStrict(std::string_view yaml) {
  constexpr size_t kShownMax = 100;
  const Result<std::vector<api::Document>> documents = api::ParseYaml(yaml);
  if (!documents || documents->empty()) return {};
  std::vector<std::string> errors;
  api::FindRepeatedKeys(documents->front().root(), errors);
  if (errors.empty()) return {};
  errors.resize(std::min(errors.size(), kShownMax));
  return BadRequest(
      fmt::format("error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:\n  {}",
                  fmt::join(errors, "\n  ")));
}

Outcome<Json> ApplyConfig(const Json* live, const Json& config, const ObjectSchema& schema,
                          const FieldManagerOptions& options) {
  BERTH_CHECK_OK(CheckRequest(config, schema, options));
  const ManagedEntries entries = OwnersOf(live, schema, options);
  Attempt attempt = ApplyAsKubectl(live, config, schema, options, entries);
  if (!attempt) return ConflictError(attempt.error());
  Json object = std::move(attempt->object);
  if (attempt->is_changed) BERTH_CHECK_OK(Convert(object, config, schema));
  if (options.manager == kKubectl) UpdateLastApplied(object, config);
  if (!attempt->entries.empty()) object.Make({"metadata", "managedFields"}) = attempt->entries.Take();
  return object;
}

}  // namespace berth::server
