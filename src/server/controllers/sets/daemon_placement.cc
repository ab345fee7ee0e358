// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/sets/daemon_placement.h"

#include <algorithm>
#include <vector>

#include "api/parts/selector.h"
#include "server/controllers/tolerations.h"

namespace berth::server {
namespace {

struct Tolerated {
  std::string_view key;
  std::string_view effect;
};
constexpr Tolerated kTolerated[] = {
    {"node.kubernetes.io/not-ready", "NoExecute"},      {"node.kubernetes.io/unreachable", "NoExecute"},
    {"node.kubernetes.io/disk-pressure", "NoSchedule"}, {"node.kubernetes.io/memory-pressure", "NoSchedule"},
    {"node.kubernetes.io/pid-pressure", "NoSchedule"},  {"node.kubernetes.io/unschedulable", "NoSchedule"},
};
constexpr Tolerated kToleratedOnHost = {"node.kubernetes.io/network-unavailable", "NoSchedule"};

void Tolerate(Json& spec, const Tolerated& tolerated) {
  spec.Make("tolerations")
      .Append(Json{{"key", Json::String(tolerated.key)},
                   {"effect", Json::String(tolerated.effect)},
                   {"operator", Json::String("Exists")}});
}

std::vector<api::SelectorRequirement> Requirements(const Json& list) {
  std::vector<api::SelectorRequirement> requirements;
  for (const Json& given : list.items()) {
    api::SelectorRequirement requirement{.key = given["key"].text(), .op = given["operator"].text(), .values = {}};
    for (const Json& value : given["values"].items()) requirement.values.push_back(value.text());
    requirements.push_back(std::move(requirement));
  }
  return requirements;
}

const Json& RequiredAffinity(const Json& spec) {
  return spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
}

bool IsSelected(const Json& spec, const StoredObject& node) {
  for (const Json::Member& label : spec["nodeSelector"].members()) {
    const std::string* value = node.labels().Find(label.name);
    if (value == nullptr || *value != label.value.text()) return false;
  }
  const Json& required = RequiredAffinity(spec);
  if (!required.is_map()) return true;
  api::NodeSelector selector;
  for (const Json& term : required["nodeSelectorTerms"].items()) {
    selector.terms.push_back({.match_expressions = Requirements(term["matchExpressions"]),
                              .match_fields = Requirements(term["matchFields"])});
  }
  return api::NodeSelectorMatcher(selector).Matches(node.labels(), node.name());
}

}  // namespace

void AddDaemonTolerations(Json& spec) {
  for (const Tolerated& tolerated : kTolerated) Tolerate(spec, tolerated);
  if (spec["hostNetwork"].AsBool()) Tolerate(spec, kToleratedOnHost);
}

DaemonFit FitOf(const Json& spec, const StoredObject& node) {
  if (const std::string& name = spec["nodeName"].text(); !name.empty() && name != node.name()) return DaemonFit::kNone;
  if (!IsSelected(spec, node)) return DaemonFit::kNone;
  const Json tree = node.Tree();
  const Json& taints = tree["spec"]["taints"];
  if (!ToleratesAll(spec["tolerations"], taints, "NoExecute")) return DaemonFit::kNone;
  return ToleratesAll(spec["tolerations"], taints, "NoSchedule") ? DaemonFit::kFits : DaemonFit::kStays;
}

void PinToNode(Json& spec, std::string_view node) {
  Json& required = spec.Make({"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"});
  const Json field = Json::MakeList({Json{{"key", Json::String("metadata.name")},
                                          {"operator", Json::String("In")},
                                          {"values", Json::MakeList({Json::String(node)})}}});
  Json& terms = required.Make("nodeSelectorTerms");
  if (terms.empty()) terms = Json::MakeList({Json::MakeMap()});
  for (Json& term : terms.mutable_items()) term.Set("matchFields", field);
}

std::string PinnedNode(const PodInfo& pod) {
  if (!pod.node.empty()) return pod.node;
  const Json tree = pod.object->Tree();
  const Json& term = RequiredAffinity(tree["spec"])["nodeSelectorTerms"][size_t{0}];
  return term["matchFields"][size_t{0}]["values"][size_t{0}].text();
}

}  // namespace berth::server
