// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/simulated_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "server/model/find_condition.h"
#include "server/nodes/node_status.h"
#include "server/objects/pod_actions.h"

namespace berth::server {
namespace {

constexpr std::string_view kNodeController = "node-controller";
constexpr int64_t kLeaseSeconds = 40;
constexpr Duration kRenewPeriod = Seconds(kLeaseSeconds / 4);
constexpr std::string_view kLeaseNamespace = "kube-node-lease";
constexpr std::string_view kUnreachable = "node.kubernetes.io/unreachable";

// What a node's conditions and its cordon call for, and what is said when that comes and goes.
struct ConditionTaint {
  std::string_view condition;
  std::string_view status;
  std::string_view key;
  std::string_view effect;
  std::string_view comes = {};
  std::string_view goes = {};
};
constexpr ConditionTaint kTaints[] = {
    {"Ready", "False", "node.kubernetes.io/not-ready", "NoSchedule"},
    {"Ready", "False", "node.kubernetes.io/not-ready", "NoExecute", "NodeNotReady", "NodeReady"},
    {"Ready", "Unknown", kUnreachable, "NoSchedule"},
    {"Ready", "Unknown", kUnreachable, "NoExecute", "NodeNotReady", "NodeReady"},
    {"MemoryPressure", "True", "node.kubernetes.io/memory-pressure", "NoSchedule", "NodeHasInsufficientMemory",
     "NodeHasSufficientMemory"},
    {"DiskPressure", "True", "node.kubernetes.io/disk-pressure", "NoSchedule", "NodeHasDiskPressure",
     "NodeHasNoDiskPressure"},
    {"PIDPressure", "True", "node.kubernetes.io/pid-pressure", "NoSchedule", "NodeHasInsufficientPID",
     "NodeHasSufficientPID"},
    {"NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable", "NoSchedule"},
    {"", "", "node.kubernetes.io/unschedulable", "NoSchedule", "NodeNotSchedulable", "NodeSchedulable"},
};

const Json& ReadyCondition(const Json& node) { return FindCondition(node["status"]["conditions"], "Ready"); }

bool CallsFor(const Json& node, const ConditionTaint& taint) {
  if (taint.condition.empty()) return node["spec"]["unschedulable"].AsBool();
  return std::ranges::any_of(node["status"]["conditions"].items(), [&](const Json& condition) {
    return condition["type"].text() == taint.condition && condition["status"].text() == taint.status;
  });
}

bool IsTaint(const Json& taint, const ConditionTaint& wanted) {
  return taint["key"].text() == wanted.key && taint["effect"].text() == wanted.effect;
}

}  // namespace

void SimulatedNodes::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& node = *change.object;
  if (&node.resource() != &nodes_) return;
  if (change.type == Change::Type::kDeleted) {
    if (addresses_) addresses_->Release(node.name());
    TellAsController(node, "RemovingNode", fmt::format("Removing Node {} from Controller", node.name()));
    return;
  }
  enqueue(node.key(), Duration{});
  if (change.type != Change::Type::kAdded) return;
  if (addresses_) addresses_->Keep(node.name(), HostAddressOf((*node.tree())["status"]));
  if (!renews_leases_) return;
  // The first renewal comes at some time of the first period, so that many nodes do not renew all at once.
  const auto spread = static_cast<uint64_t>(kRenewPeriod.nanos);
  enqueue("lease/" + node.key(), Duration{static_cast<int64_t>(cluster_.random.Below(spread)) + 1});
}

std::optional<Duration> SimulatedNodes::Sync(const std::string& key) {
  constexpr std::string_view kLease = "lease/";
  const bool is_lease = key.starts_with(kLease);
  const ObjectPtr node = cluster_.store().Find(nodes_, "", is_lease ? key.substr(kLease.size()) : key);
  if (node == nullptr) return std::nullopt;
  const TreePtr tree = node->tree();
  if (is_lease) {
    Renew(*node, *tree);
    return kRenewPeriod;
  }
  const std::optional<bool> completed = Complete(*node, *tree);
  const bool is_done = completed ? *completed : SetTaints(*node, *tree);
  return is_done ? std::nullopt : std::optional(kRetry);
}

std::optional<bool> SimulatedNodes::Complete(const StoredObject& node, const Json& tree) {
  Json labels = tree["metadata"]["labels"];
  AddNodeLabels(labels, node.name());
  if (labels != tree["metadata"]["labels"]) {
    const auto labelled =
        cluster_.objects.Update(nodes_, "", node.name(), {.manager = "kubelet"}, [&](const Json&) -> Outcome<Json> {
          Json changed = tree;
          changed.Make("metadata").Set("labels", std::move(labels));
          return changed;
        });
    return Succeeded(*this, labelled);
  }
  if (IsComplete(tree["status"])) return std::nullopt;
  const std::string& present = HostAddressOf(tree["status"]);
  const std::string address = present.empty() ? GiveAddress(node.name()) : present;
  const auto written = cluster_.objects.Update(
      nodes_, "", node.name(), {.manager = "kubelet", .subresource = "status"}, [&](const Json&) -> Outcome<Json> {
        Json changed = tree;
        CompleteStatus(changed.Make("status"), node.name(), address, cluster_.objects.now());
        return changed;
      });
  if (!Succeeded(*this, written)) return false;
  Renew(node, tree);
  TellOfStart(node);
  return true;
}

