// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/v116/service_affinity.h"

#include <algorithm>

#include "plugins/helpers/default_selector.h"
#include "plugins/helpers/node_memo.h"

namespace berth::plugins::legacy::v116 {
namespace {

using cluster::NodeSlot;
using framework::Status;

struct ServiceAffinityState : framework::PluginState {
  api::Labels wanted;             // By the pod's node selector.
  std::vector<NodeSlot> holders;  // Nodes with pods like this one, if their labels count; in the order of nodes.
  std::shared_ptr<const cluster::PodCounter> like_this;
};

// The first of the nodes that has such a pod now: preemption may have taken it off.
const api::Node* FirstHolder(const ServiceAffinityState& state, const cluster::NodeTable& nodes) {
  const auto is_like = [&](const cluster::PodPtr& pod) {
    return !pod->node_name.empty() && state.like_this->Matches(*pod);
  };
  for (const NodeSlot slot : state.holders) {
    if (std::ranges::any_of(nodes.pods[slot.index].pods, is_like)) return nodes.node[slot.index].get();
  }
  return nullptr;
}

}  // namespace

Result<std::unique_ptr<framework::Plugin>> CheckServiceAffinity::Create(const framework::PluginContext& context) {
  const auto* args = context.args.As<Args>();
  if (args == nullptr) return Invalid("service affinity arguments are needed");
  return std::make_unique<CheckServiceAffinity>(context.name, args->affinity_labels);
}

framework::PreFilterResult CheckServiceAffinity::PreFilter(framework::Cycle& cycle) const {
  const cluster::PodInfo& pod = cycle.pod();
  const cluster::Cluster& cluster = cycle.cluster();
  ServiceAffinityState& state = cycle.MakeState<ServiceAffinityState>(index());
  if (pod.spec().node_selector) {
    for (const std::string& label : labels_) {
      if (const std::string* value = pod.spec().node_selector->Find(label)) state.wanted.Set(label, *value);
    }
  }
  const bool complete = std::ranges::all_of(labels_, [&](const std::string& label) { return state.wanted.Has(label); });
  if (complete || ServicesOf(pod, cluster.objects).empty()) return {};
  state.like_this = cluster.CountPods({.namespaces = {pod.ns()},
                                       .all_namespaces = false,
                                       .selectors = {api::Selector::FromLabels(pod.labels())},
                                       .skip_terminating = false});
  for (const NodeSlot slot : cluster.order()) {
    if (state.like_this->count(slot) > 0) state.holders.push_back(slot);
  }
  return {};
}

void CheckServiceAffinity::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  const ServiceAffinityState& state = *cycle.state<ServiceAffinityState>(index());
  api::Labels wanted = state.wanted;
  if (const api::Node* holder = FirstHolder(state, cycle.nodes())) {
    for (const std::string& label : labels_) {
      const std::string* value = holder->meta.labels.Find(label);
      if (value != nullptr && !wanted.Has(label)) wanted.Set(label, *value);
    }
  }
  if (wanted.empty()) return;
  NodeMemo<bool> matches(cycle.nodes(), wanted.Has(cluster::kHostnameLabel));
  const api::Selector selector = api::Selector::FromLabels(wanted);
  candidates.RejectIf(framework::StatusCode::kUnschedulable, kReason, [&](NodeSlot slot) {
    return !matches.Get(slot, [&](const api::Labels& labels, std::string_view) { return selector.Matches(labels); });
  });
}

}  // namespace berth::plugins::legacy::v116
