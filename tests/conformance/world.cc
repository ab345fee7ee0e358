// SPDX-License-Identifier: Apache-2.0
#include "conformance/world.h"

#include "api/decode.h"
#include "api/source.h"
#include "base/time.h"

namespace berth::conformance {

Result<void> World::Apply(api::Value object) {
  Result<api::Object> decoded = api::DecodeObject(object);
  if (!decoded) {
    if (decoded.error().code == Code::kNotFound) return {};
    return std::unexpected(decoded.error());
  }
  if (keep_sources_) BERTH_CHECK_OK(api::KeepSource(*decoded, object));
  const api::ObjectMeta& meta = api::MetaOf(*decoded);
  objects_.insert_or_assign({std::string(api::KindOf(*decoded)), meta.ns, meta.name}, *std::move(decoded));
  return {};
}

void World::Delete(std::string_view kind, std::string_view ns, std::string_view name) {
  objects_.erase({std::string(kind), std::string(ns), std::string(name)});
}

api::Pod* World::FindPod(std::string_view full_name) {
  const size_t slash = full_name.find('/');
  const auto it =
      objects_.find({"Pod", std::string(full_name.substr(0, slash)), std::string(full_name.substr(slash + 1))});
  return it == objects_.end() ? nullptr : &std::get<api::Pod>(it->second);
}

Result<void> World::ApplyEffects(api::Value effects, std::string_view pod) {
  const api::Value applied = effects["apply"];
  for (size_t i = 0; i < applied.size(); ++i) BERTH_CHECK_OK(Apply(applied[i]));
  const api::Value deleted = effects["delete"];
  for (size_t i = 0; i < deleted.size(); ++i) {
    Delete(deleted[i]["kind"].text(), deleted[i]["namespace"].text(), deleted[i]["name"].text());
  }
  const api::Value cleared = effects["clearNominated"];
  for (size_t i = 0; i < cleared.size(); ++i) {
    if (api::Pod* other = FindPod(cleared[i].text())) other->status.nominated_node_name.clear();
  }
  api::Pod* target = FindPod(pod);
  if (target == nullptr) return {};
  if (const api::Value nominate = effects["nominate"]; nominate.is_string()) {
    target->status.nominated_node_name = nominate.text();
  }
  if (const api::Value bind = effects["bind"]; bind.is_map()) {
    target->node_name = bind["node"].text();
    target->status.phase = "Running";
    target->status.start_time = BERTH_TRY(ParseTime(bind["startTime"].text()));
    target->status.nominated_node_name.clear();
    BERTH_CHECK_OK(api::DecodeClaimStatuses(bind, target->status));
  }
  return {};
}

}  // namespace berth::conformance
