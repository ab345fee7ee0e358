// SPDX-License-Identifier: Apache-2.0
// Reporter: what the scheduler tells the world about pods: events and conditions, with upstream's words.
//
// Thread: core.

#pragma once

#include <optional>
#include <string>

#include "scheduler/input.h"

namespace berth::scheduler {

class Reporter {
 public:
  explicit Reporter(Outbox& outbox) : outbox_(outbox) {}

  // The pod could not be scheduled. `rejected`: turned down, as opposed to an internal error. `nominated_node_name`
  // present: the nomination becomes this.
  void Failed(const cluster::PodPtr& pod, bool rejected, const std::string& message,
              const std::optional<std::string>& nominated_node_name);
  void SkippedDeleting(const cluster::PodPtr& pod);
  void Scheduled(const cluster::PodPtr& pod, const std::string& node_name);
  // Reported by the preemptor's profile, whoever has scheduled the victim.
  void Preempted(const framework::EvictPod& eviction, bool in_memory);

 private:
  Outbox& outbox_;
};

// Cut to at most 1024 bytes, the last four then being " ...".
std::string TruncateNote(const std::string& note);

}  // namespace berth::scheduler
