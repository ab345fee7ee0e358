// SPDX-License-Identifier: Apache-2.0
// What the API server does with the effects of the scheduler.

#include <fmt/format.h>

#include <algorithm>

#include "app/simulate/timeline/api_server.h"

namespace berth::simulate {
namespace {

using scheduler::EffectAnswer;

EffectAnswer Ok() { return {}; }

// `refusal` is empty if there is none.
EffectAnswer Answered(std::string refusal) {
  const auto code = refusal.empty() ? EffectAnswer::Code::kOk : EffectAnswer::Code::kFailed;
  return {.id = 0, .code = code, .message = std::move(refusal)};
}

EffectAnswer NotFound(const cluster::PodInfo& pod) {
  return {.id = 0, .code = EffectAnswer::Code::kFailed, .message = fmt::format("pods \"{}\" not found", pod.name)};
}

void SetCondition(api::PodCondition condition, Time now, std::vector<api::PodCondition>& conditions) {
  const auto it = std::ranges::find(conditions, condition.type, &api::PodCondition::type);
  if (it == conditions.end()) {
    condition.last_transition_time = now;
    conditions.push_back(std::move(condition));
    return;
  }
  condition.last_transition_time = it->status == condition.status ? it->last_transition_time : now;
  *it = std::move(condition);
}

}  // namespace

void ApiServer::CarryOut(const scheduler::IssuedEffect& issued, std::string_view pod) {
  subject_ = pod;
  EffectAnswer answer = std::visit([&](const auto& effect) { return Carry(effect); }, issued.effect);
  answer.id = issued.id;
  parts_.feed(std::move(answer));
}

ApiServer::Served* ApiServer::Find(const cluster::PodInfo& pod) {
  const auto it = pods_.find(pod.full_name());
  return it == pods_.end() || it->second.source.pod.meta.uid != pod.uid ? nullptr : &it->second;
}

EffectAnswer ApiServer::Carry(const framework::BindPod& bind) {
  Served* served = Find(*bind.pod);
  if (served == nullptr) return NotFound(*bind.pod);
  changed_at_ = now();
  api::Pod& pod = served->source.pod;
  pod.node_name = bind.node_name;
  pod.status.phase = "Running";
  pod.status.start_time = now();
  pod.status.nominated_node_name.clear();
  SetCondition({.type = "PodScheduled", .status = "True", .reason = {}, .message = {}, .last_transition_time = {}},
               now(), pod.status.conditions);
  PodLife& life = Life(*served);
  life.state = PodLife::State::kRunning;
  life.bound = now();
  life.node = bind.node_name;
  life.message.clear();
  ++running_count_;
  const std::string name = bind.pod->full_name();
  if (served->runs) {
    parts_.agenda.After(*served->runs, [this, name, uid = bind.pod->uid] { Complete(name, uid); });
  }
  PutPod(*served);
  // The node may have gone since the scheduler chose it; its pods then go the same way.
  if (!HasNode(bind.node_name)) Remove(name, PodLife::State::kLost);
  return Ok();
}

EffectAnswer ApiServer::Carry(const framework::EvictPod& eviction) {
  Served* victim = Find(*eviction.victim);
  if (victim == nullptr || victim->source.pod.meta.deletion_timestamp) return Ok();
  SetCondition({.type = "DisruptionTarget",
                .status = "True",
                .reason = "PreemptionByScheduler",
                .message = {},
                .last_transition_time = {}},
               now(), victim->source.pod.status.conditions);
  const std::string preemptor = eviction.preemptor->full_name();
  parts_.history.evictions.push_back({.at = now(),
                                      .victim = eviction.victim->full_name(),
                                      .victim_priority = Life(*victim).priority,
                                      .node = eviction.node_name,
                                      .owner = OwnerOf(victim->source.pod),
                                      .preemptor = preemptor,
                                      .preemptor_priority = eviction.preemptor->priority()});
  Life(*victim).message = "evicted by " + preemptor;
  Terminate(*victim, PodLife::State::kEvicted);
  return Ok();
}

EffectAnswer ApiServer::Carry(const framework::NominatePod& nomination) {
  return Carry(framework::PatchPodStatus{nomination.pod, std::nullopt, nomination.node_name});
}

EffectAnswer ApiServer::Carry(const framework::PatchPodStatus& patch) {
  Served* served = Find(*patch.pod);
  if (served == nullptr) return NotFound(*patch.pod);
  api::PodStatus& status = served->source.pod.status;
  if (patch.condition) SetCondition(*patch.condition, now(), status.conditions);
  if (patch.nominated_node_name) status.nominated_node_name = *patch.nominated_node_name;
  PutPod(*served);
  return Ok();
}

EffectAnswer ApiServer::Carry(const framework::PatchPodGroupStatus& patch) {
  api::PodGroup group = *patch.group;
  SetCondition(patch.condition, now(), group.conditions);
  Put(std::move(group));
  return Ok();
}

EffectAnswer ApiServer::Carry(const framework::RecordEvent& event) {
  ++parts_.history.events[event.reason];
  if (event.reason != "FailedScheduling") return Ok();
  if (Served* served = Find(*event.pod)) Life(*served).message = event.note;
  return Ok();
}

EffectAnswer ApiServer::Carry(const framework::ReadPod& read) {
  if (Served* served = Find(*read.pod)) {
    parts_.feed(scheduler::PutObject{served->source.pod});
  } else {
    parts_.feed(scheduler::RemoveObject{"Pod", read.pod->ns(), read.pod->name});
  }
  return Ok();
}

EffectAnswer ApiServer::Carry(const framework::UpdatePersistentVolume& update) {
  return NoteVolume(volumes_.Carry(update));
}

EffectAnswer ApiServer::Carry(const framework::UpdatePersistentVolumeClaim& update) {
  return NoteVolume(volumes_.Carry(update));
}

EffectAnswer ApiServer::NoteVolume(VolumeBinding binding) {
  if (PodLife* life = LifeOf(subject_)) life->volumes.push_back(std::move(binding));
  return Ok();
}

// A configuration with extenders is refused at the start.
EffectAnswer ApiServer::Carry(const framework::CallExtender&) {
  return {.id = 0, .code = EffectAnswer::Code::kFailed, .message = "extenders are not simulated"};
}

EffectAnswer ApiServer::Carry(const framework::CancelExtenderCall&) { return Ok(); }

EffectAnswer ApiServer::Carry(const framework::BindClaim& bind) { return Answered(claims_.Carry(bind, now())); }

EffectAnswer ApiServer::Carry(const framework::UnreserveClaim& unreserve) { return Answered(claims_.Carry(unreserve)); }

EffectAnswer ApiServer::Carry(const framework::DeallocateClaim& deallocate) {
  return Answered(claims_.Carry(deallocate));
}

EffectAnswer ApiServer::Carry(const framework::DeleteClaim& order) { return Answered(claims_.Carry(order)); }

}  // namespace berth::simulate
