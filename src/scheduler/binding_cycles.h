// SPDX-License-Identifier: Apache-2.0
// BindingCycles: pods that have a node and are on their way to it.
//
// Each is a small state machine: wait on permit, pre-bind, bind; thousands may be under way at once, and none holds up
// another or the scheduling of the next pod. A failure gives the reservation up, forgets the assumption and puts the
// pod back in the queue. A binding whose answer was lost is unknown: the assumption stays until the pod was read back.
//
// Thread: core.

#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "framework/profile.h"
#include "framework/waiting_pods.h"
#include "queue/scheduling_queue.h"
#include "scheduler/extenders.h"
#include "scheduler/failure_handler.h"
#include "scheduler/input.h"
#include "scheduler/profile_policy.h"
#include "scheduler/reporter.h"

namespace berth::scheduler {

class DecisionRecords;

class BindingCycles {
 public:
  // A pod that was scheduled, assumed and reserved.
  struct Binding {
    std::unique_ptr<queue::QueuedPod> queued;
    const framework::Profile* profile = nullptr;
    std::unique_ptr<framework::Cycle> cycle;
    cluster::NodeSlot node;
    cluster::PodPtr assumed;
    framework::Moment since;  // The attempt's begin.
    size_t evaluated_nodes = 0;
    size_t feasible_nodes = 0;
  };

  struct Parts {
    const queue::PodStore& store;
    cluster::DeviceState& devices;
    queue::SchedulingQueue& queue;
    ProfilePolicy& policy;
    FailureHandler& failures;
    Reporter& reporter;
    Outbox& outbox;
    DecisionRecords& records;
    const Extenders& extenders;
    bool early_nomination = true;  // Gate NominatedNodeNameForExpectation.
  };
  explicit BindingCycles(Parts parts) : parts_(parts) {}

  // `waits` are the Permit plugins that asked to wait, with their timeouts.
  void Start(Binding binding, const std::vector<std::pair<std::string, Duration>>& waits, Time now);

  // False if the effect is not one of a binding.
  bool Answer(const EffectAnswer& answer, Time now);
  // The writes of claims that are under way in `other`, whose answers may come here as well: the devices are held so
  // long.
  void CopyClaimWrites(const BindingCycles& other) { claim_writes_ = other.claim_writes_; }
  // Acts on Permit verdicts, timeouts and what PreBind waits for.
  void Advance(Time now);
  // When Advance will have something to do, as far as that depends on time.
  std::optional<Time> NextDeadline() const;

  // Stops a pod that has not reached its binding call: a victim of preemption (`preempted`). False if it is too late or
  // the pod is not under way.
  bool Preempt(const std::string& uid, std::string_view plugin, Time now);

  // Whether a pod of the profile is under way.
  bool Uses(const framework::Profile& profile) const {
    return std::ranges::any_of(bindings_, [&](const auto& entry) { return entry.second.binding.profile == &profile; });
  }

  // Hears of every stage from now on; nullptr: nobody does.
  void set_observer(framework::Observer* observer) { observer_ = observer; }

  framework::WaitingPods& waiting() { return waiting_; }
  const framework::WaitingPods& waiting() const { return waiting_; }
  size_t size() const { return bindings_.size(); }
  bool Has(const std::string& uid) const { return bindings_.contains(uid); }

 private:
  enum class Stage : uint8_t { kPermit, kPreBind, kBind, kReadBack };
  struct Entry {
    Binding binding;
    Stage stage = Stage::kPermit;
    bool has_pre_bind_work = false;
    bool waits = false;                         // On permit.
    std::optional<Time> next_poll;              // Of PreBind, while it waits for something.
    framework::Moment stage_since;              // For the observer.
    const framework::Plugin* binder = nullptr;  // The plugin that took the pod, from kBind on.
    const Extender* extender = nullptr;         // The extender that did.
    std::string unclear;                        // kReadBack: why it is not known what became of the binding.
    std::vector<uint64_t> effects;              // Whose answers are waited for, those of the present stage.
  };

  void Permitted(Entry& entry, Time now);
  void PreBind(Entry& entry, Time now);
  void Bind(Entry& entry, Time now);
  void BindByPlugin(Entry& entry, Time now);
  // What follows an answer, by the stage in which it comes; an extender that binds answers in its own words.
  void PreBindAnswered(Entry& entry, const framework::Plugin& asker, const EffectAnswer& answer, Time now);
  void BindAnswered(Entry& entry, const framework::Plugin& asker, const EffectAnswer& answer, Time now);
  void ExtenderAnswered(Entry& entry, const EffectAnswer& answer, Time now);
  void ReadBackAnswered(Entry& entry, const framework::Plugin* asker, const EffectAnswer& answer, Time now);
  // What the extender that binds has said; `error` is empty if it has done so.
  void ExtenderBound(Entry& entry, std::string error, Time now);
  void Bound(Entry& entry, Time now);
  // Tells the observer that the present stage is over.
  void StageEnds(const Entry& entry, framework::StatusCode code) const;
  framework::Moment Start() const { return observer_ == nullptr ? framework::Moment() : observer_->Start(); }
  void Fail(Entry& entry, const framework::Status& status, Time now);
  void ActOnVerdicts(Time now);
  // `askers`: the plugins that asked for the effects.
  void Track(Entry& entry, framework::Effects effects, const std::vector<const framework::Plugin*>& askers);
  void ReadBack(Entry& entry);
  // When PreBind is asked again; nothing: it is not.
  void SetPoll(Entry& entry, std::optional<Time> when);
  // Answers to the effects so far no longer matter.
  void Untrack(Entry& entry);
  void Erase(const std::string& uid);

  Parts parts_;
  framework::Observer* observer_ = nullptr;
  framework::WaitingPods waiting_;
  std::map<std::string, Entry, std::less<>> bindings_;  // By uid.
  std::set<std::pair<Time, std::string>> polls_;        // Every next_poll, with its uid.
  struct Asked {
    std::string uid;
    const framework::Plugin* plugin = nullptr;
  };
  std::map<uint64_t, Asked> effects_;             // By effect id.
  std::map<uint64_t, std::string> claim_writes_;  // Uids of claims whose devices are held, by effect id.
  std::vector<std::string> unannounced_;          // Uids of pods that began to wait on permit in this step.
};

}  // namespace berth::scheduler
