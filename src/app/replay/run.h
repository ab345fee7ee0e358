// SPDX-License-Identifier: Apache-2.0
// ReplayFile: replays an input log up to where the user wants to look, and tells what was seen.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "explain/explanation.h"
#include "plugins/registry.h"

namespace berth::replay {

struct Request {
  std::string file;
  const framework::Registry* plugins = &plugins::BuiltIn();  // That the recorded profiles may enable.
  std::optional<Time> until;                                 // Inputs after this time are not replayed.
  std::string pod;                                           // "namespace/name" of a pod to stop at; empty: none.
  size_t attempt = 0;                                        // Which of its attempts, from 1; 0: the last one.
  bool explain = false;                                      // The attempt of the pod.
  size_t explain_limit = 5;                                  // Nodes per list of the explanation.
};

// One attempt to schedule a pod.
struct AttemptReport {
  std::string pod;
  size_t number = 0;  // Among the attempts of this pod, from 1.
  Time time;
  std::string outcome;  // scheduled, unschedulable or error.
  std::string node;     // Empty: none.
  std::string message;  // Why it got no node.
  std::optional<explain::Explanation> explanation;
};

struct Report {
  uint64_t steps = 0;
  Time start;
  Time end;
  std::map<std::string, size_t> inputs;    // By kind.
  std::map<std::string, size_t> effects;   // By kind.
  std::map<std::string, size_t> attempts;  // By outcome.
  // At the end.
  size_t active = 0;
  size_t backing_off = 0;
  size_t unschedulable = 0;
  size_t binding = 0;
  std::optional<AttemptReport> attempt;   // The one that was asked for.
  std::optional<std::string> unfinished;  // Why the log has no proper end, if the replay came there.
  // Why the replay ended before its goal: damage (Code::kInvalid) or other effects (Code::kConflict). What stands above
  // was seen before.
  std::optional<Error> problem;
};

// Fails if nothing can be replayed, or the pod has no such attempt.
Result<Report> ReplayFile(const Request& request);

std::string TableReport(const Report& report);
std::string JsonReport(const Report& report);

}  // namespace berth::replay
