// SPDX-License-Identifier: Apache-2.0
// GroupCycle: one attempt to schedule a group, from the popped group to the results of all its members.
//
// The members are checked, then the whole tree is placed (GroupAlgorithm). If it fits, the members that found a node
// are bound; the others come back. If it does not, plugins may make room, and every member is told why it waits. The
// groups get a condition that says the same.
//
// Thread: core.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/assembly.h"
#include "scheduler/binding_cycles.h"
#include "scheduler/failure_handler.h"
#include "scheduler/group_algorithm.h"
#include "scheduler/profile_policy.h"
#include "scheduler/reporter.h"

namespace berth::scheduler {

// What became of a group that was tried, for explanations.
struct GroupAttempt {
  struct Member {
    enum class Outcome : uint8_t { kScheduled, kUnschedulable, kError, kSkipped };
    Outcome outcome = Outcome::kSkipped;
    std::string node_name;  // kScheduled.
    std::string message;    // Why not.
    std::optional<std::string> nomination;
    std::set<std::string, std::less<>> unschedulable_plugins;
    std::set<std::string, std::less<>> pending_plugins;
  };
  cluster::GroupKey root;
  std::map<std::string, Member> members;                // By "namespace/name".
  std::map<std::string, api::PodCondition> conditions;  // Those that were written, by pod group.
  std::vector<PlacementCall> generated;
  std::vector<PlacementCall> scored;
  std::vector<FailedDomain> domains;  // The first in which a group does not fit.
  std::optional<framework::Status> post_filter;
};

class GroupCycle {
 public:
  struct Options {
    bool placements = false;         // Gate TopologyAwareWorkloadScheduling.
    bool composite = false;          // Gate CompositePodGroup.
    bool preemption_policy = false;  // Gate PodGroupPreemptionPolicy.
  };
  struct Parts {
    GroupAlgorithm::Parts algorithm;
    const Profiles& profiles;
    queue::SchedulingQueue& queue;
    ProfilePolicy& policy;
    FailureHandler& failures;
    Reporter& reporter;
    Outbox& outbox;
    framework::WaitingPods& waiting;
    // Assumes and binds a member; returns why it was refused, if it was.
    std::function<std::optional<GroupStatus>(BindingCycles::Binding, Time)> commit;
    // Carries out what plugins want done to make room.
    std::function<void(const framework::Effects&, Time)> preempt;
  };
  GroupCycle(Parts parts, Options options) : parts_(std::move(parts)), options_(options) {}

  // Extenders are asked through `dialogs`, if there are some. If an answer is missing, the group comes back: the
  // attempt is to be made again then. Otherwise nothing comes back. REQUIRES: the group was popped.
  std::unique_ptr<queue::QueuedPod> Run(std::unique_ptr<queue::QueuedPod> group, ExtenderDialogs* dialogs, Time now);

  // Counts on from another's attempts.
  void CountFrom(const GroupCycle& other) { attempts_ = other.attempts_; }

  // Hears of every attempt from now on; nullptr: nobody does.
  void set_observer(framework::Observer* observer) { parts_.algorithm.observer = observer; }
  // What the last Run found; forgotten by Forget.
  const std::optional<GroupAttempt>& last_attempt() const { return last_attempt_; }
  void Forget() { last_attempt_.reset(); }

 private:
  using GroupNode = framework::GroupNode;
  using Member = GroupAttempt::Member;

  // The object of a group that has gone while extenders were asked, or nothing.
  std::optional<cluster::GroupKey> MissingGroup(const queue::QueuedGroup& group) const;
  std::unique_ptr<GroupNode> MakeTree(const cluster::GroupKey& key, const queue::QueuedGroup& group) const;
  // Takes members out that are being deleted or have a node by now.
  void SkipUnwanted(queue::QueuedGroup& group, GroupNode& node);
  // Nothing: an extender has to be asked.
  std::optional<GroupResults> Decide(const framework::Profile& profile, const GroupNode& root, ExtenderDialogs* dialogs,
                                     Time now);
  void Complete(const GroupNode& group, GroupResults& results, const GroupResult* parent) const;
  // False: an extender has to be asked.
  bool PostFilter(const framework::Profile& profile, const GroupNode& root, GroupResults& results,
                  ExtenderDialogs* dialogs, Time now);
  void Submit(const framework::Profile& profile, queue::QueuedGroup& group, GroupResults& results, Time now);
  void SubmitMember(const framework::Profile& profile, std::unique_ptr<queue::QueuedPod> queued, GroupResult& result,
                    MemberResult& member, Time now);
  // The member comes back with this status.
  void Fail(std::unique_ptr<queue::QueuedPod> queued, const GroupStatus& status, const MemberResult* own,
            std::optional<std::string> nomination, Time now);
  void FailAll(queue::QueuedGroup& group, const std::string& error, Time now);
  void SetCondition(const GroupNode& group, const GroupStatus& status);

  Parts parts_;
  Options options_;
  uint64_t attempts_ = 0;  // So far, those on trial included.
  std::optional<GroupAttempt> last_attempt_;
};

}  // namespace berth::scheduler
