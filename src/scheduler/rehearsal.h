// SPDX-License-Identifier: Apache-2.0
// Rehearsal: a core without a world. Objects go in, and a pod that is named is tried at once.
//
//   rehearsal->Put(node);
//   rehearsal->Put(pod);
//   const Rehearsal::Finding finding = rehearsal->Try("default/web");
//
// Nothing is carried out: a pod that gets a node stays assumed there, so that the next one sees it, and one that gets
// none waits. Time stands still at `now` unless somebody waits. It is for tests, benchmarks and questions; the core is
// the one that ships.
//
// Thread: one.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/core.h"

namespace berth::scheduler {

class Rehearsal {
 public:
  // What became of a pod that was to be tried.
  struct Finding {
    enum class Kind : uint8_t {
      kUnknown,  // There is no such pod to be scheduled.
      kIgnored,  // No profile has the pod's scheduler name.
      kSkipped,  // The pod is being deleted.
      kGated,    // A PreEnqueue plugin keeps it out of the queue.
      kDecided,
    };
    Kind kind = Kind::kUnknown;
    cluster::PodPtr pod;                         // Unless it is unknown.
    framework::Status gate;                      // kGated: who refuses and why.
    const Core::LastAttempt* attempt = nullptr;  // kDecided. Valid until the next call.
    std::vector<IssuedEffect> effects;           // What the core wants done.

    // The node that the pod got; empty: none.
    std::string node_name;
  };

  // Fails with upstream's text when the configuration does not make valid profiles.
  static Result<std::unique_ptr<Rehearsal>> Create(const framework::SchedulerConfiguration& configuration,
                                                   const framework::Registry& registry,
                                                   const framework::FeatureGates& gates,
                                                   std::shared_ptr<const framework::Chooser> chooser, Time now = {});

  void Put(api::Object object) { core_->Step({now_, PutObject{std::move(object)}}); }
  void Remove(std::string kind, std::string ns, std::string name) {
    core_->Step({now_, RemoveObject{std::move(kind), std::move(ns), std::move(name)}});
  }

  // Lets time pass.
  void Wait(Duration duration) { now_ = now_ + duration; }

  // `pod` is "namespace/name".
  Finding Try(std::string_view pod);

  // What became of a group that was to be tried.
  struct GroupFinding {
    const GroupAttempt* attempt = nullptr;  // Null: it is not queued, or gated. Valid until the next call.
    std::vector<IssuedEffect> effects;      // What the core wants done.
  };
  GroupFinding TryGroup(const cluster::GroupKey& root);
  // Says that an effect was carried out; returns what the core wants done next.
  std::vector<IssuedEffect> Done(uint64_t effect) {
    return core_->Step({now_, EffectAnswer{effect, EffectAnswer::Code::kOk, ""}});
  }
  // The pods without a node, by "namespace/name", sorted.
  std::vector<std::string> Pending() const;

  const Core& core() const { return *core_; }

 private:
  Rehearsal(std::unique_ptr<Core> core, Time now) : core_(std::move(core)), now_(now) {}

  std::unique_ptr<Core> core_;
  Time now_;
};

}  // namespace berth::scheduler
