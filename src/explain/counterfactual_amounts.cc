// SPDX-License-Identifier: Apache-2.0
// Changes of how much a pod wants, and of how much there is.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "explain/capacity.h"
#include "explain/counterfactual_search.h"
#include "explain/utilization.h"

namespace berth::explain {
namespace {

using api::Json;
using cluster::NodeSlot;

constexpr std::string_view kCordonKey = "node.kubernetes.io/unschedulable";
constexpr size_t kNodeKindsMax = 16;

// Sizes begin here: what is done to a node is more than what is done to the pod.
constexpr double kLowering = 2;  // To nothing.
constexpr double kFreeing = 3;
constexpr double kMakingRoom = 4;
constexpr double kMoreNodes = 5;

int64_t AmountOf(const std::string& resource, const api::Quantity& quantity) {
  return resource == "cpu" ? quantity.MilliValue() : quantity.Value();
}

api::Quantity QuantityOf(const std::string& resource, int64_t amount) {
  using Format = api::Quantity::Format;
  if (resource == "cpu") return api::Quantity::FromMilli(amount);
  const bool is_bytes = resource == "memory" || resource == "ephemeral-storage";
  return api::Quantity::FromInt(amount, is_bytes ? Format::kBinarySi : Format::kDecimalSi);
}

// All lists of requests that a pod has, with the path of each.
std::vector<std::pair<api::ResourceList*, std::string>> RequestsOf(api::PodSpec& spec) {
  std::vector<std::pair<api::ResourceList*, std::string>> lists;
  for (size_t i = 0; i < spec.containers.size(); ++i) {
    lists.emplace_back(&spec.containers[i].requests, fmt::format("/spec/containers/{}/resources/requests", i));
  }
  for (size_t i = 0; i < spec.init_containers.size(); ++i) {
    lists.emplace_back(&spec.init_containers[i].requests, fmt::format("/spec/initContainers/{}/resources/requests", i));
  }
  if (spec.pod_requests) lists.emplace_back(&*spec.pod_requests, "/spec/resources/requests");
  return lists;
}

std::string Escaped(const std::string& name) {
  std::string escaped = name;
  for (size_t slash = escaped.find('/'); slash != escaped.npos; slash = escaped.find('/', slash)) {
    escaped.replace(slash, 1, "~1");
  }
  return escaped;
}

int64_t TotalOf(const cluster::PodInfo& pod, const std::string& resource) {
  const cluster::Resources& requests = pod.pod_template->requests;
  if (resource == "cpu") return requests.cpu_milli;
  if (resource == "memory") return requests.memory_bytes;
  if (resource == "ephemeral-storage") return requests.ephemeral_bytes;
  for (const auto& [name, amount] : requests.scalars) {
    if (name->text == resource) return amount;
  }
  return 0;
}

int64_t FreeOn(const cluster::Cluster& cluster, NodeSlot slot, const std::string& resource) {
  const cluster::NodeTable& nodes = cluster.nodes();
  const uint32_t i = slot.index;
  if (resource == "cpu") return nodes.allocatable_cpu[i] - nodes.requested_cpu[i];
  if (resource == "memory") return nodes.allocatable_memory[i] - nodes.requested_memory[i];
  if (resource == "ephemeral-storage") return nodes.allocatable_ephemeral[i] - nodes.requested_ephemeral[i];
  cluster::ResourceId id;
  if (!cluster.resource_names().Find(resource, id)) return 0;
  const cluster::ScalarColumn* column = nodes.Scalar(id);
  return column == nullptr ? 0 : column->allocatable[i] - nodes.Requested(slot, id);
}

}  // namespace

Result<void> CounterfactualSearch::TryRequests() {
  std::set<std::string> resources;
  api::PodSpec spec = pod_.spec;
  for (const auto& [list, path] : RequestsOf(spec)) {
    for (const auto& [name, quantity] : *list) resources.insert(name);
  }
  for (const std::string& resource : resources) BERTH_CHECK_OK(TryRequest(resource));
  return {};
}

// Without the request the pod fits on some nodes; what is free there is what it could ask for.
Result<void> CounterfactualSearch::TryRequest(const std::string& resource) {
  if (!IsBlamed("Insufficient " + resource)) return {};
  api::Pod without = pod_;
  for (const auto& [list, path] : RequestsOf(without.spec)) {
    if (list->Find(resource) != nullptr) list->Set(resource, QuantityOf(resource, 0));
  }
  BERTH_CHECK_OK(pacer_.Pause());
  const std::vector<NodeSlot> nodes = FitsOn(without);
  if (nodes.empty()) return {};
  const int64_t total = TotalOf(*core_.MakePod(pod_), resource);
  const auto free = [&](NodeSlot slot) { return FreeOn(core_.cluster(), slot, resource); };
  const NodeSlot best = *std::ranges::max_element(nodes, {}, free);
  const int64_t room = std::max<int64_t>(0, free(best));
  if (room >= total) return {};
  BERTH_CHECK_OK(TryLowering(resource, total, room));
  return TryFreeing(resource, best, total - room);
}

Result<void> CounterfactualSearch::TryLowering(const std::string& resource, int64_t total, int64_t to) {
  // That of the container that wants most.
  api::Pod changed = pod_;
  std::pair<api::ResourceList*, std::string> largest{nullptr, ""};
  int64_t present = 0;
  for (const auto& [list, path] : RequestsOf(changed.spec)) {
    const api::Quantity* quantity = list->Find(resource);
    const bool is_pod = path == "/spec/resources/requests";
    if (quantity == nullptr || (!is_pod && AmountOf(resource, *quantity) <= present)) continue;
    largest = {list, path};
    present = AmountOf(resource, *quantity);
  }
  const int64_t lowered = present - (total - to);
  if (largest.first == nullptr || lowered < 0) return {};
  const std::string before = largest.first->Find(resource)->String();
  const std::string after = QuantityOf(resource, lowered).String();
  largest.first->Set(resource, QuantityOf(resource, lowered));
  Json patch = Json::MakeList({Json{{"op", Json::String("replace")},
                                    {"path", Json::String(largest.second + "/" + Escaped(resource))},
                                    {"value", Json::String(after)}}});
  Counterfactual change{.kind = "lowerRequest",
                        .text = fmt::format("lower the request of {} from {} to {}", resource, before, after),
                        .size = kLowering * static_cast<double>(total - to) / static_cast<double>(total),
                        .pod_patch = std::move(patch)};
  BERTH_CHECK_OK(Consider(changed, std::move(change)));
  return {};
}

Result<void> CounterfactualSearch::TryFreeing(const std::string& resource, NodeSlot slot, int64_t missing) {
  api::Node node = *core_.cluster().nodes().node[slot.index];
  const api::Quantity* present = node.allocatable.Find(resource);
  const int64_t allocatable = present == nullptr ? 0 : AmountOf(resource, *present);
  node.allocatable.Set(resource, QuantityOf(resource, allocatable + missing));
  const std::string amount = QuantityOf(resource, missing).String();
  const double share = allocatable > 0 ? static_cast<double>(missing) / static_cast<double>(allocatable) : 1;
  Counterfactual change{
      .kind = "freeOnNode",
      .text = fmt::format("free {} of {} on node {}, or add as much", amount, resource, node.meta.name),
      .size = kFreeing + std::min(1.0, share)};
  BERTH_CHECK_OK(ConsiderNode(node, std::move(change)));
  return {};
}

Result<void> CounterfactualSearch::TryPodSlots() {
  const auto full = std::ranges::find(reasons_, "Too many pods", &std::pair<std::string, NodeSlot>::first);
  if (full == reasons_.end()) return {};
  for (const auto& [reason, slot] : reasons_) {
    if (reason != "Too many pods") continue;
    api::Node node = *core_.cluster().nodes().node[slot.index];
    node.allocatable.Set("pods", api::Quantity::FromInt(core_.cluster().nodes().pod_count[slot.index] + 1));
    Counterfactual change{
        .kind = "freeOnNode", .text = fmt::format("remove a pod from node {}", node.meta.name), .size = kFreeing};
    if (BERTH_TRY(ConsiderNode(node, std::move(change)))) return {};
  }
  return {};
}

// One more node of each kind that there is.
Result<void> CounterfactualSearch::TryMoreNodes() {
  std::map<std::pair<uint32_t, uint32_t>, NodeSlot> kinds;  // By labels and taints; sizes go with instance types.
  const cluster::NodeTable& nodes = core_.cluster().nodes();
  for (const NodeSlot slot : core_.cluster().order()) {
    if (kinds.size() == kNodeKindsMax) break;
    kinds.try_emplace({nodes.label_set[slot.index], nodes.taint_set[slot.index]}, slot);
  }
  for (const auto& [kind, slot] : kinds) {
    api::Node node = *nodes.node[slot.index];
    const std::string like = node.meta.name;
    node.meta.name = node.meta.uid = "added-for-" + like;
    node.meta.labels.Set(std::string(cluster::kHostnameLabel), node.meta.name);
    node.unschedulable = false;
    std::erase_if(node.taints, [](const api::Taint& taint) { return taint.key == kCordonKey; });
    Counterfactual change{.kind = "addNode",
                          .text = fmt::format("add a node like {} ({})", like, NodeClass(node)),
                          .size = kMoreNodes,
                          .change = Json{{"addNodes", Json{{"count", Json::Int(1)}, {"like", Json::String(like)}}}}};
    if (BERTH_TRY(ConsiderNode(node, std::move(change)))) found_.back().node = "the new node";
  }
  return {};
}

Result<void> CounterfactualSearch::TryPriority() {
  std::set<int32_t> priorities;
  const cluster::NodeTable& nodes = core_.cluster().nodes();
  const int32_t own = pod_.spec.priority.value_or(0);
  for (const NodeSlot slot : core_.cluster().order()) {
    for (const cluster::PodPtr& pod : nodes.pods[slot.index].pods) {
      if (pod->priority() >= own) priorities.insert(pod->priority());
    }
  }
  const auto at = [&](int32_t priority) {
    api::Pod changed = pod_;
    changed.spec.priority = priority;
    changed.spec.preemption_policy = "PreemptLowerPriority";
    return changed;
  };
  std::vector<int32_t> above{own};  // The pod may have been told not to preempt.
  for (const int32_t priority : priorities) {
    if (priority < std::numeric_limits<int32_t>::max()) above.push_back(priority + 1);
  }
  // At a higher priority there are more whom it may evict.
  size_t first = 0;
  size_t last = above.size();
  while (first < last) {
    const size_t middle = first + (last - first) / 2;
    BERTH_CHECK_OK(pacer_.Pause());
    Try(at(above[middle])).nominated_node.empty() ? first = middle + 1 : last = middle;
  }
  if (first == above.size()) return {};
  BERTH_CHECK_OK(pacer_.Pause());
  Finding finding = Try(at(above[first]));
  found_.push_back({.kind = "preempt",
                    .text = above[first] == own ? "let it preempt others"
                                                : fmt::format("raise its priority from {} to {}", own, above[first]),
                    .size = kMakingRoom + std::min(0.9, 0.1 * static_cast<double>(finding.victims.size())),
                    .node = std::move(finding.nominated_node),
                    .victims = std::move(finding.victims),
                    .pod_patch = {},
                    .change = {}});
  return {};
}

}  // namespace berth::explain
