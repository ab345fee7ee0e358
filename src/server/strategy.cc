// SPDX-License-Identifier: Apache-2.0
#include "server/strategy.h"

#include "api/typed/typed.h"

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
