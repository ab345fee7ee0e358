// SPDX-License-Identifier: Apache-2.0
#include "scheduler/reporter.h"

#include <fmt/format.h>

namespace berth::scheduler {
namespace {

constexpr size_t kNoteMax = 1024;
constexpr std::string_view kCut = " ...";

// The PodScheduled condition that says why; nothing if the pod says so already.
std::optional<api::PodCondition> FailedCondition(const cluster::PodInfo& pod, bool rejected,
                                                 const std::string& message) {
  api::PodCondition condition;
  condition.type = "PodScheduled";
  condition.status = "False";
  condition.reason = rejected ? "Unschedulable" : "SchedulerError";
  condition.message = message;
  condition.observed_generation = pod.generation;
  const api::PodCondition* current = pod.Condition(condition.type);
  if (current != nullptr) condition.last_transition_time = current->last_transition_time;
  if (current != nullptr && *current == condition) return std::nullopt;
  return condition;
}

}  // namespace

std::string TruncateNote(const std::string& note) {
  if (note.size() <= kNoteMax) return note;
  return note.substr(0, kNoteMax - kCut.size()) + std::string(kCut);
}

void Reporter::Failed(const cluster::PodPtr& pod, bool rejected, const std::string& message,
                      const std::optional<std::string>& nominated_node_name) {
  outbox_.Send(framework::RecordEvent{pod, "Warning", "FailedScheduling", "Scheduling", TruncateNote(message),
                                      pod->spec().scheduler_name});
  framework::PatchPodStatus patch{pod, FailedCondition(*pod, rejected, message), std::nullopt};
  if (nominated_node_name && *nominated_node_name != pod->nominated_node_name)
    patch.nominated_node_name = nominated_node_name;
  if (patch.condition || patch.nominated_node_name) outbox_.Send(std::move(patch));
}

void Reporter::SkippedDeleting(const cluster::PodPtr& pod) {
  outbox_.Send(framework::RecordEvent{pod, "Warning", "FailedScheduling", "Scheduling",
                                      fmt::format("skip schedule deleting pod: {}", pod->full_name()),
                                      pod->spec().scheduler_name});
}

void Reporter::Scheduled(const cluster::PodPtr& pod, const std::string& node_name) {
  outbox_.Send(framework::RecordEvent{pod, "Normal", "Scheduled", "Binding",
                                      fmt::format("Successfully assigned {} to {}", pod->full_name(), node_name),
                                      pod->spec().scheduler_name});
}

void Reporter::Preempted(const framework::EvictPod& eviction, bool in_memory) {
  outbox_.Send(framework::RecordEvent{
      eviction.victim, "Normal", "Preempted", "Preempting",
      fmt::format("Preempted by {} {} on node {}{}", eviction.preemptor_type(), eviction.preemptor_uid(),
                  eviction.node_name, in_memory ? " (in kube-scheduler memory)." : ""),
      eviction.preemptor->spec().scheduler_name, eviction.group});
}

}  // namespace berth::scheduler
