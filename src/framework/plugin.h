// SPDX-License-Identifier: Apache-2.0
// What a plugin is: the extension points as interfaces.
//
// A plugin derives from Plugin and from the interface of each extension point it takes part in. Filter and Score state
// what they do to all candidates at once; an author who does not care for speed overrides the one-node form, and the
// default loops over it. Plugins do not know each other, hold no state of their own between cycles, and use no clock,
// thread or I/O: what a cycle needs to remember goes into the Cycle, what the world has to do into Effects.
//
// Status codes, order, Skip and error texts are upstream's. A plugin that throws fails its pod, not the process.

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "framework/candidates.h"
#include "framework/cycle.h"
#include "framework/effects.h"
#include "framework/fine_score.h"
#include "framework/scores.h"
#include "framework/status.h"

namespace berth::framework {

class Profile;
struct Diagnosis;

class Plugin {
 public:
  virtual ~Plugin() = default;
  virtual std::string_view name() const = 0;

  // PreFilter and Filter have nothing to say about a pod that awaits a resize: it is on its node already.
  virtual bool skips_resizes() const { return false; }

  // The plugin's place in its profile: the key of its state in a Cycle.
  size_t index() const { return index_; }

 private:
  friend class Profile;
  size_t index_ = 0;
};

// Orders the queue. Exactly one per profile, the same in all profiles.
struct QueuedPod {
  const cluster::PodInfo& pod;        // Of a group that is scheduled as one: a member.
  Time timestamp;                     // When it entered the queue, or came back to it.
  int32_t priority = pod.priority();  // Of the pod, or of its group.
  Time first_entry = timestamp;       // When it first was to be tried.
};
class QueueSortPlugin {
 public:
  virtual ~QueueSortPlugin() = default;
  virtual bool Less(const QueuedPod& a, const QueuedPod& b, const cluster::Cluster& cluster) const = 0;
};

// Decides whether a pod may enter the active queue at all.
class PreEnqueuePlugin {
 public:
  virtual ~PreEnqueuePlugin() = default;
  virtual Status PreEnqueue(const cluster::PodInfo& pod, const cluster::Cluster& cluster) const = 0;
};

struct PreFilterResult {
  Status status;
  // Node names the pod can only go to; absent means all. Sorted, unique.
  std::optional<std::vector<std::string>> node_names = std::nullopt;
};

// Looks at the pod once, before nodes are filtered. Skip: the plugin's Filter is not needed for this pod.
class PreFilterPlugin {
 public:
  virtual ~PreFilterPlugin() = default;
  virtual PreFilterResult PreFilter(Cycle& cycle) const = 0;

