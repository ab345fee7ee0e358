// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/daemon.h"

#include <algorithm>
#include <string_view>

namespace berth::simulate {
namespace {

constexpr std::string_view kNameField = "metadata.name";

void Tolerate(std::string_view key, std::string_view effect, api::PodSpec& spec) {
  const api::Toleration toleration{
      .key = "node.kubernetes.io/" + std::string(key), .op = "Exists", .value = {}, .effect = std::string(effect)};
  if (std::ranges::find(spec.tolerations, toleration) == spec.tolerations.end()) {
    spec.tolerations.push_back(toleration);
  }
}

bool MatchesAffinity(const api::PodSpec& spec, const api::Node& node) {
  const api::Labels& labels = node.meta.labels;
  if (spec.node_selector && !api::Selector::FromLabels(*spec.node_selector).Matches(labels)) return false;
  if (!spec.affinity || !spec.affinity->node_affinity || !spec.affinity->node_affinity->required) return true;
  return api::NodeSelectorMatcher(*spec.affinity->node_affinity->required).Matches(labels, node.meta.name);
}

}  // namespace

void AddDaemonTolerations(api::PodSpec& spec) {
  Tolerate("not-ready", "NoExecute", spec);
  Tolerate("unreachable", "NoExecute", spec);
  Tolerate("disk-pressure", "NoSchedule", spec);
  Tolerate("memory-pressure", "NoSchedule", spec);
  Tolerate("pid-pressure", "NoSchedule", spec);
  Tolerate("unschedulable", "NoSchedule", spec);
  if (spec.host_network) Tolerate("network-unavailable", "NoSchedule", spec);
}

bool ShouldRunDaemon(const api::PodSpec& spec, const api::Node& node) {
  if (!MatchesAffinity(spec, node)) return false;
  return std::ranges::all_of(node.taints, [&](const api::Taint& taint) {
    return taint.effect == "PreferNoSchedule" || api::Tolerates(spec.tolerations, taint, true);
  });
}

void PinToNode(const std::string& node_name, api::PodSpec& spec) {
  if (!spec.affinity) spec.affinity.emplace();
  if (!spec.affinity->node_affinity) spec.affinity->node_affinity.emplace();
  api::NodeSelectorTerm term;
  term.match_fields.push_back({.key = std::string(kNameField), .op = "In", .values = {node_name}});
  spec.affinity->node_affinity->required = api::NodeSelector{.terms = {term}};
}

std::string DaemonNode(const api::Pod& pod) {
  if (!pod.node_name.empty()) return pod.node_name;
  const auto& affinity = pod.spec.affinity;
  if (!affinity || !affinity->node_affinity || !affinity->node_affinity->required) return {};
  for (const api::NodeSelectorTerm& term : affinity->node_affinity->required->terms) {
    for (const api::SelectorRequirement& field : term.match_fields) {
      if (field.key == kNameField && field.op == "In" && field.values.size() == 1) return field.values.front();
    }
  }
  return {};
}

}  // namespace berth::simulate
