// SPDX-License-Identifier: Apache-2.0
#include "scheduler/inspection.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace berth::scheduler {
namespace {

using cluster::NodeSlot;
using cluster::PodInfo;
using cluster::PodPtr;

// The phase is not kept: a pod that the kubelet has taken up counts as running.
std::string PodLine(const PodInfo& pod) {
  return fmt::format("name: {}, namespace: {}, uid: {}, phase: {}, nominated node: {}\n", pod.name, pod.ns(), pod.uid,
                     pod.start_time ? "Running" : "Pending", pod.nominated_node_name);
}

std::string PodLines(std::vector<PodPtr> pods) {
  std::ranges::sort(pods, {}, [](const PodPtr& pod) { return std::pair(pod->full_name(), pod->uid); });
  std::string lines;
  for (const PodPtr& pod : pods) lines += PodLine(*pod);
  return lines;
}

std::vector<std::pair<std::string, NodeSlot>> SortedRows(const cluster::NodeTable& nodes) {
  std::vector<std::pair<std::string, NodeSlot>> rows;
  for (uint32_t i = 0; i < nodes.slot_limit(); ++i) {
    if (nodes.in_use[i] != 0) rows.emplace_back(nodes.name[i], NodeSlot{i});
  }
  std::ranges::sort(rows, {}, &std::pair<std::string, NodeSlot>::first);
  return rows;
}

std::string NodeText(const cluster::Cluster& cluster, const std::string& name, NodeSlot slot) {
  const cluster::NodeTable& nodes = cluster.nodes();
  const uint32_t i = slot.index;
  const auto resources = [](int64_t cpu, int64_t memory, int64_t ephemeral, int64_t pods) {
    return fmt::format("{{MilliCPU:{} Memory:{} EphemeralStorage:{} AllowedPodNumber:{}}}", cpu, memory, ephemeral,
                       pods);
  };
  std::vector<PodPtr> pods;
  for (const PodPtr& pod : nodes.pods[i].pods) pods.push_back(pod);
  std::string text = fmt::format(
      "Node name: {}\nDeleted: {}\nRequested Resources: {}\nAllocatable Resources:{}\nScheduled Pods(number: {}):\n",
      name, nodes.has_node[i] == 0,
      resources(nodes.requested_cpu[i], nodes.requested_memory[i], nodes.requested_ephemeral[i], 0),
      resources(nodes.allocatable_cpu[i], nodes.allocatable_memory[i], nodes.allocatable_ephemeral[i],
                nodes.allocatable_pods[i]),
      pods.size());
  text += PodLines(std::move(pods));
  const std::vector<PodPtr>& nominated = cluster.nominated.OnNode(name);
  if (!nominated.empty()) text += fmt::format("Nominated Pods(number: {}):\n", nominated.size()) + PodLines(nominated);
  return text;
}

Mismatch Compare(std::vector<std::string> actual, std::vector<std::string> held) {
  std::ranges::sort(actual);
  std::ranges::sort(held);
  Mismatch mismatch;
  std::ranges::set_difference(actual, held, std::back_inserter(mismatch.missed));
  std::ranges::set_difference(held, actual, std::back_inserter(mismatch.redundant));
  return mismatch;
}

}  // namespace

std::vector<PodPtr> QueuedPods(const queue::SchedulingQueue& queue) {
  std::vector<PodPtr> pods;
  const auto add = [&](const queue::QueuedPod& queued) { pods.push_back(queued.pod); };
  for (const auto& queued : queue.active().pods()) std::as_const(*queued).ForEach(add);
  for (const auto& queued : queue.backoff().rejected().pods()) std::as_const(*queued).ForEach(add);
  for (const auto& queued : queue.backoff().failed().pods()) std::as_const(*queued).ForEach(add);
  queue.unschedulable().ForEach([&](const queue::QueuedPod& queued) { queued.ForEach(add); });
  queue.incomplete().ForEach(add);
  queue.pending().ForEach(add);
  return pods;
}

Dump MakeDump(const Core& core) {
  Dump dump;
  for (const auto& [name, slot] : SortedRows(core.cluster().nodes())) {
    if (!dump.nodes.empty()) dump.nodes += "\n\n";
    dump.nodes += NodeText(core.cluster(), name, slot);
  }
  const queue::SchedulingQueue& queue = core.queue();
  dump.queue_summary =
      fmt::format("activeQ:{}; backoffQ:{}; unschedulableEntities:{}", queue.active().size(),
                  queue.backoff().rejected().size() + queue.backoff().failed().size(), queue.unschedulable().size());
  dump.queue_pods = PodLines(QueuedPods(queue));
  return dump;
}

Mismatch ComparePods(const Core& core) {
  std::vector<std::string> actual;
  core.pods().ForEach([&](const PodPtr& pod) {
    if (!pod->node_name.empty() || core.policy().IsResponsible(*pod)) actual.push_back(pod->uid);
  });
  std::vector<std::string> held;
  for (const auto& [name, slot] : SortedRows(core.cluster().nodes())) {
    for (const PodPtr& pod : core.cluster().nodes().pods[slot.index].pods) held.push_back(pod->uid);
  }
  for (const PodPtr& pod : QueuedPods(core.queue())) held.push_back(pod->uid);
  return Compare(std::move(actual), std::move(held));
}

Mismatch CompareNodes(const Core& core, const std::vector<std::string>& reported) {
  std::vector<std::string> held;
  for (const auto& [name, slot] : SortedRows(core.cluster().nodes())) {
    if (core.cluster().nodes().has_node[slot.index] != 0) held.push_back(name);
  }
  return Compare(reported, std::move(held));
}

}  // namespace berth::scheduler
