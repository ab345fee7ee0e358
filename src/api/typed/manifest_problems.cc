// SPDX-License-Identifier: Apache-2.0
#include "api/typed/manifest_problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "api/typed/typed.h"
#include "api/wire/json_fields.h"
#include "api/wire/table.h"
#include "base/similar_word.h"

namespace berth::api {
namespace {

// Empty for v1.
std::string_view GroupOf(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == api_version.npos ? std::string_view() : api_version.substr(0, slash);
}

bool IsKept(const wire::Kind& kind) { return !kind.plural.empty(); }

// The versions that have such a kind, those of `group` first.
std::vector<std::string_view> VersionsOf(std::string_view kind, std::string_view group) {
  std::vector<std::string_view> versions;
  for (const wire::Kind& known : wire::Kinds()) {
    if (known.kind == kind && IsKept(known)) versions.push_back(known.api_version);
  }
  std::ranges::stable_partition(versions, [&](std::string_view version) { return GroupOf(version) == group; });
  return versions;
}

std::vector<std::string_view> KindsIn(std::string_view api_version) {
  std::vector<std::string_view> kinds;
  for (const wire::Kind& known : wire::Kinds()) {
    if (known.api_version == api_version && IsKept(known)) kinds.push_back(known.kind);
  }
  return kinds;
}

bool HasGroup(std::string_view group) {
  return std::ranges::any_of(wire::Kinds(),
                             [&](const wire::Kind& known) { return GroupOf(known.api_version) == group; });
}

// A group that nobody but Kubernetes may have, or a slip for one that has this kind.
bool IsOurs(std::string_view group, std::string_view kind) {
  if (group.find('.') == group.npos || HasGroup(group)) return true;
  std::vector<std::string_view> groups;
  for (const std::string_view version : VersionsOf(kind, "")) groups.push_back(GroupOf(version));
  return !MostSimilar(group, groups).empty();
}

std::optional<ManifestProblem> KindProblem(const ManifestObject& object) {
  const std::string& kind = object.kind;
  const std::string& version = object.api_version;
  if (!IsOurs(GroupOf(version), kind)) return std::nullopt;
  const std::vector<std::string_view> versions = VersionsOf(kind, GroupOf(version));
  if (version.empty()) {
    return ManifestProblem{
        object.value.line(),
        "apiVersion is missing" + (versions.empty() ? "" : fmt::format("; a {} is of {}", kind, versions.front()))};
  }
  if (!versions.empty()) {
    return ManifestProblem{object.value["apiVersion"].line(),
                           fmt::format("there is no {} in {}; did you mean {}?", kind, version, versions.front())};
  }
  const std::vector<std::string_view> kinds = KindsIn(version);
  std::string text = fmt::format("there is no kind {} in {}{}", kind, version, DidYouMean(kind, kinds));
  return ManifestProblem{object.value["kind"].line(), std::move(text)};
}

ManifestProblem FieldProblem(const StrictError& error) {
  std::string text = error.ToText();
  if (error.what == StrictError::What::kUnknown) {
    std::vector<std::string_view> names;
    for (const JsonField& field : JsonFields::Of(*error.message).by_name()) names.push_back(field.name);
    text += DidYouMean(error.name, names);
  }
  return {error.line, std::move(text)};
}

}  // namespace

std::vector<ManifestProblem> ManifestProblems(const ManifestObject& object) {
  std::vector<ManifestProblem> problems;
  const wire::Kind* kind = wire::FindKind(object.api_version, object.kind);
  if (kind == nullptr || !IsKept(*kind)) {
    if (std::optional<ManifestProblem> problem = KindProblem(object)) problems.push_back(*std::move(problem));
    return problems;
  }
  for (const StrictError& error : StrictErrors(object.value, wire::MessageAt(kind->message))) {
    problems.push_back(FieldProblem(error));
  }
  return problems;
}

}  // namespace berth::api
