// SPDX-License-Identifier: Apache-2.0
// TraceRun: what another scheduler would have made of what a recording tells.
//
// Objects come, change and go as recorded, but pods that the recorded scheduler bound go where this core puts them.
// Whenever the recorded one tried a pod, this one tries all that it can; what it asks for is done at once. Pods end
// when they ended in the recording, wherever they are.
//
// Thread: one.

#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "explain/comparison.h"
#include "explain/pacer.h"
#include "scheduler/core.h"

namespace berth::explain {

class TraceRun {
 public:
  // REQUIRES: the core outlives this and has seen nothing yet.
  explicit TraceRun(scheduler::Core& core) : core_(core) {}

  // The next recorded input; what was decided there is passed over.
  Result<void> Take(scheduler::Input input, Pacer& pacer);
  // What came of it.
  Result<Course> Finish(Pacer& pacer);

 private:
  struct Own {
    std::string name;  // "namespace/name", as it stands in the course.
    std::string node;  // Where this core put it; empty: nowhere yet.
    Time since;
    bool has_waited = false;  // It was seen without a node, so its place is up to this core.
  };

  // As long as there is a pod to be tried.
  Result<void> TryAll(Pacer& pacer);
  void Step(decltype(scheduler::Input::what) what, Time now);
  void CarryOut(std::vector<scheduler::IssuedEffect> effects, Time now);
  void Place(api::Pod& pod, Time now);
  std::string NewName(const std::string& name);

  scheduler::Core& core_;
  std::unordered_map<std::string, Own> pods_;      // By uid.
  std::unordered_map<std::string, size_t> names_;  // How many pods had each.
  std::vector<scheduler::IssuedEffect> left_;      // Effects that are still to be carried out.
  Time now_;
  Course course_;
};

}  // namespace berth::explain
