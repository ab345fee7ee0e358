// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/node_shapes.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/parts/quantity.h"
#include "api/parts/selector.h"
#include "server/model/metadata.h"
#include "server/model/resource.h"
#include "server/model/strategy.h"
#include "server/nodes/address_pool.h"
#include "server/nodes/node_status.h"

namespace berth::server {
namespace {

constexpr int64_t kNodesMax = 100'000;

std::unexpected<Error> Expected(size_t index, std::string_view member, std::string_view what) {
  return Invalid(fmt::format("nodes[{}].{}: expected {}", index, member, what));
}

bool IsTextMap(const Json& map) {
  for (const Json::Member& member : map.members()) {
    if (!member.value.is_string()) return false;
  }
  return map.is_map();
}

bool IsWholeTaint(const Json& taint) {
  for (const Json::Member& member : taint.members()) {
    if (member.name != "key" && member.name != "value" && member.name != "effect") return false;
  }
  const std::string& effect = taint["effect"].text();
  return !taint["key"].text().empty() &&
         (effect == "NoSchedule" || effect == "PreferNoSchedule" || effect == "NoExecute");
}

// Amounts may be written as numbers or as text.
Result<Json> ReadResources(size_t index, const Json& given) {
  if (given.is_null()) return DefaultResources();
  if (!given.is_map()) return Expected(index, "resources", "a map of amounts, such as {cpu: 8, memory: 32Gi}");
  Json resources;
  for (const Json::Member& member : given.members()) {
    // The API server takes any name here, but no pod could ask for it.
    if (const auto problems = api::ValidateQualifiedName(member.name); !problems.empty()) {
      return Invalid(fmt::format("nodes[{}].resources: \"{}\" is no name of a resource: {}", index, member.name,
                                 problems.front()));
    }
    const Result<api::Quantity> amount = api::Quantity::Parse(member.value.text());
    if (!amount || amount->Sign() < 0) {
      return Expected(index, "resources." + member.name, "an amount, such as 8, 500m or 32Gi");
    }
    resources.Set(member.name, amount->String());
  }
  resources.SetDefault("pods", Json::String("110"));
  return resources;
}

Result<NodeShape> ReadShape(size_t index, const Json& given) {
  if (!given.is_map()) return Invalid(fmt::format("nodes[{}]: expected a map", index));
  NodeShape shape;
  for (const Json::Member& member : given.members()) {
    const Json& value = member.value;
    if (member.name == "name") {
      if (!value.is_string() || value.text().empty()) return Expected(index, "name", "a name");
      shape.name = value.text();
    } else if (member.name == "count") {
      const int64_t count = value.IntOr(-1);
      if (count < 0 || count > kNodesMax) return Expected(index, "count", fmt::format("a number up to {}", kNodesMax));
      shape.count = static_cast<uint32_t>(count);
    } else if (member.name == "zones") {
      if (!value.is_list()) return Expected(index, "zones", "a list of names");
      for (const Json& zone : value.items()) {
        if (!zone.is_string()) return Expected(index, "zones", "a list of names");
        shape.zones.push_back(zone.text());
      }
    } else if (member.name == "labels") {
      if (!IsTextMap(value)) return Expected(index, "labels", "a map of texts");
      shape.labels = value;
    } else if (member.name == "taints") {
      if (!value.is_list() || !std::ranges::all_of(value.items(), IsWholeTaint)) {
        return Expected(index, "taints", "a list of {key, value, effect}");
      }
      shape.taints = value;
    } else if (member.name != "resources") {
      return Invalid(
          fmt::format("nodes[{}]: unknown member \"{}\"; known are count, labels, name, resources, taints, zones",
                      index, member.name));
    }
  }
  shape.resources = BERTH_TRY(ReadResources(index, given["resources"]));
  return shape;
}

Json MakeNode(const NodeShape& shape, uint32_t index, uint32_t number, Time now) {
  const std::string name = fmt::format("{}-{}", shape.name, index + 1);
  Json node{{"apiVersion", Json::String("v1")}, {"kind", Json::String("Node")}};
  node.Make("metadata").Set("name", name);
  Json& labels = node.Make({"metadata", "labels"});
  labels = shape.labels;
  AddNodeLabels(labels, name);
  if (!shape.zones.empty()) labels.Set("topology.kubernetes.io/zone", shape.zones[index % shape.zones.size()]);
  node.Set("spec", Json::MakeMap());
  if (!shape.taints.empty()) node.Make("spec").Set("taints", shape.taints);
  Json& status = node.Make("status");
  status.Set("capacity", shape.resources);
  status.Set("allocatable", shape.resources);
  CompleteStatus(status, name, HostAddress(kNodeNetwork, number), now);
  return node;
}

// By the rules of the API server. The last nodes have the longest names, and together every zone.
Result<void> CheckNodes(size_t index, const NodeShape& shape, const Resource& nodes) {
  const uint32_t count = std::max<uint32_t>(shape.count, 1);
  const auto checked = static_cast<uint32_t>(std::clamp<size_t>(shape.zones.size(), 1, count));
  for (uint32_t i = count - checked; i < count; ++i) {
    const Json node = MakeNode(shape, i, 1, Time{});
    FieldErrors errors;
    ValidateMetadata(node, nodes, errors);
    nodes.strategy->Validate(node, errors);
    if (errors.empty()) continue;
    const FieldError& first = errors.all().front();
    return Invalid(fmt::format("nodes[{}]: {}: {}", index, first.field, first.message));
  }
  return {};
}

Result<void> AddShape(const Json& given, const Resource& nodes, std::vector<NodeShape>& shapes) {
  const size_t index = shapes.size();
  NodeShape shape = BERTH_TRY(ReadShape(index, given));
  if (std::ranges::find(shapes, shape.name, &NodeShape::name) != shapes.end()) {
    return Invalid(fmt::format("nodes[{}].name: another shape is called {}, too", index, shape.name));
  }
  BERTH_CHECK_OK(CheckNodes(index, shape, nodes));
  shapes.push_back(std::move(shape));
  return {};
}

}  // namespace

std::vector<NodeShape> DefaultShapes(uint32_t count) {
  NodeShape shape;
  shape.count = count;
  shape.resources = DefaultResources();
  shape.zones = {"zone-a", "zone-b", "zone-c"};
  return {shape};
}

Result<std::vector<NodeShape>> ParseShapes(std::string_view text) {
  const std::vector<api::Document> documents = BERTH_TRY(api::ParseJsonOrYaml(text));
  if (documents.size() != 1) return Invalid("expected one document with a list `nodes`");
  const api::Value root = documents.front().root();
  for (size_t i = 0; i < root.size(); ++i) {
    if (root.is_map() && root.key(i) != "nodes") return Invalid(fmt::format("unknown member \"{}\"", root.key(i)));
  }
  const api::Value given = root["nodes"];
  if (!given.is_list()) return Invalid("expected a list `nodes`");
  const Catalog catalog;
  const Resource& nodes = catalog.Get("", "nodes");
  std::vector<NodeShape> shapes;
  for (size_t i = 0; i < given.size(); ++i) {
    const Result<void> added = AddShape(Json::FromValue(given[i]), nodes, shapes);
    if (added) continue;
    const std::string line = given[i].line() == 0 ? "" : fmt::format("line {}: ", given[i].line());
    return Fail(added.error().code, line + added.error().message);
  }
  return shapes;
}

std::vector<Json> MakeNodes(const std::vector<NodeShape>& shapes, Time now) {
  std::vector<Json> nodes;
  uint32_t number = 0;
  for (const NodeShape& shape : shapes) {
    for (uint32_t i = 0; i < shape.count; ++i) nodes.push_back(MakeNode(shape, i, ++number, now));
  }
  return nodes;
}

}  // namespace berth::server
