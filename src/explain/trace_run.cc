// SPDX-License-Identifier: Apache-2.0
#include "explain/trace_run.h"

#include <utility>

#include "world/elsewhere.h"

namespace berth::explain {

// Names come again; the second pod of a name is called name#2.
std::string TraceRun::NewName(const std::string& name) {
  const size_t count = ++names_[name];
  return count == 1 ? name : name + "#" + std::to_string(count);
}

// The pod as this core has it: on its node, or on none.
void TraceRun::Place(api::Pod& pod, Time now) {
  const auto [found, is_new] = pods_.try_emplace(pod.meta.uid);
  Own& own = found->second;
  if (is_new) {
    own.name = NewName(api::FullName(pod.meta));
    own.since = now;
    own.has_waited = pod.node_name.empty();
    if (own.has_waited) course_.nodes[own.name];
  }
  if (!own.has_waited) return;
  pod.node_name = own.node;
  pod.status.nominated_node_name.clear();
}

Result<void> TraceRun::Take(scheduler::Input input, Pacer& pacer) {
  const Time now = input.now;
  if (auto* put = std::get_if<scheduler::PutObject>(&input.what)) {
    if (auto* pod = std::get_if<api::Pod>(&put->object)) Place(*pod, now);
    Step(std::move(*put), now);
  } else if (auto* removed = std::get_if<scheduler::RemoveObject>(&input.what)) {
    Step(std::move(*removed), now);
  } else if (std::holds_alternative<scheduler::PassTime>(input.what)) {
    Step(scheduler::PassTime{}, now);
  }
  now_ = now;
  BERTH_CHECK_OK(pacer.Pause());
  // Earlier, the recorded scheduler had not seen the whole cluster.
  if (std::holds_alternative<scheduler::ScheduleNext>(input.what)) return TryAll(pacer);
  return {};
}

Result<void> TraceRun::TryAll(Pacer& pacer) {
  while (core_.HasWork()) {
    Step(scheduler::ScheduleNext{}, now_);
    BERTH_CHECK_OK(pacer.Pause());
  }
  return {};
}

void TraceRun::Step(decltype(scheduler::Input::what) what, Time now) {
  CarryOut(core_.Step({now, std::move(what)}), now);
}

void TraceRun::CarryOut(std::vector<scheduler::IssuedEffect> effects, Time now) {
  // What follows from an effect comes after those that are waiting.
  const bool is_running = !left_.empty();
  for (scheduler::IssuedEffect& effect : effects) left_.push_back(std::move(effect));
  if (is_running) return;
  for (size_t i = 0; i < left_.size(); ++i) {
    const scheduler::IssuedEffect issued = left_[i];
    if (const auto* bind = std::get_if<framework::BindPod>(&issued.effect)) {
      Own& own = pods_[bind->pod->uid];
      own.node = bind->node_name;
      course_.nodes[own.name] = bind->node_name;
      course_.waits.push_back(now - own.since);
    } else if (std::holds_alternative<framework::EvictPod>(issued.effect)) {
      ++course_.evictions;
    } else if (std::holds_alternative<framework::RecordEvent>(issued.effect)) {
      continue;
    }
    for (auto& what : world::CarryOutElsewhere(issued, core_)) CarryOut(core_.Step({now, std::move(what)}), now);
  }
  left_.clear();
}

Result<Course> TraceRun::Finish(Pacer& pacer) {
  BERTH_CHECK_OK(TryAll(pacer));
  MeasureNodes(core_.cluster(), course_);
  return std::move(course_);
}

}  // namespace berth::explain