void SimulatedNodes::TellOfStart(const StoredObject& node) {
  events_.Tell(node, node.name(), {.type = "Normal", .reason = "Starting", .message = "Starting kubelet."});
  for (const std::string_view status :
       {"NodeHasSufficientMemory", "NodeHasNoDiskPressure", "NodeHasSufficientPID", "NodeReady"}) {
    TellStatus(node, status, "kubelet");
  }
  TellAsController(node, "RegisteredNode", fmt::format("Registered Node {} in Controller", node.name()));
}

void SimulatedNodes::TellAsController(const StoredObject& node, std::string_view reason, std::string_view what) {
  events_.TellAs(kNodeController, node,
                 {.type = "Normal", .reason = reason, .message = fmt::format("Node {} event: {}", node.name(), what)});
}

void SimulatedNodes::TellStatus(const StoredObject& node, std::string_view status, std::string_view reporter) {
  if (status.empty()) return;
  Notice notice{
      .type = "Normal", .reason = status, .message = fmt::format("Node {} status is now: {}", node.name(), status)};
  if (reporter == "kubelet") return events_.Tell(node, node.name(), std::move(notice));
  events_.TellAs(reporter, node, notice);
}

// Nodes that bring their addresses along are the rule, so what is taken is looked for when it first matters.
std::string SimulatedNodes::GiveAddress(std::string_view node) {
  if (!addresses_) {
    addresses_.emplace(kNodeNetwork);
    for (const auto& [key, other] : cluster_.store().All(nodes_)) {
      addresses_->Keep(other->name(), HostAddressOf((*other->tree())["status"]));
    }
  }
  return addresses_->Take("", node);
}

bool SimulatedNodes::SetTaints(const StoredObject& node, const Json& tree) {
  Json::List taints = tree["spec"]["taints"].items();
  std::vector<std::pair<std::string_view, std::string_view>> news;  // A status, and who tells it.
  for (const ConditionTaint& wanted : kTaints) {
    const bool is_there = std::ranges::any_of(taints, [&](const Json& taint) { return IsTaint(taint, wanted); });
    if (CallsFor(tree, wanted) == is_there) continue;
    // Nobody hears of a kubelet that is silent.
    news.emplace_back(is_there ? wanted.goes : wanted.comes,
                      !is_there && wanted.key == kUnreachable ? kNodeController : "kubelet");
    if (is_there) {
      std::erase_if(taints, [&](const Json& taint) { return IsTaint(taint, wanted); });
      continue;
    }
    Json taint{{"key", Json::String(wanted.key)}, {"effect", Json::String(wanted.effect)}};
    taint.Set("timeAdded", FormatTime(cluster_.objects.now()));
    taints.push_back(std::move(taint));
  }
  if (taints == tree["spec"]["taints"].items()) return true;
  const auto written = cluster_.objects.Update(nodes_, "", node.name(), {.manager = "kube-controller-manager"},
                                               [&](const Json& current) -> Outcome<Json> {
                                                 Json changed = current;
                                                 Json& spec = changed.Make("spec");
                                                 spec.Set("taints", Json::MakeList(taints));
                                                 if (taints.empty()) spec.Erase("taints");
                                                 return changed;
                                               });
  if (!written) return false;
  for (const auto& [status, reporter] : news) {
    TellStatus(node, status, reporter);
    if (reporter == kNodeController) MarkPodsNotReady(node);
  }
  return true;
}

void SimulatedNodes::MarkPodsNotReady(const StoredObject& node) {
  const PodIndex::Keys keys = cluster_.pods.OnNode(node.name());
  for (const std::string& key : keys) {
    const PodInfo* pod = cluster_.pods.Find(key);
    if (pod == nullptr || !pod->is_ready) continue;
    const ObjectPtr object = pod->object;
    Json marked = object->Tree();
    const Time now = cluster_.objects.now();
    Json ready = FindCondition(marked["status"]["conditions"], "Ready");
    ready.Set("status", "False");
    SetPodCondition(marked, std::move(ready), now);
    cluster_.objects.Overwrite(*object, std::move(marked), false);
    events_.TellAs(kNodeController, *object,
                   {.type = "Warning", .reason = "NodeNotReady", .message = "Node is not ready"});
  }
}

void SimulatedNodes::Renew(const StoredObject& node, const Json& tree) {
  // The kubelet of a node that is not heard of says nothing.
  if (!renews_leases_ || ReadyCondition(tree)["status"].text() == "Unknown") return;
  const std::string now = FormatTimeMicro(cluster_.objects.now());
  const WriteOptions options{.manager = "kubelet"};
  const auto renew = [&](const Json& current) -> Outcome<Json> {
    Json lease = current;
    lease.Make("spec").Set("renewTime", now);
    return lease;
  };
  const auto make = [&]() -> Outcome<Json> {
    return Json{{"apiVersion", Json::String("coordination.k8s.io/v1")},
                {"kind", Json::String("Lease")},
                {"metadata", Json{{"name", Json::String(node.name())},
                                  {"namespace", Json::String(kLeaseNamespace)},
                                  {"ownerReferences", Json::MakeList({Json{{"apiVersion", Json::String("v1")},
                                                                           {"kind", Json::String("Node")},
                                                                           {"name", Json::String(node.name())},
                                                                           {"uid", Json::String(node.uid())}}})}}},
                {"spec", Json{{"holderIdentity", Json::String(node.name())},
                              {"leaseDurationSeconds", Json::Int(kLeaseSeconds)},
                              {"renewTime", Json::String(now)}}}};
  };
  (void)cluster_.objects.Update(leases_, kLeaseNamespace, node.name(), options, renew, make);
}

}  // namespace berth::server
