// SPDX-License-Identifier: Apache-2.0
#include "scheduler/preemptions.h"

#include <algorithm>

namespace berth::scheduler {

void Preemptions::Start(std::vector<framework::EvictPod> evictions, std::string_view plugin, Time now) {
  if (evictions.empty()) return;
  const std::string uid = evictions.front().preemptor_uid();
  cluster_.running_preemptions.insert(uid);
  Running& running = running_[uid];
  running.first = evictions.front();
  running.plugin = plugin;
  if (observer_ != nullptr) {
    observer_->PreemptionStarted(evictions.front(), evictions.size());
    running.since = observer_->Start();
  }
  running.waiting.push_back(std::move(evictions.back()));
  evictions.pop_back();
  for (const framework::EvictPod& eviction : evictions) Evict(running, eviction, now);
  Continue(uid, now);
}

bool Preemptions::Evict(Running& running, const framework::EvictPod& eviction, Time now) {
  if (bindings_.Preempt(eviction.victim->uid, running.plugin, now)) {
    reporter_.Preempted(eviction, true);
    Tell(eviction, framework::Observer::VictimEnd::kStopped);
    return true;
  }
  const uint64_t id = outbox_.Send(eviction);
  effects_.emplace(id, eviction.preemptor_uid());
  running.outstanding.emplace(id, eviction);
  return false;
}

void Preemptions::Tell(const framework::EvictPod& eviction, framework::Observer::VictimEnd end,
                       std::string_view error) {
  if (observer_ != nullptr) observer_->VictimLeft(eviction, end, error);
}

void Preemptions::Continue(const std::string& uid, Time now) {
  Running& running = running_.find(uid)->second;
  if (!running.outstanding.empty()) return;
  if (running.failed) return End(uid, true, now);
  if (running.waiting.empty()) {
    // The deletion of a victim that holds its place wakes the preemptor. One that gave it up before, because its
    // binding failed, will not be seen to leave a node.
    const cluster::PodPtr victim = cluster_.FindPod(running.last_victim);
    if (victim == nullptr) return End(uid, true, now);
    if (victim->is_terminating()) return End(uid, false, now);
    // The answer was faster than the watch: a preemptor that is let in now would find some of its victims still there.
    return;
  }
  const framework::EvictPod last = std::move(running.waiting.back());
  running.waiting.pop_back();
  running.last_victim = last.victim->uid;
  // No deletion will be seen of a victim that was stopped in memory.
  if (Evict(running, last, now)) End(uid, true, now);
}

void Preemptions::End(const std::string& uid, bool activate, Time now) {
  const Running& running = running_.find(uid)->second;
  if (observer_ != nullptr) {
    observer_->PreemptionEnded(running.first, running.failed, running.since);
  }
  const cluster::PodPtr preemptor = running.first.preemptor;
  running_.erase(uid);
  cluster_.running_preemptions.erase(uid);
  if (activate) queue_.Activate(*preemptor, now);
}

std::vector<IssuedEffect> Preemptions::Outstanding() const {
  std::vector<IssuedEffect> evictions;
  for (const auto& [uid, running] : running_) {
    for (const auto& [id, eviction] : running.outstanding) evictions.push_back({id, eviction});
  }
  std::ranges::sort(evictions, {}, &IssuedEffect::id);
  return evictions;
}

bool Preemptions::Answer(const EffectAnswer& answer, Time now) {
  const auto found = effects_.find(answer.id);
  if (found == effects_.end()) return false;
  const std::string uid = std::move(found->second);
  effects_.erase(found);
  Running& running = running_.find(uid)->second;
  const framework::EvictPod eviction = std::move(running.outstanding.find(answer.id)->second);
  running.outstanding.erase(answer.id);
  if (answer.code == EffectAnswer::Code::kOk) {
    const bool was_gone = !answer.message.empty();
    if (!was_gone) reporter_.Preempted(eviction, false);
    Tell(eviction, was_gone ? framework::Observer::VictimEnd::kWasGone : framework::Observer::VictimEnd::kDeleted);
  } else {
    running.failed = true;  // Lost or refused: the next attempt finds out what is left to do.
    Tell(eviction, framework::Observer::VictimEnd::kFailed, answer.message);
  }
  Continue(uid, now);
  return true;
}

void Preemptions::VictimIsGoing(const std::string& uid) {
  std::vector<std::string> done;
  for (const auto& [preemptor, running] : running_) {
    if (running.last_victim != uid) continue;
    cluster_.running_preemptions.erase(preemptor);
    if (running.outstanding.empty()) done.push_back(preemptor);
  }
  for (const std::string& preemptor : done) End(preemptor, false, {});
}

}  // namespace berth::scheduler
