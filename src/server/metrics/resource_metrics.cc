// SPDX-License-Identifier: Apache-2.0
#include "server/metrics/resource_metrics.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "api/parts/quantity.h"
#include "server/controllers/autoscaling/pod_usage.h"
#include "server/controllers/autoscaling/replica_proposal.h"

namespace berth::server {
namespace {

constexpr std::string_view kGroup = "metrics.k8s.io";
constexpr std::string_view kVersion = "v1beta1";
constexpr std::string_view kApiVersion = "metrics.k8s.io/v1beta1";

constexpr std::string_view kUsage =
    R"({"type":"object","additionalProperties":{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]}})";

Json Column(std::string_view name, std::string_view path) {
  return Json{{"name", Json::String(name)}, {"type", Json::String("string")}, {"jsonPath", Json::String(path)}};
}

// As a definition would say it.
Json DefinitionOf(std::string_view kind, const Json& properties) {
  Json schema{{"type", Json::String("object")}, {"properties", properties}};
  Json version{{"name", Json::String(kVersion)},
               {"schema", Json{{"openAPIV3Schema", std::move(schema)}}},
               {"additionalPrinterColumns", Json::MakeList()}};
  const bool is_node = kind == "NodeMetrics";
  const std::string usage = is_node ? ".usage" : ".containers[*].usage";
  version.Make("additionalPrinterColumns").Append(Column("CPU", usage + ".cpu"));
  version.Make("additionalPrinterColumns").Append(Column("Memory", usage + ".memory"));
  version.Make("additionalPrinterColumns").Append(Column("Window", ".window"));
  return Json{{"spec", Json{{"group", Json::String(kGroup)},
                            {"names", Json{{"kind", Json::String(kind)}}},
                            {"versions", Json::MakeList({std::move(version)})}}}};
}

Json Definition(std::string_view kind) {
  const Json text{{"type", Json::String("string")}};
  const Json usage = ParseTree(kUsage).value();
  Json properties{{"timestamp", text}, {"window", text}};
  if (kind == "NodeMetrics") {
    properties.Set("usage", usage);
  } else {
    properties.Set("containers", Json{{"type", Json::String("array")},
                                      {"items", Json{{"type", Json::String("object")},
                                                     {"properties", Json{{"name", text}, {"usage", usage}}}}}});
  }
  return DefinitionOf(kind, properties);
}

CustomKind KindOf(std::string_view kind) {
  const Json definition = Definition(kind);
  return {definition, definition["spec"]["versions"][size_t{0}]};
}

Json Amounts(int64_t cpu_milli, int64_t memory_bytes) {
  using api::Quantity;
  return Json{{"cpu", Json::String(Quantity::FromMilli(cpu_milli).String())},
              {"memory", Json::String(Quantity::FromInt(memory_bytes, Quantity::Format::kBinarySi).String())}};
}

ObjectPtr ObjectOf(const Resource& resource, Json tree) {
  return std::make_shared<const StoredObject>(resource, std::move(tree), 0);
}

}  // namespace

ResourceMetrics::ResourceMetrics(Catalog& catalog, Store& store, ApiServer& api, const Cluster& cluster)
    : cluster_(cluster),
      node_resource_(cluster.Get("", "nodes")),
      node_kind_(KindOf("NodeMetrics")),
      pod_kind_(KindOf("PodMetrics")),
      nodes_(Add(catalog, "nodes", node_kind_)),
      pods_(Add(catalog, "pods", pod_kind_)) {
  store.Extend(catalog);
  catalog.Refresh();
  api.Serve(nodes_, [this](std::string_view, std::string_view name) { return OfNodes(name); });
  api.Serve(pods_, [this](std::string_view ns, std::string_view name) { return OfPods(ns, name); });
}

const Resource& ResourceMetrics::Add(Catalog& catalog, std::string_view plural, const CustomKind& kind) {
  auto made = std::make_unique<Resource>();
  const bool is_pod = plural == "pods";
  made->group = kGroup;
  made->version = kVersion;
  made->plural = plural;
  made->kind = is_pod ? "PodMetrics" : "NodeMetrics";
  made->list_kind = is_pod ? "PodMetricsList" : "NodeMetricsList";
  made->api_version = kApiVersion;
  made->namespaced = is_pod;
  made->verbs = {"get", "list"};
  made->custom = &kind;
  made->strategy = &kind;
  made->stored = made.get();
  const Resource& resource = *made;
  catalog.Add(std::move(made));
  return resource;
}

Json ResourceMetrics::Frame(const Resource& resource, const StoredObject& about) const {
  const std::string now = FormatTime(cluster_.objects.now());
  Json metadata{{"name", Json::String(about.name())}, {"creationTimestamp", Json::String(now)}};
  if (!about.ns().empty()) metadata.Set("namespace", about.ns());
  if (const TreePtr tree = about.tree(); (*tree)["metadata"].Has("labels")) {
    metadata.Set("labels", (*tree)["metadata"]["labels"]);
  }
  return Json{{"apiVersion", Json::String(resource.api_version)},
              {"kind", Json::String(resource.kind)},
              {"metadata", std::move(metadata)},
              {"timestamp", Json::String(now)},
              {"window", Json::String(FormatDuration(kMetricWindow))}};
}

std::vector<ObjectPtr> ResourceMetrics::OfPods(std::string_view ns, std::string_view name) const {
  std::vector<ObjectPtr> found;
  const auto add = [&](const PodInfo& pod) {
    const std::vector<ContainerUsage> usage = UsageOf(pod);
    if (usage.empty()) return;
    Json tree = Frame(pods_, *pod.object);
    for (const ContainerUsage& each : usage) {
      tree.Make("containers")
          .Append(Json{{"name", Json::String(each.name)}, {"usage", Amounts(each.cpu_milli, each.memory_bytes)}});
    }
    found.push_back(ObjectOf(pods_, std::move(tree)));
  };
  if (!name.empty()) {
    if (const PodInfo* pod = cluster_.pods.Find(ObjectKey(ns, name))) add(*pod);
    return found;
  }
  const std::string prefix = ns.empty() ? "" : std::string(ns) + "/";
  const auto& all = cluster_.pods.all();
  for (auto at = all.lower_bound(prefix); at != all.end() && at->first.starts_with(prefix); ++at) add(at->second);
  return found;
}

std::vector<ObjectPtr> ResourceMetrics::OfNodes(std::string_view name) {
  std::vector<ObjectPtr> found;
  for (const auto& [key, node] : cluster_.store().All(node_resource_)) {
    if (!name.empty() && key != name) continue;
    Usage sum;
    for (const std::string& pod : cluster_.pods.OnNode(key)) {
      const Usage usage = TotalOf(*cluster_.pods.Find(pod));
      AddAmount(sum.cpu_milli, usage.cpu_milli);
      AddAmount(sum.memory_bytes, usage.memory_bytes);
    }
    Json tree = Frame(nodes_, *node);
    tree.Set("usage", Amounts(sum.cpu_milli, sum.memory_bytes));
    found.push_back(ObjectOf(nodes_, std::move(tree)));
  }
  // Those that are gone are not kept for ever.
  if (known_.size() > 2 * cluster_.pods.all().size()) known_.clear();
  return found;
}

ResourceMetrics::Usage ResourceMetrics::TotalOf(const PodInfo& pod) {
  Known& known = known_[pod.key()];
  if (known.revision == pod.object->revision()) return known.usage;
  known = {.revision = pod.object->revision(), .usage = {}};
  for (const ContainerUsage& each : UsageOf(pod)) {
    AddAmount(known.usage.cpu_milli, each.cpu_milli);
    AddAmount(known.usage.memory_bytes, each.memory_bytes);
  }
  return known.usage;
}

}  // namespace berth::server
