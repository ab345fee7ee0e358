// SPDX-License-Identifier: Apache-2.0
#include "server/model/strategy.h"

#include "api/parts/selector.h"
#include "api/typed/typed.h"
#include "server/model/path_segment.h"

namespace berth::server {
namespace {

// Takes the member from `old`, absent if it is absent there.
void Restore(Json& object, const Json& old, std::string_view name) {
  if (const Json* const value = old.Find(name)) {
    object.Set(name, *value);
  } else {
    object.Erase(name);
  }
}

}  // namespace

void Strategy::PrepareCreate(Json& object) const {
  if (has_status() && !keeps_status_at_create()) ResetMember(object, "status");
  if (has_generation()) object.Make("metadata").Set("generation", Json::Int(1));
}

void Strategy::PrepareUpdate(Json& object, const Json& old) const {
  if (has_status()) Restore(object, old, "status");
}

void Strategy::PrepareStatusUpdate(Json& object, const Json& old) const {
  Json changed = old;
  Restore(changed, object, "status");
  Restore(changed, object, "metadata");
  object = std::move(changed);
}

void Strategy::ValidateChange(const Json& object, const Json& old, FieldErrors& errors) const {
  Validate(object, errors);
  ValidateUpdate(object, old, errors);
}

Problems Strategy::CheckName(const Json& /*object*/, std::string_view name, bool is_prefix) const {
  if (name_rule() == NameRule::kPathSegment) return CheckPathSegment(name, is_prefix);
  std::string masked(name);
  // A dash at the end of a prefix will not be at the end of the name. Upstream looks at the prefix without the
  // character before it.
  if (is_prefix && masked.size() > 1 && masked.back() == '-') masked.replace(masked.size() - 2, 2, "a");
  return name_rule() == NameRule::kDnsLabel ? CheckDnsLabel(masked) : api::ValidateDnsSubdomain(masked);
}

std::string Strategy::SelectableField(const Json& object, std::string_view path) const {
  const Json* at = &object;
  while (!path.empty()) {
    const size_t end = std::min(path.find('.'), path.size());
    at = &(*at)[path.substr(0, end)];
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  if (at->is_bool()) return at->AsBool() ? "true" : "false";
  return at->text();
}

}  // namespace berth::server
