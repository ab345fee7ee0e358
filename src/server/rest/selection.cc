// SPDX-License-Identifier: Apache-2.0
#include "server/rest/selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/document/field_error.h"
#include "server/model/strategy.h"

namespace berth::server {
namespace {

bool IsOfMetadata(std::string_view path) { return path == "metadata.name" || path == "metadata.namespace"; }

bool MayAskFor(const Resource& resource, std::string_view path) {
  if (path == "metadata.name" || (path == "metadata.namespace" && resource.namespaced)) return true;
  const auto fields = resource.strategy->selectable_fields();
  return std::ranges::find(fields, path) != fields.end();
}

// The name that a field has in the stored form.
std::string StoredPath(const Resource& resource, std::string path) {
  if (resource.stored == &resource || resource.custom != nullptr) return path;
  constexpr std::string_view kRegarding = "regarding.";
  if (path.starts_with(kRegarding)) return "involvedObject." + path.substr(kRegarding.size());
  if (path == "reportingController") return "reportingComponent";
  return path;
}

}  // namespace

Outcome<Selection> Selection::Create(const Resource& resource, std::string_view ns, std::string_view labels,
                                     std::string_view fields) {
  Selection selection;
  selection.ns_ = ns;
  Result<api::Selector> parsed = ParseLabelSelector(labels);
  if (!parsed) return BadRequest(parsed.error().message);
  selection.labels_ = std::move(*parsed);
  Result<std::vector<FieldTerm>> terms = ParseFieldSelector(fields);
  if (!terms) return BadRequest(terms.error().message);
  for (const FieldTerm& term : *terms) {
    if (!MayAskFor(resource, term.path)) {
      if (resource.custom != nullptr || !resource.strategy->selectable_fields().empty()) {
        return BadRequest("field label not supported: " + term.path);
      }
      return BadRequest(fmt::format("{} is not a known field selector: only \"metadata.name\", \"metadata.namespace\"",
                                    api::GoQuote(term.path)));
    }
  }
  const bool is_custom_view = resource.custom != nullptr && resource.stored != &resource;
  if (is_custom_view && std::ranges::any_of(*terms, [](const FieldTerm& term) { return !IsOfMetadata(term.path); })) {
    selection.shown_as_ = &resource;
  }
  for (FieldTerm& term : *terms) term.path = StoredPath(resource, std::move(term.path));
  selection.fields_ = std::move(*terms);
  return selection;
}

bool Selection::MayMatch(const StoredObject& object) const {
  if (!ns_.empty() && object.ns() != ns_) return false;
  if (!labels_.Matches(object.labels())) return false;
  return std::ranges::all_of(fields_, [&](const FieldTerm& term) {
    const bool is_later = shown_as_ != nullptr && !IsOfMetadata(term.path);
    return is_later || (object.Field(term.path) == term.value) == term.is_equal;
  });
}

bool Selection::Matches(const StoredObject& object, const Json* shown) const {
  if (!MayMatch(object)) return false;
  if (shown_as_ == nullptr) return true;
  Json made;
  if (shown == nullptr) {
    made = FromStored(*shown_as_, object.Tree());
    shown = &made;
  }
  return std::ranges::all_of(fields_, [&](const FieldTerm& term) {
    if (IsOfMetadata(term.path)) return true;
    return (shown_as_->strategy->SelectableField(*shown, term.path) == term.value) == term.is_equal;
  });
}

}  // namespace berth::server
