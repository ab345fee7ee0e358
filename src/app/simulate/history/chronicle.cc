// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/history/chronicle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "server/controllers/owned_pods.h"

namespace berth::simulate {
namespace {

using server::Json;
using State = PodLife::State;

bool HasEnded(const server::StoredObject& pod) {
  const std::string_view phase = pod.Field("status.phase");
  return phase == "Succeeded" || phase == "Failed";
}

}  // namespace

std::string_view StateName(State state) {
  constexpr std::array<std::string_view, 11> kNames = {"waiting", "running", "terminating", "completed",
                                                       "failed",  "evicted", "deleted",     "lost",
                                                       "binding", "gated",   "ignored"};
  return kNames[static_cast<size_t>(state)];
}

Chronicle::Chronicle(server::Store& store, const server::Catalog& catalog, const runtime::Timers& timers,
                     History& history, server::PodLives lives)
    : store_(store),
      timers_(timers),
      history_(history),
      lives_(lives),
      pods_(catalog.Get("", "pods")),
      nodes_(catalog.Get("", "nodes")),
      events_(*catalog.Get("", "events").stored),
      changed_at_(timers.Now()) {
  store.Listen([this](const server::ChangePtr& change) { OnChange(*change); });
}

void Chronicle::ForgetEnded() {
  std::vector<size_t> places;  // By the place before.
  std::vector<PodLife> left;
  for (PodLife& life : history_.pods) {
    places.push_back(left.size());
    if (!life.ended) left.push_back(std::move(life));
  }
  history_.pods = std::move(left);
  for (auto& [key, known] : known_) known.life = places[known.life];
}

void Chronicle::OnChange(const server::Change& change) {
  const server::Resource& resource = change.object->resource();
  if (&resource == &pods_) return OnPod(change);
  if (&resource != &events_) changed_at_ = timers_.Now();
}

void Chronicle::OnPod(const server::Change& change) {
  const server::StoredObject& pod = *change.object;
  const auto known = known_.find(pod.key());
  if (change.type != server::Change::Type::kDeleted) {
    if (known != known_.end()) return Update(known->second, pod);
    if (!HasEnded(pod)) Begin(pod);
    return;
  }
  changed_at_ = timers_.Now();
  if (known == known_.end()) return;
  const std::string& node = Life(known->second).node;
  const bool is_lost = !node.empty() && store_.Find(nodes_, "", node) == nullptr;
  End(known->second, pod, known->second.is_evicted ? State::kEvicted : is_lost ? State::kLost : State::kDeleted);
}

void Chronicle::Begin(const server::StoredObject& pod) {
  changed_at_ = timers_.Now();
  const server::TreePtr tree = pod.tree();
  const Json& owner = server::ControllerOf(*tree);
  PodLife life;
  life.ns = pod.ns();
  life.name = pod.name();
  life.priority = static_cast<int32_t>((*tree)["spec"]["priority"].IntOr(0));
  life.created = timers_.Now();
  Known known{.life = history_.pods.size(),
              .owner_uid = owner["uid"].text(),
              .owner = {},
              .has_end = lives_.end && server::EndsOfItself(*tree, server::ScriptOf(pod, lives_))};
  if (!known.owner_uid.empty()) {
    known.owner = fmt::format("{} {}/{}", owner["kind"].text(), life.ns, owner["name"].text());
    if (const auto places = vacancies_.find(known.owner_uid); places != vacancies_.end()) {
      life.replaces = std::move(places->second.front());
      places->second.pop_front();
      if (places->second.empty()) vacancies_.erase(places);
    }
  }
  if (const std::string_view node = pod.Field("spec.nodeName"); !node.empty()) {
    life.was_pending = false;
    life.state = State::kRunning;
    life.node = node;
    ++running_count_;
  }
  history_.pods.push_back(std::move(life));
  Known& kept = known_.emplace(pod.key(), std::move(known)).first->second;
  Update(kept, pod);
}

void Chronicle::Update(Known& known, const server::StoredObject& pod) {
  PodLife& life = Life(known);
  const std::string_view node = pod.Field("spec.nodeName");
  if (life.node.empty() && !node.empty()) {
    changed_at_ = timers_.Now();
    life.state = State::kRunning;
    life.bound = timers_.Now();
    life.node = node;
    life.message.clear();
    ++running_count_;
  }
  if (HasEnded(pod)) {
    const bool is_lost = store_.Find(nodes_, "", life.node) == nullptr;
    const bool has_failed = pod.Field("status.phase") == "Failed";
    return End(known, pod, !has_failed ? State::kCompleted : is_lost ? State::kLost : State::kFailed);
  }
  if (pod.is_being_deleted() && life.state != State::kTerminating && !life.node.empty()) {
    changed_at_ = timers_.Now();
    life.state = State::kTerminating;
    Leave(known, life);
  }
  SetEnding(known, !life.node.empty() && (known.has_end || pod.is_being_deleted()));
}

void Chronicle::End(Known& known, const server::StoredObject& pod, State state) {
  changed_at_ = timers_.Now();
  PodLife& life = Life(known);
  if (!life.node.empty()) --running_count_;
  SetEnding(known, false);
  const bool has_left = life.state == State::kTerminating;
  life.state = state;
  life.ended = timers_.Now();
  if (!has_left && state != State::kCompleted) Leave(known, life);
  known_.erase(pod.key());
}

void Chronicle::SetEnding(Known& known, bool is_ending) {
  if (std::exchange(known.is_ending, is_ending) == is_ending) return;
  is_ending ? ++ending_count_ : --ending_count_;
}

void Chronicle::Leave(const Known& known, const PodLife& life) {
  if (!known.owner_uid.empty()) vacancies_[known.owner_uid].push_back(life.full_name());
}

void Chronicle::Evict(const server::StoredObject& pod, TimedEviction eviction) {
  const auto known = known_.find(pod.key());
  if (known == known_.end()) return;
  known->second.is_evicted = true;
  PodLife& life = Life(known->second);
  if (!eviction.preemptor.empty()) life.message = "evicted by " + eviction.preemptor;
  eviction.at = timers_.Now();
  eviction.victim = life.full_name();
  eviction.victim_priority = life.priority;
  eviction.node = life.node;
  eviction.owner = known->second.owner;
  history_.evictions.push_back(std::move(eviction));
}

PodLife* Chronicle::LifeOf(std::string_view full_name) {
  const auto known = known_.find(std::string(full_name));
  return known == known_.end() ? nullptr : &Life(known->second);
}

}  // namespace berth::simulate
