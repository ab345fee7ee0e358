// SPDX-License-Identifier: Apache-2.0
// Counterfactuals: the smallest single changes under which a pending pod would be placed now.
//
// They are found by taking one rule of the pod, of its group, of its claims or of a node away, and giving back of it as
// much as can be. Each was tried on the core. docs/foresight.md says how the size of a change of each kind is measured.
//
// Thread: core. Cost: some dozens of attempts; of groups and claims, some dozens of copies of the core.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/document/json_tree.h"
#include "base/result.h"
#include "base/time.h"
#include "explain/pacer.h"
#include "scheduler/core.h"

namespace berth::explain {

// How an object that waits to be created, or is created anew, has to be changed.
struct ObjectPatch {
  std::string kind;
  std::string ns;
  std::string name;
  api::Json patch;  // A JSON patch (RFC 6902) of its manifest.
};

struct Counterfactual {
  std::string kind;  // removeGate, tolerate, dropNodeSelector, lowerRequest, ...; see docs/foresight.md.
  std::string text;  // "tolerate the taint gpu=yes:NoSchedule".
  double size = 0;
  std::string node = {};                  // Where the pod would go.
  std::vector<std::string> victims = {};  // That would have to go first, by "namespace/name".
  // What has to be done: to the pod and what belongs to it, to be created before, to the nodes and the other pods.
  std::vector<ObjectPatch> patches = {};
  std::vector<api::Json> objects = {};  // Manifests.
  api::Json change = {};                // As in a question (explain/question.h); null: nothing.
  // The same as what a core is told. A pod is created anew.
  std::vector<decltype(scheduler::Input::what)> told = {};
};

struct CounterfactualAnswer {
  std::string pod;
  std::string owner;           // Kind and name of its controller; empty: none.
  bool is_placed_now = false;  // Without any change.
  std::string message;         // Why it is not placed.
  std::string nominated_node;  // Where room is made for it already, by evicting
  std::vector<std::string> victims;
  std::vector<Counterfactual> changes;  // The smallest first.
};

// `pod` is "namespace/name". Fails if there is no such pod that waits. Nodes come and go in the core meanwhile, so it
// is to be a copy.
Result<CounterfactualAnswer> Counterfactuals(scheduler::Core& core, std::string_view pod, Time now, Pacer& pacer);

api::Json ToJson(const CounterfactualAnswer& answer);
// For people; made of the JSON.
std::string CounterfactualText(const api::Json& answer);

}  // namespace berth::explain