  // Pre-filter extensions: adjust the state as if `pod` were added to (removed from) the node. Called when preemption
  // and nominated pods are tried out; every AddPod is undone by a RemovePod of the same pod and node, and vice versa.
  virtual bool has_extensions() const { return false; }
  virtual Status AddPod(Cycle& cycle, const cluster::PodInfo& pod, NodeSlot node) const;
  virtual Status RemovePod(Cycle& cycle, const cluster::PodInfo& pod, NodeSlot node) const;
};

// What a plugin's word on a node depends on, besides the template of the pod. Nodes that are kept in order from one pod
// to the next (scheduler/ranking.h) are looked at again only when that changes.
enum class Reach : uint8_t {
  kCluster,  // On anything.
  kTraits,   // On the traits of the node, which TraitPlugin names: nodes with equal traits are judged alike.
  kNode,     // On the node's row alone: its Node object, its pods and its images.
};

// Names what Filter and Score read of a node, for plugins that look beyond it, at domains and the pods in them.
class TraitPlugin {
 public:
  virtual ~TraitPlugin() = default;
  using Sources = std::vector<std::shared_ptr<const void>>;
  using Traits = std::vector<uint64_t>;
  // Prepares the cycle for AppendTraits and names the tables that the traits are read from. While they are the same,
  // traits change only with the node's row. False: the pod cannot be judged by traits.
  virtual bool AppendSources(Cycle& cycle, Sources& sources) const = 0;
  // The same number of traits for every node.
  virtual void AppendTraits(const Cycle& cycle, NodeSlot node, Traits& traits) const = 0;
};

// What a node lacks of one thing that pods take up, for the pod of the cycle: 0 or less means that there is enough.
struct MissingRoom {
  enum class Of : uint8_t { kPods, kCpu, kMemory, kEphemeralStorage, kScalar };
  Of of = Of::kPods;
  cluster::ResourceId scalar = {};  // kScalar only.
  int64_t amount = 0;
  // Why the filter rejects the node while some is missing: the two together. They live as long as the cycle.
  std::string_view reason;
  std::string_view name = {};
};

// How the other pods on a node decide what a filter says of it. Those that try out which of them have to go need not
// ask the filter again and again if they know.
enum class PodInfluence : uint8_t {
  kNone,  // Not at all.
  kRoom,  // By what they request: the node passes if there is enough of everything that FilterPlugin::FindMissing
          // names.
  kAny,
};

// Rejects nodes. Override one of the two.
class FilterPlugin {
 public:
  virtual ~FilterPlugin() = default;
  // In this cycle.
  virtual PodInfluence influence_of_pods(const Cycle&) const { return PodInfluence::kAny; }
  // Appends everything that the filter counts on the node, in the order of its reasons. Only for kRoom. False: it
  // cannot tell for this node.
  virtual bool FindMissing(const Cycle&, NodeSlot, std::vector<MissingRoom>&) const { return false; }
  // All remaining candidates at once.
  virtual void Filter(Cycle& cycle, Candidates& candidates) const;
  // One node.
  virtual Status FilterNode(Cycle& cycle, NodeSlot node) const;
  // FilterNode (ScoreNode likewise) only reads, so it may run for several nodes at once, on other threads. It then does
  // where nodes are many.
  virtual bool parallel() const { return false; }
  // What Filter depends on in this cycle, after PreFilter.
  virtual Reach filter_reach(const Cycle&) const { return Reach::kCluster; }
  // The error that stands for Filter in a profile that disables the plugin's PreFilter. Empty: Filter can do without.
  virtual std::string_view without_pre_filter() const { return {}; }
};

struct PostFilterResult {
  Status status;
  // Present: the pod's nomination becomes this (empty: is cleared). Absent: it stays as it is.
  std::optional<std::string> nominated_node_name = std::nullopt;
};

// Runs when no node fits: may make room.
class PostFilterPlugin {
 public:
  virtual ~PostFilterPlugin() = default;
  virtual PostFilterResult PostFilter(Cycle& cycle, const Profile& profile, const Diagnosis& diagnosis,
                                      Effects& effects) const = 0;
};

// Looks at the feasible nodes once, before they are scored. Skip: the plugin's Score is not needed for this pod. Where
// the reach of Score is the node, there may be no nodes yet; where it is traits, each node may stand for several
// (Cycle::CountOf).
class PreScorePlugin {
 public:
  virtual ~PreScorePlugin() = default;
  virtual Status PreScore(Cycle& cycle, std::span<const NodeSlot> nodes) const = 0;
};

// Ranks nodes from 0 to 100 (after Normalize). Override one of Score and ScoreNode.
class ScorePlugin {
 public:
  virtual ~ScorePlugin() = default;
  virtual Status Score(Cycle& cycle, std::span<const NodeSlot> nodes, Scores& scores) const;
  // One node; `score` is the result.
  virtual Status ScoreNode(Cycle& cycle, NodeSlot node, int64_t& score) const;
  // See FilterPlugin.
  virtual bool parallel() const { return false; }
  // Brings raw scores into range.
  virtual Status Normalize(Cycle& cycle, std::span<const NodeSlot> nodes, Scores& scores) const;
  // What Score depends on in this cycle, after PreFilter.
  virtual Reach score_reach(const Cycle&) const { return Reach::kCluster; }
  // Whether Normalize does anything.
  virtual bool normalizes() const { return true; }
  // Of nodes with the same total, keeps those that this plugin ranked higher before it cut the score down to an
  // integer.
  virtual void NarrowTie(Cycle& cycle, std::vector<NodeSlot>& nodes) const;
  // The scores by which NarrowTie ranks, if it does: the higher, the better.
  virtual bool has_fine_scores() const { return false; }
  virtual void FineScores(Cycle& cycle, std::span<const NodeSlot> nodes, std::span<FineMean> scores) const;
  // The error that stands for Score in a profile that disables the plugin's PreScore. Empty: Score can do without.
  virtual std::string_view without_pre_score() const { return {}; }
};

// Keeps something for the pod on the chosen node, until it is bound or given up.
class ReservePlugin {
 public:
  virtual ~ReservePlugin() = default;
  virtual Status Reserve(Cycle& cycle, NodeSlot node) const = 0;
  // Must be safe to call when Reserve was not called or failed.
  virtual void Unreserve(Cycle& cycle, NodeSlot node, Effects& effects) const = 0;
};

struct PermitResult {
  Status status;  // Success, Wait or a rejection.
  Duration timeout = {};
};

// The last word before binding: approve, deny or wait (see WaitingPods).
class PermitPlugin {
 public:
  virtual ~PermitPlugin() = default;
  virtual PermitResult Permit(Cycle& cycle, NodeSlot node) const = 0;
};

// Work that must be done before the pod is bound.
class PreBindPlugin {
 public:
  virtual ~PreBindPlugin() = default;
  // Success: PreBind will do work. Skip: it will not.
  virtual Status PreBindPreFlight(Cycle& cycle, NodeSlot node) const = 0;
  // Emits the effects it needs. Wait: it is called again when its effects were carried out, the world has changed or
  // time has passed. Success: done. Anything else fails the binding.
  virtual Status PreBind(Cycle& cycle, NodeSlot node, Time now, Effects& effects) const = 0;
};

// Binds the pod by an effect. Skip: the next bind plugin is asked.
class BindPlugin {
 public:
  virtual ~BindPlugin() = default;
  virtual Status Bind(Cycle& cycle, NodeSlot node, Effects& effects) const = 0;
};

// Is told of a pod that was bound.
class PostBindPlugin {
 public:
  virtual ~PostBindPlugin() = default;
  virtual void PostBind(Cycle& cycle, NodeSlot node) const = 0;
};

}  // namespace berth::framework
