// SPDX-License-Identifier: Apache-2.0
// Chronicle: writes down what becomes of the pods of a cluster, as its store tells it.
//
// Thread: that of the store.

#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "app/simulate/history/pod_life.h"
#include "runtime/timers.h"
#include "server/nodes/simulated_pods.h"
#include "server/store/store.h"

namespace berth::simulate {

class Chronicle {
 public:
  // Hears of everything that is written to the store from now on. `lives`: whether pods end of themselves. REQUIRES:
  // all outlive this, and nothing is written to the store after it is gone.
  Chronicle(server::Store& store, const server::Catalog& catalog, const runtime::Timers& timers, History& history,
            server::PodLives lives);
  Chronicle(const Chronicle&) = delete;
  Chronicle& operator=(const Chronicle&) = delete;

  // Forgets the pods that have ended: they are none of the story that begins now.
  void ForgetEnded();

  // The pod is about to be deleted, by a preemptor or because its node is drained. Not told of a pod that is gone or
  // going already.
  void Evict(const server::StoredObject& pod, TimedEviction eviction);

  // What is there at this name ("namespace/name"), or nullptr.
  PodLife* LifeOf(std::string_view full_name);
  size_t running_count() const { return running_count_; }
  // Pods that will end or be gone if nothing else happens.
  size_t ending_count() const { return ending_count_; }
  // When something last happened that may help or hinder a pod.
  Time changed_at() const { return changed_at_; }

 private:
  struct Known {
    size_t life = 0;        // Position in the history.
    std::string owner_uid;  // Of its controller; empty: it has none.
    std::string owner;      // "Job batch/report".
    bool has_end = false;
    bool is_ending = false;
    bool is_evicted = false;
  };

  void OnChange(const server::Change& change);
  void OnPod(const server::Change& change);
  void Begin(const server::StoredObject& pod);
  void Update(Known& known, const server::StoredObject& pod);
  void End(Known& known, const server::StoredObject& pod, PodLife::State state);
  void SetEnding(Known& known, bool is_ending);
  // A controller may make another in its place.
  void Leave(const Known& known, const PodLife& life);
  PodLife& Life(const Known& known) { return history_.pods[known.life]; }

  server::Store& store_;
  const runtime::Timers& timers_;
  History& history_;
  const server::PodLives lives_;
  const server::Resource& pods_;
  const server::Resource& nodes_;
  const server::Resource& events_;
  std::unordered_map<std::string, Known> known_;                        // By key: those that have not ended.
  std::unordered_map<std::string, std::deque<std::string>> vacancies_;  // Names of pods that went, by owner.
  size_t running_count_ = 0;
  size_t ending_count_ = 0;
  Time changed_at_;
};

}  // namespace berth::simulate
