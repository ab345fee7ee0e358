// SPDX-License-Identifier: Apache-2.0
// PodLife: what became of one pod in the course of a simulation.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/simulate/history/queue_course.h"
#include "base/time.h"
#include "explain/explanation.h"

namespace berth::simulate {

// A claim that got its volume.
struct VolumeBinding {
  std::string claim;  // "namespace/name".
  std::string volume;
  bool is_new = false;  // The volume was provisioned for the claim.
};

struct PodLife {
  enum class State : uint8_t {
    kWaiting,
    kRunning,
    kTerminating,
    kCompleted,
    kFailed,
    kEvicted,
    kDeleted,
    kLost,     // Its node was deleted.
    kBinding,  // Had a node at the end, but was not bound yet.
    kGated,    // Held back by a scheduling gate or another plugin to the end.
    kIgnored,  // Of a scheduler that does not take part.
  };

  std::string ns;
  std::string name;
  int32_t priority = 0;
  State state = State::kWaiting;
  bool was_pending = true;  // Not on a node from the beginning.
  Time created;
  std::optional<Time> bound;
  std::optional<Time> ended;  // When it was gone or complete.
  std::string node;
  int attempts = 0;
  bool has_error = false;                          // The last attempt did not end in a decision.
  std::string message;                             // Why it has no node.
  std::string replaces;                            // The pod in whose place a controller made it.
  std::vector<VolumeBinding> volumes;              // That it waited for.
  std::vector<explain::Explanation> explanations;  // One for each attempt, if asked for.

  std::string full_name() const { return ns + "/" + name; }
};

std::string_view StateName(PodLife::State state);

struct TimedEviction {
  Time at;
  std::string victim;
  int32_t victim_priority = 0;
  std::string node;
  std::string owner;      // "Job batch/report"; empty: the pod had none and is gone for good.
  std::string preemptor;  // Empty: the node is drained.
  int32_t preemptor_priority = 0;
};

// The state of queue and cluster at one time.
struct Sample {
  Time at;
  size_t active = 0;
  size_t backoff = 0;
  size_t unschedulable = 0;
  size_t gated = 0;
  size_t binding = 0;  // Have a node, but are not bound yet.
  size_t running = 0;
  int64_t cpu_requested_milli = 0;
  int64_t cpu_allocatable_milli = 0;
  int64_t memory_requested_bytes = 0;
  int64_t memory_allocatable_bytes = 0;

  size_t pending() const { return active + backoff + unschedulable + binding; }
};

// What a timed simulation found.
struct History {
  Time start;
  Time end;
  std::vector<PodLife> pods;  // In order of creation.
  std::vector<TimedEviction> evictions;
  std::map<std::string, size_t> events;  // How many of each reason were recorded.
  std::vector<Sample> samples;           // Each holds until the next.
  std::vector<QueueMean> queue;          // Over the intervals at whose ends the samples were taken.
  size_t attempts = 0;
  size_t peak_pending = 0;
  std::vector<std::string> notes;
};

}  // namespace berth::simulate
