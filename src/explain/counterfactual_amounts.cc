// SPDX-License-Identifier: Apache-2.0
// Changes of how much a pod wants, and of how much there is.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "explain/capacity.h"
#include "explain/counterfactual_search.h"
#include "explain/json_patch_ops.h"
#include "explain/object_forms.h"
#include "explain/taints.h"
#include "explain/utilization.h"

namespace berth::explain {
namespace {

using api::Json;
using cluster::NodeSlot;

constexpr size_t kNodeKindsMax = 16;
constexpr int64_t kCoarseBytes = 1 << 20;

// Sizes begin here: what is done to a node is more than what is done to the pod.
constexpr double kLowering = 2;  // To nothing.
constexpr double kFreeing = 3;
constexpr double kMakingRoom = 4;
constexpr double kMoreNodes = 5;

bool IsBytes(const std::string& resource) { return resource == "memory" || resource == "ephemeral-storage"; }

int64_t AmountOf(const std::string& resource, const api::Quantity& quantity) {
  return resource == "cpu" ? quantity.MilliValue() : quantity.Value();
}

api::Quantity QuantityOf(const std::string& resource, int64_t amount) {
  using Format = api::Quantity::Format;
  if (resource == "cpu") return api::Quantity::FromMilli(amount);
  return api::Quantity::FromInt(amount, IsBytes(resource) ? Format::kBinarySi : Format::kDecimalSi);
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

// As in a question.
Json AllocatableChange(const std::string& node, const std::string& resource, int64_t amount) {
  Json amounts = Json::MakeMap();
  amounts.Set(resource, QuantityOf(resource, amount).String());
  return Json{{"patch", Json{{"kind", Json::String("Node")},
                             {"name", Json::String(node)},
                             {"patch", Json{{"status", Json{{"allocatable", std::move(amounts)}}}}}}}};
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

struct Lowered {
  api::Pod pod;
  std::vector<Json> operations;  // Of its manifest.
  std::string before, after;
};

// The pod with so much less of the resource in the container that wants most; nothing if that is too much.
std::optional<Lowered> Lower(const api::Pod& pod, const std::string& resource, int64_t by) {
  Lowered lowered{pod, {}, "", ""};
  std::pair<api::ResourceList*, std::string> largest{nullptr, ""};
  int64_t present = 0;
  for (const auto& [list, path] : RequestsOf(lowered.pod.spec)) {
    const api::Quantity* quantity = list->Find(resource);
    const bool is_pod = path == "/spec/resources/requests";
    if (quantity == nullptr || (!is_pod && AmountOf(resource, *quantity) <= present)) continue;
    largest = {list, path};
    present = AmountOf(resource, *quantity);
  }
  if (largest.first == nullptr || present < by) return std::nullopt;
  lowered.before = largest.first->Find(resource)->String();
  lowered.after = QuantityOf(resource, present - by).String();
  largest.first->Set(resource, QuantityOf(resource, present - by));
  const std::string path = largest.second + "/" + PointerToken(resource);
  lowered.operations.push_back(Operation("replace", path, Json::String(lowered.after)));
  // Of extended resources the limit is the request.
  if (cluster::IsExtendedName(resource)) {
    const std::string limit =
        fmt::format("{}/limits/{}", largest.second.substr(0, largest.second.rfind('/')), PointerToken(resource));
    lowered.operations.push_back(Operation("replace", limit, Json::String(lowered.after)));
  }
  return lowered;
}

Counterfactual LoweringOf(const Lowered& lowered, const std::string& resource, int64_t by, int64_t total) {
  return {.kind = "lowerRequest",
          .text = fmt::format("lower the request of {} from {} to {}", resource, lowered.before, lowered.after),
          .size = kLowering * static_cast<double>(by) / static_cast<double>(total)};
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
  if (is_member()) return TryLoweringOfMembers(resource);
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
  if (std::optional<Lowered> lowered = Lower(pod_, resource, total - room)) {
    Counterfactual change = LoweringOf(*lowered, resource, total - room, total);
    BERTH_CHECK_OK(Consider(lowered->pod, std::move(lowered->operations), std::move(change)));
  }
  return TryFreeing(resource, best, total - room);
}

// How much of it all members that are alike can have is found by trying.
Result<void> CounterfactualSearch::TryLoweringOfMembers(const std::string& resource) {
  const int64_t total = TotalOf(*core_.MakePod(pod_), resource);
  const int64_t unit = IsBytes(resource) && total > kCoarseBytes ? kCoarseBytes : 1;
  const auto try_with = [&](int64_t units) {
    const std::optional<Lowered> lowered = Lower(pod_, resource, total - units * unit);
    return lowered ? Try(lowered->pod) : Finding();
  };
  const std::optional<int64_t> units = BERTH_TRY(Largest(0, (total + unit - 1) / unit, try_with));
  if (!units) return {};
  std::optional<Lowered> lowered = Lower(pod_, resource, total - *units * unit);
  Counterfactual change = LoweringOf(*lowered, resource, total - *units * unit, total);
  if (alike_.size() > 1) change.text += fmt::format(" in {} members of the group", alike_.size());
  BERTH_CHECK_OK(Consider(lowered->pod, std::move(lowered->operations), std::move(change)));
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
      .size = kFreeing + std::min(1.0, share),
      .change = AllocatableChange(node.meta.name, resource, allocatable + missing)};
  BERTH_CHECK_OK(ConsiderNode(node, std::move(change)));
  return {};
}

Result<void> CounterfactualSearch::TryPodSlots() {
  const auto full = std::ranges::find(reasons_, "Too many pods", &std::pair<std::string, NodeSlot>::first);
  if (full == reasons_.end()) return {};
  for (const auto& [reason, slot] : reasons_) {
    if (reason != "Too many pods") continue;
    api::Node node = *core_.cluster().nodes().node[slot.index];
    const int64_t enough = core_.cluster().nodes().pod_count[slot.index] + 1;
    node.allocatable.Set("pods", QuantityOf("pods", enough));
    Counterfactual change{.kind = "freeOnNode",
                          .text = fmt::format("remove a pod from node {}", node.meta.name),
                          .size = kFreeing,
                          .change = AllocatableChange(node.meta.name, "pods", enough)};
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
    Uncordon(node);
    Counterfactual change{.kind = "addNode",
                          .text = fmt::format("add a node like {} ({})", like, NodeClass(node)),
                          .size = kMoreNodes,
                          .change = Json{{"addNodes", Json{{"count", Json::Int(1)}, {"like", Json::String(like)}}}}};
    if (BERTH_TRY(ConsiderNode(node, std::move(change))) && found_.back().node == node.meta.name) {
      found_.back().node = "the new node";
    }
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
  const std::string name = fmt::format("priority-{}", above[first]);
  Json operation = Operation("add", "/spec/priorityClassName", Json::String(name));
  found_.push_back({.kind = "preempt",
                    .text = above[first] == own ? "let it preempt others"
                                                : fmt::format("raise its priority from {} to {}", own, above[first]),
                    .size = kMakingRoom + std::min(0.9, 0.1 * static_cast<double>(finding.victims.size())),
                    .node = std::move(finding.nominated_node),
                    .victims = std::move(finding.victims),
                    .patches = {{"Pod", pod_.meta.ns, pod_.meta.name, Json::MakeList({std::move(operation)})}},
                    .objects = {PriorityClassManifest(name, above[first])},
                    .change = {}});
  return {};
}

}  // namespace berth::explain
