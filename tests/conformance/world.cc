// SPDX-License-Identifier: Apache-2.0
#include "conformance/world.h"

#include "api/decode/decode.h"
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
  if (auto* group = std::get_if<api::PodGroup>(&*decoded); group != nullptr && group->conditions.empty()) {
    const auto old = objects_.find({"PodGroup", meta.ns, meta.name});
    if (old != objects_.end() && std::get<api::PodGroup>(old->second).meta.uid == meta.uid) {
      group->conditions = std::get<api::PodGroup>(old->second).conditions;
    }
  }
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

Result<void> World::ApplyGroup(api::Value expect, std::string_view ns, std::string_view name, bool keeps_conditions) {
  const api::Value group = expect["group"];
  if (!group["startTime"].is_string()) return {};  // It was gated.
  const Time start = BERTH_TRY(ParseTime(group["startTime"].text()));
  const api::Value pods = group["pods"];
  for (size_t i = 0; i < pods.size(); ++i) {
    api::Pod* pod = FindPod(pods.key(i));
    if (pod == nullptr) continue;
    if (const api::Value nominate = pods[i]["nominate"]; nominate.is_string()) {
      pod->status.nominated_node_name = nominate.text();
    }
    if (pods[i]["outcome"].text() != "scheduled") continue;
    pod->node_name = pods[i]["bound"].text();
    pod->status.phase = "Running";
    pod->status.start_time = start;
    pod->status.nominated_node_name.clear();
  }
  const auto set = [&](std::string_view pod_group, api::Value conditions) {
    const auto found = objects_.find({"PodGroup", std::string(ns), std::string(pod_group)});
    if (!keeps_conditions || found == objects_.end()) return;
    auto& object = std::get<api::PodGroup>(found->second);
    object.conditions.clear();
    for (size_t i = 0; i < conditions.size(); ++i) {
      object.conditions.push_back({.type = std::string(conditions[i]["type"].text()),
                                   .status = std::string(conditions[i]["status"].text()),
                                   .reason = std::string(conditions[i]["reason"].text()),
                                   .message = std::string(conditions[i]["message"].text()),
                                   .observed_generation = object.meta.generation,
                                   .last_transition_time = start});
    }
  };
  if (group["conditions"].size() > 0) set(name, group["conditions"]);
  const api::Value groups = group["groups"];
  for (size_t i = 0; i < groups.size(); ++i) set(groups.key(i), groups[i]);
  return ApplyEffects(expect["effects"], "");
}

}  // namespace berth::conformance
