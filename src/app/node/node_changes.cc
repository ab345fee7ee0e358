// SPDX-License-Identifier: Apache-2.0
#include "app/node/node_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "server/model/find_condition.h"
#include "server/nodes/node_shapes.h"
#include "server/nodes/node_status.h"

namespace berth::node {
namespace {

constexpr std::string_view kHostname = "kubernetes.io/hostname";
constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::string_view kStateTaints = "node.kubernetes.io/";  // How their keys begin.

// PREFIX-NUMBER; without a number, the name is the prefix.
struct NumberedName {
  std::string_view prefix;
  std::optional<uint64_t> number;
};

NumberedName Split(std::string_view name) {
  const size_t dash = name.rfind('-');
  if (dash == std::string_view::npos || dash + 1 == name.size()) return {.prefix = name, .number = std::nullopt};
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data() + dash + 1, name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return {.prefix = name, .number = std::nullopt};
  return {.prefix = name.substr(0, dash), .number = number};
}

uint64_t LastNumber(std::string_view prefix, const std::vector<std::string>& present) {
  uint64_t last = 0;
  for (const std::string& name : present) {
    const NumberedName split = Split(name);
    if (split.number && split.prefix == prefix) last = std::max(last, *split.number);
  }
  return last;
}

Json Taints(const Json& model) {
  Json taints = Json::MakeList();
  for (const Json& taint : model["spec"]["taints"].items()) {
    if (taint["key"].text().starts_with(kStateTaints)) continue;
    Json copy = taint;
    copy.Erase("timeAdded");
    taints.Append(std::move(copy));
  }
  return taints;
}

// The conditions in `wanted` that differ from those of the node, with the time of the change.
Json ConditionsPatch(const Json& node, const Json& wanted, Time now) {
  Json changed = Json::MakeList();
  for (Json condition : wanted.items()) {
    const Json& present = server::FindCondition(node["status"]["conditions"], condition["type"].text());
    if (present["status"] == condition["status"] && present["reason"] == condition["reason"]) continue;
    condition.Set("lastTransitionTime", FormatTime(now));
    changed.Append(std::move(condition));
  }
  return Json{{"status", Json{{"conditions", std::move(changed)}}}};
}

Json Condition(std::string_view type, std::string_view status, std::string_view reason, std::string_view message) {
  return Json{{"type", Json::String(type)},
              {"status", Json::String(status)},
              {"reason", Json::String(reason)},
              {"message", Json::String(message)}};
}

}  // namespace

std::vector<Json> NewNodes(uint32_t count, const Json& model, const std::vector<std::string>& present) {
  const server::NodeShape shape = server::DefaultShapes(count).front();
  const std::string prefix(model.is_null() ? shape.name : Split(model["metadata"]["name"].text()).prefix);
  const uint64_t last = LastNumber(prefix, present);
  Json labels = model["metadata"]["labels"];
  labels.Erase(kHostname);
  const Json taints = Taints(model);
  const Json& status = model["status"];
  const Json resources = status["allocatable"].empty() ? shape.resources : status["allocatable"];
  const Json capacity = status["capacity"].empty() ? resources : status["capacity"];
  std::vector<Json> nodes;
  for (uint64_t number = last + 1; number <= last + count; ++number) {
    if (model.is_null()) labels.Set(kZone, shape.zones[(number - 1) % shape.zones.size()]);
    Json node{{"apiVersion", Json::String("v1")}, {"kind", Json::String("Node")}};
    node.Make("metadata").Set("name", fmt::format("{}-{}", prefix, number));
    if (!labels.empty()) node.Make("metadata").Set("labels", labels);
    if (!taints.empty()) node.Make("spec").Set("taints", taints);
    node.Make("status").Set("capacity", capacity);
    node.Make("status").Set("allocatable", resources);
    nodes.push_back(std::move(node));
  }
  return nodes;
}

Json ResizePatch(const Json& resources) {
  return Json{{"status", Json{{"capacity", resources}, {"allocatable", resources}}}};
}

Json FailPatch(const Json& node, bool is_heard_of, Time now) {
  if (is_heard_of) {
    return ConditionsPatch(
        node,
        Json::MakeList({Condition("Ready", "False", "KubeletNotReady", "the node was failed by `berth node fail`")}),
        now);
  }
  // As the node controller writes it.
  Json unknown = Json::MakeList();
  for (const std::string_view type : {"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"}) {
    unknown.Append(Condition(type, "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status."));
  }
  return ConditionsPatch(node, unknown, now);
}

Json HealPatch(const Json& node, Time now) { return ConditionsPatch(node, server::ReadyConditions(now), now); }

}  // namespace berth::node
