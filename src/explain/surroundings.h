// SPDX-License-Identifier: Apache-2.0
// Surroundings: a core and the world in which a question lets it go on, and what came of that.
//
// The world is that of `berth up` in virtual time: its API server checks what the question brings, its controllers make
// pods of it, its nodes run them. It is filled from manifests, or from what the core keeps. In the second case it knows
// less than the cluster does, controllers act on what the question brings alone, and notes() say so.
//
// Thread: one; between two pauses of the pacer nobody else may touch the core.

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "explain/pacer.h"
#include "explain/question.h"
#include "framework/feature_gates.h"
#include "runtime/agenda.h"
#include "scheduler/core.h"
#include "world/core_run.h"
#include "world/loader.h"
#include "world/manifests.h"
#include "world/world.h"

namespace berth::explain {

struct Eviction {
  std::string pod;    // "namespace/name".
  std::string owner;  // As in PodFate.
  std::string node;
  std::string preemptor;  // "namespace/name".
  int32_t priority = 0;
};

// What became of a pod since Surroundings::Begin.
struct PodFate {
  enum class State : uint8_t { kPlaced, kPending, kGated, kIgnored };
  std::string ns;
  std::string name;
  std::string owner;  // Such as "Deployment default/web"; empty: none.
  State state = State::kPending;
  bool was_pending = false;  // It waited already before.
  std::string node;          // kPlaced.
  std::string message;       // Why it is not placed.

  std::string full_name() const { return ns + "/" + name; }
};

class Surroundings : private world::RunListener {
 public:
  // Which objects are there before: none, or those that a core has. Names and uids are made from other seeds then, so
  // that none is made twice.
  enum class Past : uint8_t { kNone, kOfCore };

  // REQUIRES: the core outlives this; `now` is not before its last step.
  Surroundings(scheduler::Core& core, const framework::FeatureGates& gates, Time now, Past past);
  ~Surroundings() override;
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;

  // So many pods the question may make; world::kPodsMax if nothing is said.
  void set_pods_max(int64_t pods_max);

  // One of these comes first: the world is that of the manifests, which the core is told of; or it has what the core
  // keeps.
  Result<void> FillFrom(const world::Manifests& manifests);
  void FillFromCore();

  // Lets time pass until nothing moves any more. A controller may make many pods at once; each is a unit of work.
  Result<void> Settle(Pacer& pacer);

  // What happens from now on is what fates() and evictions() tell.
  void Begin();
  // The changes of the question, one after the other, and then its objects. Fails if the API server refuses one.
  Result<void> Apply(const Question& question, Pacer& pacer);
  // Pods that came since, and those that waited and wait no longer, in order of their names.
  Result<std::vector<PodFate>> Fates(Pacer& pacer) const;
  const std::vector<Eviction>& evictions() const { return evictions_; }
  // Pods that waited before and wait on.
  Result<size_t> CountPending(Pacer& pacer) const;

  // The pod of a manifest, or of the template in it, as the API server would create it.
  Result<api::Pod> Complete(const api::Json& manifest);
  // Tells the core something, and what it asks for then is not done.
  void Tell(decltype(scheduler::Input::what) what) { (void)core_.Step({agenda_.now(), std::move(what)}); }

  // Keeps the world when these are gone. It has nothing of the core then: whoever has it may let go of it on another
  // thread, which takes a while if it is large.
  std::shared_ptr<void> world() const { return stage_; }

  // What the answer could not know.
  const std::vector<std::string>& notes() const { return notes_; }
  scheduler::Core& core() { return core_; }
  Time now() const { return agenda_.now(); }

 private:
  struct Seen {
    std::string message;
    bool was_pending = false;
  };

  void StepBegins(const scheduler::Input& input) override;
  void CarriesOut(const framework::Effect& effect, const std::string& pod) override;
  scheduler::EffectAnswer CallExtender(uint64_t id, framework::CallExtender call) override;

  void Note(std::string note);
  Result<void> Load(const std::vector<api::Json>& manifests);
  // Of the priority classes that these name, those that can be told from pods.
  Result<void> FindPriorities(const std::vector<api::Json>& manifests);
  // Gives way, while a question is being worked on; fails once it must end.
  Result<void> Pause();
  // Does the work by this pacer.
  template <class Work>
  Result<void> Paced(Pacer& pacer, Work work);
  Result<void> ApplyAll(const Question& question);
  Result<void> SettleAll();
  Result<void> Make(const Change& change);
  Result<void> Make(const AddNodes& add);
  Result<void> Make(const RemoveNodes& remove);
  Result<void> Make(const CordonNodes& cordon);
  Result<void> Make(const LabelNodes& label);
  Result<void> Make(const TaintNodes& taint);
  Result<void> Make(const PatchObject& patch);
  Result<void> Make(const DeleteObject& deletion);
  Result<void> Make(const AddPods& add);
  Result<void> Make(const HelpPod& help);
  Result<void> Make(const Configure& configure);
  // The pod that waits is as given from now on.
  void CreateAnew(api::Pod pod);
  Result<std::vector<std::string>> NamesOf(const NodeChoice& nodes) const;
  // Sees to it that the node is in the store.
  Result<void> Adopt(const std::string& node);
  Result<void> AdoptAllNodes();
  void Restore(std::string_view kind, api::Json object);
  Result<void> Patch(std::string_view kind, std::string_view ns, std::string_view name, const api::Json& patch);
  // The pods of the node that the core alone knows go, and come again if a controller keeps them up.
  Result<void> EmptyNode(const std::string& node);
  std::string OwnerOf(const cluster::PodInfo& pod) const;
  std::optional<PodFate> FateOf(const std::string& pod, const Seen& seen) const;

  struct Stage {
    Stage(Time now, uint64_t seed, const world::World::Options& options) : agenda(now), world(agenda, seed, options) {}
    runtime::Agenda agenda;
    world::World world;
  };

  scheduler::Core& core_;
  std::shared_ptr<Stage> stage_;
  runtime::Agenda& agenda_;
  world::World& world_;
  world::Loader loader_;
  world::CoreRun run_;
  int64_t pods_max_ = world::kPodsMax;
  Pacer* pacer_ = nullptr;  // Of the question that is being worked on.
  Result<void> paused_;     // An error: the question must end.
  bool is_whole_ = false;   // The store has all that the core has.
  Time changed_at_;         // When something last happened that may help or hinder a pod.
  size_t added_nodes_ = 0;
  size_t added_pods_ = 0;
  size_t waited_ = 0;                 // Of `seen_`, before the question.
  std::map<std::string, Seen> seen_;  // Pods that came, and those that waited, by "namespace/name".
  std::vector<Eviction> evictions_;
  std::vector<std::string> notes_;
};

}  // namespace berth::explain
