// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_preemption/kept_pods.h"

#include <algorithm>

#include "base/assert.h"
#include "framework/preemption.h"

namespace berth::plugins {
namespace {

KeptPods::OnNode PodsOn(cluster::NodeSlot node, const cluster::Cluster& cluster) {
  KeptPods::OnNode on{.pods = {}, .is_current = true};
  const std::vector<cluster::PodPtr>& pods = cluster.nodes().pods[node.index].pods;
  on.pods.reserve(pods.size());
  for (uint32_t place = 0; place < pods.size(); ++place) {
    const cluster::PodInfo& pod = *pods[place];
    on.any_of_group |= cluster.groups.IsMember(pod);
    on.pods.push_back({.info = &pod,
                       .from = pod.pod_template.get(),
                       .label_set = pod.label_set.get(),
                       .requests = &pod.requests(),
                       .priority = pod.priority(),
                       .place = place});
  }
  std::ranges::stable_sort(on.pods, [](const KeptPods::Pod& a, const KeptPods::Pod& b) {
    if (a.priority != b.priority) return a.priority > b.priority;
    return framework::StartTime(*a.info) < framework::StartTime(*b.info);
  });
  return on;
}

}  // namespace

void KeptPods::Refresh(const cluster::NodeTable& nodes) {
  nodes_.resize(nodes.slot_limit());
  const bool is_known =
      nodes.VisitChanges(seen_, [&](cluster::NodeSlot node) { nodes_[node.index].is_current = false; });
  if (!is_known) {
    for (OnNode& on : nodes_) on.is_current = false;
  }
  seen_ = nodes.change_count();
}

const KeptPods::OnNode& KeptPods::On(cluster::NodeSlot node, const cluster::Cluster& cluster) {
  if (nodes_.empty() || seen_ != cluster.nodes().change_count()) Refresh(cluster.nodes());
  OnNode& on = nodes_[node.index];
  if (!on.is_current) on = PodsOn(node, cluster);
#ifdef BERTH_CHECKS
  const OnNode made = PodsOn(node, cluster);
  BERTH_ASSERT(made.any_of_group == on.any_of_group);
  BERTH_ASSERT(std::ranges::equal(made.pods, on.pods, {}, &Pod::info, &Pod::info));
#endif
  return on;
}

}  // namespace berth::plugins
