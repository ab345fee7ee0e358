// SPDX-License-Identifier: Apache-2.0
// How the API server carries effects out.

#include <algorithm>
#include <utility>

#include "api/document/json_writer.h"
#include "base/overloaded.h"
#include "framework/claim_effects.h"
#include "sim/core/api_model.h"
#include "sim/core/extender_model.h"

namespace berth::sim {
namespace {

using AnswerCode = scheduler::EffectAnswer::Code;

void SetCondition(api::Pod& pod, const api::PodCondition& condition) {
  std::erase_if(pod.status.conditions, [&](const api::PodCondition& other) { return other.type == condition.type; });
  pod.status.conditions.push_back(condition);
}

}  // namespace

void ApiModel::Carry(scheduler::IssuedEffect issued) {
  ++unanswered_;
  const uint64_t id = issued.id;
  const int64_t fate = dice_.Between(0, 99);
  const Duration there = dice_.UpTo(faults_.delay_max);
  const Duration back = dice_.UpTo(faults_.delay_max);
  // A connection may break at once, before any watch has reported what became of the request, or stay silent until it
  // times out.
  const Duration silence = dice_.Percent(50) ? back : Seconds(30);
  if (fate < faults_.refused) return Answer(id, AnswerCode::kFailed, "refused by chance", there + back);
  // The client does not leave it open what became of a claim.
  const bool lost = !std::holds_alternative<framework::BindClaim>(issued.effect) &&
                    fate < faults_.refused + faults_.lost_done + faults_.lost_not_done;
  if (lost && fate >= faults_.refused + faults_.lost_done) return Answer(id, AnswerCode::kUnknown, "", there + silence);
  agenda_.After(there, [this, id, lost, back, silence, connection = connection_, effect = std::move(issued.effect)] {
    if (connection != connection_) return;
    if (const auto* call = std::get_if<framework::CallExtender>(&effect)) {
      std::string body = Serve(*call);
      return lost ? Answer(id, AnswerCode::kUnknown, "", silence) : Answer(id, AnswerCode::kOk, std::move(body), back);
    }
    const std::string refusal = std::visit(Overloaded{[](const framework::CallExtender&) { return std::string(); },
                                                      [&](const auto& what) { return Do(what); }},
                                           effect);
    if (lost) return Answer(id, AnswerCode::kUnknown, "", silence);
    // What was read is told before anything else can happen to it.
    const bool at_once =
        std::holds_alternative<framework::ReadPod>(effect) || std::holds_alternative<framework::BindClaim>(effect);
    Answer(id, refusal.empty() ? AnswerCode::kOk : AnswerCode::kFailed, refusal, at_once ? Duration{} : back);
  });
}

void ApiModel::Answer(uint64_t id, AnswerCode code, std::string message, Duration delay) {
  const auto tell = [this, id, code, connection = connection_, text = std::move(message)] {
    if (connection != connection_) return;
    --unanswered_;
    deliver_(scheduler::EffectAnswer{id, code, text});
  };
  if (delay.nanos == 0) return tell();
  agenda_.After(delay, tell);
}

const api::Pod* ApiModel::FindSame(const cluster::PodInfo& pod) const {
  const api::Pod* found = Find<api::Pod>(pod.ns(), pod.name);
  return found != nullptr && found->meta.uid == pod.uid ? found : nullptr;
}

std::string ApiModel::Do(const framework::BindPod& bind) {
  const api::Pod* found = FindSame(*bind.pod);
  if (found == nullptr) return "pods \"" + bind.pod->name + "\" not found";
  if (found->meta.deletion_timestamp)
    return "pod " + bind.pod->name + " is being deleted, cannot be assigned to a host";
  if (!found->node_name.empty())
    return "pod " + bind.pod->name + " is already assigned to node \"" + found->node_name + "\"";
  bound_.insert(bind.pod->uid);
  Update<api::Pod>(bind.pod->ns(), bind.pod->name, [&](api::Pod& pod) {
    pod.node_name = bind.node_name;
    pod.status.nominated_node_name.clear();
    SetCondition(pod, {"PodScheduled", "True", "", "", 0, agenda_.now()});
  });
  return "";
}

template <class T>
std::string ApiModel::Replace(T object) {
  const T* found = Find<T>(object.meta.ns, object.meta.name);
  if (found == nullptr) return "\"" + object.meta.name + "\" not found";
  if (found->meta.resource_version != object.meta.resource_version) {
    return "Operation cannot be fulfilled on \"" + object.meta.name + "\": the object has been modified";
  }
  Write(std::move(object));
  return "";
}

std::string ApiModel::Do(const framework::UpdatePersistentVolume& update) { return Replace(update.volume); }

std::string ApiModel::Do(const framework::UpdatePersistentVolumeClaim& update) { return Replace(update.claim); }

std::string ApiModel::Do(const framework::EvictPod& evict) {
  const api::Pod* found = FindSame(*evict.victim);
  if (found == nullptr) return "";  // Gone is as good as evicted.
  if (!found->meta.deletion_timestamp) {
    Update<api::Pod>(evict.victim->ns(), evict.victim->name, [&](api::Pod& pod) {
      SetCondition(pod, {"DisruptionTarget", "True", "PreemptionByScheduler", "", 0, agenda_.now()});
    });
  }
  DeletePod(evict.victim->ns(), evict.victim->name, dice_.Percent(80));
  return "";
}

std::string ApiModel::Do(const framework::NominatePod& nominate) {
  return Do(framework::PatchPodStatus{nominate.pod, std::nullopt, nominate.node_name});
}

std::string ApiModel::Do(const framework::PatchPodStatus& patch) {
  if (FindSame(*patch.pod) == nullptr) return "pods \"" + patch.pod->name + "\" not found";
  Update<api::Pod>(patch.pod->ns(), patch.pod->name, [&](api::Pod& pod) {
    if (patch.condition) SetCondition(pod, *patch.condition);
    if (patch.nominated_node_name) pod.status.nominated_node_name = *patch.nominated_node_name;
  });
  return "";
}

std::string ApiModel::Do(const framework::PatchPodGroupStatus& patch) {
  const api::PodGroup* found = Find<api::PodGroup>(patch.group->meta.ns, patch.group->meta.name);
  if (found == nullptr) return "podgroups \"" + patch.group->meta.name + "\" not found";
  api::PodGroup group = *found;
  std::erase_if(group.conditions, [&](const api::PodCondition& old) { return old.type == patch.condition.type; });
  group.conditions.push_back(patch.condition);
  Write(std::move(group));
  return "";
}

std::string ApiModel::Do(const framework::RecordEvent&) {
  ++events_;
  return "";
}

std::string ApiModel::Do(const framework::ReadPod& read) {
  CatchUp(Key("Pod", read.pod->ns(), read.pod->name));
  return "";
}

std::string ApiModel::Do(const framework::BindClaim& bind) {
  const bool is_new = bind.claim.meta.name.empty();
  const std::string name = is_new ? framework::ExtendedClaimName(*bind.pod) : bind.claim.meta.name;
  const api::ResourceClaim* found = Find<api::ResourceClaim>(bind.pod->ns(), name);
  if (!is_new && (found == nullptr || found->meta.uid != bind.claim.meta.uid)) {
    return "resourceclaims \"" + name + "\" not found";
  }
  api::ResourceClaim claim = is_new ? bind.claim : *found;
  if (is_new) {
    claim.meta.name = name;
    claim.meta.uid.clear();
  }
  std::string refusal = framework::Apply(bind, claim, agenda_.now());
  if (refusal.empty()) Write(std::move(claim));
  // The client tells what it has read before it answers.
  CatchUp(Key("ResourceClaim", bind.pod->ns(), name));
  return refusal;
}

template <class Effect>
std::string ApiModel::ChangeClaim(const Effect& effect) {
  const api::ResourceClaim* found = Find<api::ResourceClaim>(effect.pod->ns(), effect.claim_name);
  if (found == nullptr) return "resourceclaims \"" + effect.claim_name + "\" not found";
  api::ResourceClaim claim = *found;
  std::string refusal = framework::Apply(effect, claim);
  if (refusal.empty()) Write(std::move(claim));
  return refusal;
}

std::string ApiModel::Do(const framework::UnreserveClaim& unreserve) { return ChangeClaim(unreserve); }

std::string ApiModel::Do(const framework::DeallocateClaim& deallocate) { return ChangeClaim(deallocate); }

std::string ApiModel::Do(const framework::DeleteClaim& order) {
  const api::ResourceClaim* found = Find<api::ResourceClaim>(order.pod->ns(), order.claim_name);
  if (found != nullptr && found->meta.uid == order.claim_uid) Remove(KeyOf(*found));
  return "";
}

std::string ApiModel::Serve(const framework::CallExtender& call) {
  if (call.verb != "bind") return AnswerOf(call, dice_, faults_.strikes);
  const std::string refusal = Do(framework::BindPod{call.pod, BoundNode(call)});
  return api::JsonWriter().BeginObject().Key("Error").String(refusal).EndObject().Take();
}

}  // namespace berth::sim
