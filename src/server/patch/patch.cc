// SPDX-License-Identifier: Apache-2.0
#include "server/patch/patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "api/typed/typed.h"
#include "server/model/field_errors.h"
#include "server/patch/from_unstructured.h"
#include "server/patch/go_json.h"
#include "server/patch/go_text.h"
#include "server/patch/json_patch.h"
#include "server/patch/managed_fields.h"
#include "server/patch/merge_patch.h"
#include "server/patch/patch_strictness.h"
#include "server/patch/strategic_merge.h"

namespace berth::server {
namespace {

namespace wire = api::wire;

struct Patched {
  Json object;
  Json patch;  // Of a strategic merge, as it is left.
};

Outcome<Patched> Apply(PatchType type, const Json& current, const Json& patch, const ObjectSchema& schema) {
  Patched patched;
  switch (type) {
    case PatchType::kJson: patched.object = BERTH_TRY(ApplyJsonPatch(current, patch)); break;
    case PatchType::kMerge: patched.object = BERTH_TRY(ApplyMergePatch(current, patch)); break;
    case PatchType::kStrategic:
      patched.patch = patch.is_null() ? Json::MakeMap() : patch;
      patched.object = BERTH_TRY(ApplyStrategicMerge(current, patched.patch, *schema.message()));
      break;
  }
  return patched;
}

// What strict decoding finds wrong with the patch. Fails if it has the wrong form altogether.
Outcome<std::vector<std::string>> Examine(PatchType type, api::Value patch, bool tells) {
  if (type == PatchType::kJson) {
    if (!tells) return {};
    BERTH_CHECK_OK(CheckOperationTypes(patch));
    return FindStrayFields(patch);
  }
  if (!patch.is_map() && !patch.is_null() && (tells || type == PatchType::kStrategic)) {
    return BadRequest(fmt::format("{}json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
                                  type == PatchType::kMerge ? "error decoding patch: " : "",
                                  api::GoKindName(patch.kind())));
  }
  return tells ? FindDuplicates(patch) : std::vector<std::string>();
}

// The name of a group among upstream's packages.
std::string_view PackageOf(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? "core" : api_version.substr(0, std::min(slash, api_version.find('.')));
}

// Like a decoder of JSON, which looks at the kind first.
Result<void> CheckKind(const Json& object, const BodyKind& kind) {
  constexpr std::string_view kNoKind =
      "couldn't get version/kind; json parse error: json: cannot unmarshal {} into Go {}";
  if (!object.is_map()) {
    return Invalid(fmt::format(fmt::runtime(kNoKind), api::GoKindName(object.kind()),
                               "value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; "
                               "Kind string \"json:\\\"kind,omitempty\\\"\" }"));
  }
  for (const std::string_view name : {"apiVersion", "kind"}) {
    const Json& member = object[name];
    if (member.is_string() || member.is_null()) continue;
    return Invalid(fmt::format(fmt::runtime(kNoKind), api::GoKindName(member.kind()),
                               fmt::format("struct field .{} of type string", name)));
  }
  const std::string_view api_version =
      object["apiVersion"].text().empty() ? kind.api_version : object["apiVersion"].text();
  const std::string_view name = object["kind"].text().empty() ? kind.kind : object["kind"].text();
  if (api_version == kind.api_version && name == kind.kind) return {};
  if (kind.schema.custom() != nullptr) return {};  // Its validation says it.
  if (std::ranges::count(api_version, '/') > 1) {
    return Invalid(fmt::format("unexpected GroupVersion string: {}", api_version));
  }
  if (wire::FindKind(api_version, name) == nullptr) {
    return Invalid(fmt::format(
        "no kind \"{}\" is registered for version \"{}\" in scheme \"pkg/runtime/scheme.go:111\"", name, api_version));
  }
  return Invalid(fmt::format("converting ({}.{}) to ({}.{}): unknown conversion",
                             api_version.substr(api_version.find('/') + 1), name, PackageOf(kind.api_version),
                             kind.kind));
}

// Makes the object canonical and returns its unknown fields.
Result<std::vector<std::string>> Decode(PatchType type, Json& object, const BodyKind& kind) {
  std::vector<std::string> unknown;
  if (type == PatchType::kStrategic) {
    BERTH_CHECK_OK(ConvertScalars(object, *kind.schema.message()));
  } else {
    BERTH_CHECK_OK(CheckKind(object, kind));
  }
  if (kind.schema.custom() == nullptr) {
    object.Set("apiVersion", kind.api_version);
    object.Set("kind", kind.kind);
  }
  MarkCleared(object);
  BERTH_CHECK_OK(kind.schema.Canonicalize(object, &unknown));
  if (type == PatchType::kStrategic) std::ranges::sort(unknown);
  return unknown;
}

// The refusal of a patch that makes something else of the object. It shows what came out, or the strategic patch.
Refusal BadResult(PatchType type, const Patched& patched, std::string_view why) {
  std::string shown;
  if (type == PatchType::kStrategic) {
    shown = GoText(patched.patch);
  } else {
    AppendGoJson(shown, patched.object);
  }
  FieldErrors errors;
  errors.Invalid("patch", shown, why);
  return Invalid("", "", "", std::move(errors));
}

}  // namespace

std::optional<PatchType> ParsePatchType(std::string_view media_type) {
  if (media_type == "application/json-patch+json") return PatchType::kJson;
  if (media_type == "application/merge-patch+json") return PatchType::kMerge;
  if (media_type == "application/strategic-merge-patch+json") return PatchType::kStrategic;
  return std::nullopt;
}

Outcome<Body> ApplyPatch(PatchType type, const Json& current, std::string_view text, const BodyKind& kind,
                         FieldValidation validation) {
  const Result<api::Document> document = api::ParseJson(text);
  if (!document) return BadRequest("invalid JSON patch");
  const bool tells = validation != FieldValidation::kIgnore;
  std::vector<std::string> problems = BERTH_TRY(Examine(type, document->root(), tells));
  const Json patch = Json::FromValue(document->root());
  Patched patched = BERTH_TRY(Apply(type, current, patch, kind.schema));
  Json object = std::move(patched.object);
  Result<std::vector<std::string>> unknown = Decode(type, object, kind);
  if (unknown && tells) std::ranges::move(*unknown, std::back_inserter(problems));
  if (unknown && (validation != FieldValidation::kStrict || problems.empty())) {
    return Body{.object = std::move(object), .warnings = std::move(problems)};
  }
  // Once more, to show it as it was before it was decoded.
  patched = BERTH_TRY(Apply(type, current, patch, kind.schema));
  return BadResult(
      type, patched,
      unknown ? fmt::format("strict decoding error: {}", fmt::join(problems, ", ")) : unknown.error().message);
}

}  // namespace berth::server
