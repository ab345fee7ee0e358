// SPDX-License-Identifier: Apache-2.0
// Question: what is to be tried on a copy of a cluster: changes to it, and then objects that are applied in order.
//
//   {"changes": [{"addNodes": {"count": 3, "like": "node-7"}}, {"cordon": {"selector": "zone=eu-1a"}}],
//    "objects": [{"apiVersion": "apps/v1", "kind": "Deployment", ...}]}

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/document/json_tree.h"
#include "api/objects/node.h"
#include "base/result.h"

namespace berth::explain {

// So many nodes a question adds at most, so many pods, and so many changes and objects it has.
inline constexpr int64_t kAddedNodesMax = 10'000;
inline constexpr int64_t kAddedPodsMax = 10'000;
inline constexpr size_t kChangesMax = 1'000;
inline constexpr size_t kObjectsMax = 10'000;
// A question has one other configuration at most. It is read in one go, while the scheduler waits, so it is no longer
// than this and has no YAML anchors, by which a short text can stand for a long one.
inline constexpr size_t kConfigurationBytesMax = 16 * 1024;

// Nodes by name, by labels, or both: then those that are both.
struct NodeChoice {
  std::vector<std::string> names;
  std::string selector;  // Such as zone=eu-1a.
};

struct AddNodes {
  int64_t count = 1;
  std::string like;  // The node that they are like; empty: `node` says how they are.
  api::Json node;    // A manifest. Without a name they are called added-1, added-2 and so on.
  api::Json labels;  // That differ from those.
};
// Their pods go too. Those that a controller keeps up come again.
struct RemoveNodes {
  NodeChoice nodes;
};
struct CordonNodes {
  NodeChoice nodes;
  bool is_undone = false;  // They are uncordoned.
};
struct LabelNodes {
  NodeChoice nodes;
  api::Json labels;  // Null takes one away.
};
struct TaintNodes {
  NodeChoice nodes;
  std::vector<api::Taint> taints;
  bool is_undone = false;  // Those of the same key and effect are taken away.
};
// A JSON merge patch.
struct PatchObject {
  std::string kind, ns, name;
  api::Json patch;
};
struct DeleteObject {
  std::string kind, ns, name;
};
// More pods like one that there is, as its owner would make them.
struct AddPods {
  int64_t count = 1;
  std::string like;  // "namespace/name".
};
// A pod that waits is helped by one of the changes that are found for it (explain/counterfactual.h).
struct HelpPod {
  std::string ns, name;
  std::string text;         // Of the change.
  bool with_alike = false;  // If the pod is changed: so are those that wait, have the same owner and want the same.
};

// The scheduler has another configuration.
struct Configure {
  std::string text;  // A KubeSchedulerConfiguration, YAML or JSON.
};

using Change = std::variant<AddNodes, RemoveNodes, CordonNodes, LabelNodes, TaintNodes, PatchObject, DeleteObject,
                            AddPods, HelpPod, Configure>;

struct Question {
  std::vector<Change> changes;
  std::vector<api::Json> objects;  // Manifests.
  bool shows_nodes = false;        // The answer tells what nodes are then that differ from now.
};

// What would help this pod.
struct CounterfactualQuestion {
  std::string ns, name;
};

// Errors name the field.
Result<Question> ParseQuestion(const api::Json& body);
Result<CounterfactualQuestion> ParseCounterfactualQuestion(const api::Json& body);
// The form that ParseQuestion reads.
api::Json ToJson(const Question& question);

// "key=value:Effect" or "key:Effect", as kubectl taint takes it.
Result<api::Taint> ParseTaint(std::string_view text);

}  // namespace berth::explain
