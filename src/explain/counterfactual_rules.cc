// SPDX-License-Identifier: Apache-2.0
// Changes of what a pod says about nodes and other pods.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "api/parts/toleration.h"
#include "explain/counterfactual_search.h"
#include "explain/json_patch_ops.h"
#include "explain/taints.h"

namespace berth::explain {
namespace {

using api::Json;
using cluster::NodeSlot;

constexpr size_t kTaintsMax = 32;
constexpr size_t kCordonedMax = 8;
constexpr size_t kLabelsMax = 16;

// The size of dropping or adding one rule; others are measured by it.
constexpr double kOneRule = 1;

// Without those that the API server gives to every pod.
Json TolerationsJson(const std::vector<api::Toleration>& tolerations) {
  Json list = Json::MakeList();
  for (const api::Toleration& each : tolerations) {
    const bool is_default =
        each.op == "Exists" && each.effect == "NoExecute" &&
        (each.key == "node.kubernetes.io/not-ready" || each.key == "node.kubernetes.io/unreachable");
    if (is_default) continue;
    Json one = Json::MakeMap();
    if (!each.key.empty()) one.Set("key", std::string_view(each.key));
    if (!each.op.empty()) one.Set("operator", std::string_view(each.op));
    if (!each.value.empty()) one.Set("value", std::string_view(each.value));
    if (!each.effect.empty()) one.Set("effect", std::string_view(each.effect));
    list.Append(std::move(one));
  }
  return list;
}

}  // namespace

Result<void> CounterfactualSearch::TryGates() {
  for (size_t i = 0; i < pod_.spec.scheduling_gates.size(); ++i) {
    api::Pod changed = pod_;
    changed.spec.scheduling_gates.erase(changed.spec.scheduling_gates.begin() + static_cast<ptrdiff_t>(i));
    Counterfactual change{.kind = "removeGate",
                          .text = fmt::format("remove the scheduling gate {}", pod_.spec.scheduling_gates[i]),
                          .size = kOneRule};
    BERTH_CHECK_OK(Consider(changed, {Removal(fmt::format("/spec/schedulingGates/{}", i))}, std::move(change)));
  }
  return {};
}

Result<void> CounterfactualSearch::TryTolerations() {
  std::set<std::tuple<std::string, std::string, std::string>> taints;
  const cluster::NodeTable& nodes = core_.cluster().nodes();
  for (const NodeSlot slot : core_.cluster().order()) {
    for (const api::Taint& taint : nodes.node[slot.index]->taints) {
      if (taint.effect == "PreferNoSchedule" || taint.key == kCordonTaintKey) continue;
      if (api::Tolerates(pod_.spec.tolerations, taint, true)) continue;
      if (taints.size() < kTaintsMax) taints.emplace(taint.key, taint.value, taint.effect);
    }
  }
  for (const auto& [key, value, effect] : taints) {
    api::Pod changed = pod_;
    changed.spec.tolerations.push_back({key, "Equal", value, effect});
    Json operation = Operation("add", "/spec/tolerations", TolerationsJson(changed.spec.tolerations));
    Counterfactual change{.kind = "tolerate",
                          .text = fmt::format("tolerate the taint {}", TaintText({key, value, effect})),
                          .size = kOneRule};
    BERTH_CHECK_OK(Consider(changed, {std::move(operation)}, std::move(change)));
  }
  return {};
}

Result<void> CounterfactualSearch::TryUncordoning() {
  const cluster::NodeTable& nodes = core_.cluster().nodes();
  if (nodes.unschedulable_count() == 0) return {};
  api::Pod tolerant = pod_;
  tolerant.spec.tolerations.push_back({std::string(kCordonTaintKey), "Exists", "", ""});
  std::vector<std::string> names;
  for (const NodeSlot slot : FitsOn(tolerant)) names.push_back(nodes.name[slot.index]);
  std::ranges::sort(names);
  if (names.size() > kCordonedMax) names.resize(kCordonedMax);
  for (const std::string& name : names) {
    NodeSlot slot;
    if (!nodes.Find(name, slot)) continue;
    api::Node node = *nodes.node[slot.index];
    Uncordon(node);
    Json choice{{"names", Json::MakeList({Json::String(name)})}};
    Counterfactual change{.kind = "uncordon",
                          .text = "uncordon node " + name,
                          .size = 2 * kOneRule,
                          .change = Json{{"uncordon", std::move(choice)}}};
    BERTH_CHECK_OK(ConsiderNode(node, std::move(change)));
  }
  return {};
}

Result<void> CounterfactualSearch::TryNodeSelector() {
  if (!pod_.spec.node_selector) return {};
  for (const auto& [key, value] : *pod_.spec.node_selector) {
    api::Pod changed = pod_;
    changed.spec.node_selector->Remove(key);
    Counterfactual change{
        .kind = "dropNodeSelector", .text = fmt::format("drop the node selector {}={}", key, value), .size = kOneRule};
    BERTH_CHECK_OK(Consider(changed, {Removal("/spec/nodeSelector/" + PointerToken(key))}, std::move(change)));
  }
  return {};
}

Result<void> CounterfactualSearch::TryNodeAffinity() {
  if (!pod_.spec.affinity || !pod_.spec.affinity->node_affinity) return {};
  const std::optional<api::NodeSelector>& required = pod_.spec.affinity->node_affinity->required;
  if (!required) return {};
  constexpr std::string_view kPath = "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution";
  size_t requirements = 0;
  for (size_t t = 0; t < required->terms.size(); ++t) {
    const api::NodeSelectorTerm& term = required->terms[t];
    requirements += term.match_expressions.size() + term.match_fields.size();
    if (term.match_expressions.size() + term.match_fields.size() < 2) continue;
    for (size_t e = 0; e < term.match_expressions.size(); ++e) {
      api::Pod changed = pod_;
      auto& expressions = changed.spec.affinity->node_affinity->required->terms[t].match_expressions;
      expressions.erase(expressions.begin() + static_cast<ptrdiff_t>(e));
      const api::SelectorRequirement& dropped = term.match_expressions[e];
      Counterfactual change{.kind = "dropNodeAffinity",
                            .text = fmt::format("drop the node affinity on {} ({})", dropped.key, dropped.op),
                            .size = kOneRule};
      BERTH_CHECK_OK(Consider(changed,
                              {Removal(fmt::format("{}/nodeSelectorTerms/{}/matchExpressions/{}", kPath, t, e))},
                              std::move(change)));
    }
  }
  api::Pod changed = pod_;
  changed.spec.affinity->node_affinity->required.reset();
  Counterfactual change{.kind = "dropNodeAffinity",
                        .text = "drop the required node affinity",
                        .size = requirements > 1 ? 1.5 * kOneRule : kOneRule};
  BERTH_CHECK_OK(Consider(changed, {Removal(std::string(kPath))}, std::move(change)));
  return {};
}

Result<void> CounterfactualSearch::TryPodTerms(bool is_anti) {
  if (!pod_.spec.affinity) return {};
  const auto terms_of = [&](api::Affinity& affinity) -> std::optional<api::PodAffinity>& {
    return is_anti ? affinity.pod_anti_affinity : affinity.pod_affinity;
  };
  api::Affinity present = *pod_.spec.affinity;
  if (!terms_of(present)) return {};
  for (size_t i = 0; i < terms_of(present)->required.size(); ++i) {
    api::Pod changed = pod_;
    auto& required = terms_of(*changed.spec.affinity)->required;
    required.erase(required.begin() + static_cast<ptrdiff_t>(i));
    Counterfactual change{.kind = is_anti ? "dropPodAntiAffinity" : "dropPodAffinity",
                          .text = fmt::format("drop the pod {}affinity term {} (topology {})", is_anti ? "anti-" : "",
                                              i + 1, terms_of(present)->required[i].topology_key),
                          .size = kOneRule};
    BERTH_CHECK_OK(Consider(changed,
                            {Removal(fmt::format("/spec/affinity/{}/requiredDuringSchedulingIgnoredDuringExecution/{}",
                                                 is_anti ? "podAntiAffinity" : "podAffinity", i))},
                            std::move(change)));
  }
  return {};
}

// Pods that are there keep others away by their labels.
Result<void> CounterfactualSearch::TryLabels() {
  if (!IsBlamed("node(s) didn't satisfy existing pods anti-affinity rules")) return {};
  size_t tried = 0;
  for (const auto& [key, value] : pod_.meta.labels) {
    if (tried++ == kLabelsMax) break;
    api::Pod changed = pod_;
    changed.meta.labels.Remove(key);
    Counterfactual change{.kind = "dropLabel",
                          .text = fmt::format("drop the pod's label {}={}, which others keep away from", key, value),
                          .size = kOneRule};
    BERTH_CHECK_OK(Consider(changed, {Removal("/metadata/labels/" + PointerToken(key))}, std::move(change)));
  }
  return {};
}

Result<void> CounterfactualSearch::TrySpreading() {
  const auto& constraints = pod_.spec.topology_spread_constraints;
  for (size_t i = 0; i < constraints.size(); ++i) {
    if (constraints[i].when_unsatisfiable != "DoNotSchedule") continue;
    const auto with_skew = [&](int32_t skew) {
      api::Pod changed = pod_;
      changed.spec.topology_spread_constraints[i].max_skew = skew;
      return changed;
    };
    const int32_t present = constraints[i].max_skew;
    const int32_t most = present + static_cast<int32_t>(std::min<size_t>(core_.cluster().pod_count() + 1, 1'000'000));
    BERTH_CHECK_OK(pacer_.Pause());
    if (Try(with_skew(most)).is_placed) {
      int32_t refused = present;
      int32_t enough = most;
      while (enough - refused > 1) {
        const int32_t middle = refused + (enough - refused) / 2;
        BERTH_CHECK_OK(pacer_.Pause());
        (Try(with_skew(middle)).is_placed ? enough : refused) = middle;
      }
      Counterfactual change{.kind = "raiseMaxSkew",
                            .text = fmt::format("raise maxSkew of spreading over {} from {} to {}",
                                                constraints[i].topology_key, present, enough),
                            .size = std::min(kOneRule, 0.5 + 0.1 * (enough - present))};
      BERTH_CHECK_OK(Consider(
          with_skew(enough),
          {Operation("replace", fmt::format("/spec/topologySpreadConstraints/{}/maxSkew", i), Json::Int(enough))},
          std::move(change)));
      continue;
    }
    api::Pod changed = pod_;
    auto& left = changed.spec.topology_spread_constraints;
    left.erase(left.begin() + static_cast<ptrdiff_t>(i));
    Counterfactual change{.kind = "dropSpreading",
                          .text = fmt::format("drop the spreading over {}", constraints[i].topology_key),
                          .size = kOneRule};
    BERTH_CHECK_OK(
        Consider(changed, {Removal(fmt::format("/spec/topologySpreadConstraints/{}", i))}, std::move(change)));
  }
  return {};
}

Result<void> CounterfactualSearch::TryPorts() {
  for (size_t c = 0; c < pod_.spec.containers.size(); ++c) {
    const api::Container& container = pod_.spec.containers[c];
    for (size_t i = 0; i < container.host_ports.size(); ++i) {
      api::Pod changed = pod_;
      auto& ports = changed.spec.containers[c].host_ports;
      ports.erase(ports.begin() + static_cast<ptrdiff_t>(i));
      Counterfactual change{
          .kind = "dropHostPort",
          .text = fmt::format("drop the host port {} of container {}", container.host_ports[i].port, container.name),
          .size = kOneRule};
      // Ports without a host port are not known, so the patch looks whether this is the one.
      const std::string path = fmt::format("/spec/containers/{}/ports/{}/hostPort", c, i);
      Json test = Operation("test", path, Json::Int(container.host_ports[i].port));
      BERTH_CHECK_OK(Consider(changed, {std::move(test), Removal(path)}, std::move(change)));
    }
  }
  return {};
}

Result<void> CounterfactualSearch::TryVolumes() {
  for (size_t i = 0; i < pod_.spec.volumes.size(); ++i) {
    if (pod_.spec.volumes[i].source == api::Volume::Source::kOther) continue;
    api::Pod changed = pod_;
    changed.spec.volumes.erase(changed.spec.volumes.begin() + static_cast<ptrdiff_t>(i));
    Counterfactual change{.kind = "dropVolume",
                          .text = fmt::format("do without the volume {}", pod_.spec.volumes[i].name),
                          .size = 1.5 * kOneRule};
    BERTH_CHECK_OK(Consider(changed, {Removal(fmt::format("/spec/volumes/{}", i))}, std::move(change)));
  }
  return {};
}

}  // namespace berth::explain
