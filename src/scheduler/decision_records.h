// SPDX-License-Identifier: Apache-2.0
// DecisionRecords: what the last attempts to schedule each pod found, for those who ask why.
//
// For every pod a few attempts are kept, and of all pods as many as there is room for: the oldest go first. They go
// with their pod. What is equal in many attempts, such as the verdicts on all nodes, is kept once. Nothing is computed
// for a record that the attempt did not need, and nothing depends on records.
//
// A record names nodes by slot. `era` counts the nodes that have gone: a slot whose node has gone since the record was
// made has no name any more.
//
// Thread: core; whoever keeps a record or a part of it beyond that keeps a copy. Cost: of an attempt one pass over the
// nodes that were turned down and one over the totals.

#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cluster/tables/shared_values.h"
#include "cluster/tables/string_map.h"
#include "framework/cycle.h"
#include "framework/profile.h"
#include "queue/queued_pod.h"
#include "scheduler/attempt_record.h"
#include "scheduler/group_cycle.h"

namespace berth::scheduler {

struct RecordLimits {
  size_t bytes = 0;         // Of all records, about; 0: nothing is kept.
  size_t attempts = 4;      // Of one pod.
  size_t scored_nodes = 4;  // Whose scores are kept, of one attempt.
};

class DecisionRecords {
 public:
  // Numbers of plugins are those of `names`, which must outlive this.
  explicit DecisionRecords(queue::PluginNames& names) : names_(names) {}

  // What there is goes if it is too much.
  void set_limits(RecordLimits limits);
  bool is_on() const { return limits_.bytes > 0; }

  // An attempt that was decided. `cycle` may be null if the pod was scheduled. REQUIRES: no other has begun since.
  void Note(const queue::QueuedPod& queued, const framework::Profile& profile, const framework::Cycle* cycle,
            const Decision& decision, const cluster::NodeTable& nodes, Time began, Time now);
  // A member of a group that was tried. `trail` is that of the group.
  void NoteMember(const cluster::PodInfo& pod, const GroupAttempt::Member& member, int32_t number,
                  const queue::QueueTrail& trail, std::shared_ptr<const RecordedGroup> group,
                  const cluster::NodeTable& nodes, Time now);
  // How the last attempt of the pod goes on.
  void Permitted(std::string_view uid, Time now);
  void Bound(std::string_view uid, Time now);
  void Refused(std::string_view uid, const std::string& message, Time now);

  void Forget(std::string_view uid);
  void NodeGone(NodeSlot slot);

  // Oldest first; empty if none is kept. Valid until the next call that changes something.
  std::vector<const AttemptRecord*> Of(std::string_view uid) const;
  // Empty if the node has gone since.
  std::string_view NameOf(const AttemptRecord& record, NodeSlot slot, const cluster::NodeTable& nodes) const;
  std::string_view PluginName(queue::PluginId plugin) const { return names_.name(plugin); }

  // Attempts that are kept, and about how many bytes they take.
  size_t size() const { return attempts_.size(); }
  size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    std::string uid;
    AttemptRecord record;
    size_t bytes = 0;  // Without what is shared.
  };
  using Entries = std::list<Entry>;  // Oldest first.

  // How many of the buckets are in use.
  size_t Sort(const framework::Candidates& candidates);
  void AddVerdicts(const framework::Profile& profile, const Decision& decision, const cluster::NodeTable& nodes,
                   AttemptRecord& record);
  void AddScores(const Decision& decision, AttemptRecord& record);
  std::shared_ptr<const std::string> Text(const std::string& text);
  std::optional<queue::PluginId> PluginOf(std::string_view name) const;
  // The last attempt of a pod that has a node and is not there yet; otherwise null.
  AttemptRecord* UnderWay(std::string_view uid);

  void Add(const std::string& uid, AttemptRecord record);
  void Drop(Entries::iterator entry);
  void Trim();
  // A value that is equal to others is kept once.
  template <class T>
  std::shared_ptr<const T> Share(cluster::SharedValues<T>& values, uint64_t hash, T value);
  template <class T>
  void Release(std::shared_ptr<const T>& value);

  queue::PluginNames& names_;
  RecordLimits limits_;
  size_t bytes_ = 0;
  uint64_t era_ = 0;
  std::vector<uint64_t> gone_;  // By slot: the era in which a node was last taken from there.
  Entries attempts_;
  cluster::StringMap<std::vector<Entries::iterator>> by_uid_;  // Oldest first; none is empty.
  cluster::SharedValues<RecordedVerdicts> verdicts_;
  cluster::SharedValues<std::vector<RecordedScorePlugin>> score_plugins_;
  cluster::SharedValues<std::string> texts_;
  // Used again by every attempt.
  struct Bucket {
    framework::Verdict verdict;
    std::vector<NodeSlot> nodes;
  };
  std::vector<Bucket> buckets_;
  std::vector<size_t> bucket_of_;  // By reason: the last bucket that has it.
};

}  // namespace berth::scheduler
