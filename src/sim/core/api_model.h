// SPDX-License-Identifier: Apache-2.0
// ApiModel: a small model of the API server and of the network between it and the scheduler.
//
// Every write gets a resource version. Each kind has a watch stream: what was written arrives late, but per object in
// order. After a gap the stream is listed anew: then only the newest state arrives, and objects that have gone are
// removed with their final state unknown. Effects are carried out with the API server's own checks. Requests may be
// refused, and answers may be lost, whether the request was carried out or not.
//
// It stands beside server::ApiServer for the sake of speed. A seed has about 1,400 steps and 560 effects and takes 18
// ms (release build, 2.6 GHz): a third of that is the core, a tenth is this model, which speaks objects and effects as
// the core does. The same effects as requests to the real one would take 10 ms more (18 us each in sim/protocol), and
// its watch events would have to be written and read: half as many seeds in the same time.

#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "api/objects/object.h"
#include "runtime/agenda.h"
#include "scheduler/input.h"
#include "sim/core/dice.h"

namespace berth::sim {

// How unreliable the world is; chances in percent.
struct Faults {
  int64_t refused = 0;        // The request is not carried out and says so.
  int64_t lost_done = 0;      // It is carried out, but the answer is lost.
  int64_t lost_not_done = 0;  // Neither it nor the answer arrives.
  int64_t gap = 0;            // Per write: the watch of this kind breaks.
  int64_t strikes = 0;        // An extender strikes a node.
  Duration delay_max = Milliseconds(20);
};

class ApiModel {
 public:
  using What = decltype(scheduler::Input::what);
  using Objects = std::map<std::string, api::Object, std::less<>>;  // By "Kind/namespace/name".

  // `deliver` takes inputs for the scheduler. REQUIRES: the others outlive this.
  ApiModel(runtime::Agenda& agenda, Dice& dice, std::function<void(What)> deliver)
      : agenda_(agenda), dice_(dice), deliver_(std::move(deliver)) {}
  ApiModel(const ApiModel&) = delete;
  ApiModel& operator=(const ApiModel&) = delete;

  void set_faults(Faults faults) { faults_ = faults; }
  // Called with every object that was written, and with the last state of one that was removed.
  void set_on_write(std::function<void(const api::Object&)> on_write) { on_write_ = std::move(on_write); }
  void set_on_removal(std::function<void(const api::Object&)> on_removal) { on_removal_ = std::move(on_removal); }

  // Creates or replaces. A new object gets a uid, unless it has one.
  void Write(api::Object object);
  void Remove(std::string_view key);
  // Nullptr if there is none.
  template <class T>
  const T* Find(std::string_view ns, std::string_view name) const {
    const auto found = objects_.find(Key(api::KindOf(T{}), ns, name));
    return found == objects_.end() ? nullptr : &std::get<T>(found->second);
  }
  // Changes an object, if there is one.
  template <class T, class Change>
  void Update(std::string_view ns, std::string_view name, Change change) {
    const T* found = Find<T>(ns, name);
    if (found == nullptr) return;
    T copy = *found;
    change(copy);
    Write(std::move(copy));
  }
  // Starts the deletion of a pod: at once, or with a grace period that Controllers end.
  void DeletePod(std::string_view ns, std::string_view name, bool graceful);

  // The scheduler has died, and another one takes its place. Answers on the way to it are lost, and so are its requests
  // that have not arrived. Its successor is told what there is.
  void Reconnect();

  // Takes an effect; its answer comes later.
  void Carry(scheduler::IssuedEffect issued);

  const Objects& objects() const { return objects_; }
  // What the scheduler has been told.
  const Objects& seen() const { return seen_; }
  // Uids of the pods that the scheduler has bound.
  const std::set<std::string>& bound() const { return bound_; }
  size_t unanswered() const { return unanswered_; }
  size_t events() const { return events_; }

  static std::string Key(std::string_view kind, std::string_view ns, std::string_view name);
  static std::string KeyOf(const api::Object& object);

 private:
  struct Stream {
    std::deque<std::string> keys;  // Of the writes that are under way.
    std::deque<std::optional<api::Object>> states;
    Time last_arrival{};
    bool broken = false;
  };

  void Announce(const std::string& key, std::optional<api::Object> state);
  void DeliverNext(const std::string& kind);
  void ListAnew(const std::string& kind);
  void DeliverState(const std::string& key, std::optional<api::Object> state, bool final_state_unknown);
  void CatchUp(const std::string& key);
  void Answer(uint64_t id, scheduler::EffectAnswer::Code code, std::string message, Duration delay);

  // These carry one effect out and return why it was refused, or nothing.
  std::string Do(const framework::BindPod& bind);
  std::string Do(const framework::UpdatePersistentVolume& update);
  std::string Do(const framework::UpdatePersistentVolumeClaim& update);
  std::string Do(const framework::EvictPod& evict);
  std::string Do(const framework::NominatePod& nominate);
  std::string Do(const framework::PatchPodStatus& patch);
  std::string Do(const framework::PatchPodGroupStatus& patch);
  std::string Do(const framework::RecordEvent& event);
  std::string Do(const framework::ReadPod& read);
  std::string Do(const framework::CancelExtenderCall&) { return ""; }
  std::string Do(const framework::BindClaim& bind);
  std::string Do(const framework::UnreserveClaim& unreserve);
  std::string Do(const framework::DeallocateClaim& deallocate);
  std::string Do(const framework::DeleteClaim& order);
  // Changes a claim of the pod's namespace by an effect.
  template <class Effect>
  std::string ChangeClaim(const Effect& effect);
  // What an extender answers.
  std::string Serve(const framework::CallExtender& call);
  // The pod with this uid, or nullptr.
  const api::Pod* FindSame(const cluster::PodInfo& pod) const;
  template <class T>
  std::string Replace(T object);

  runtime::Agenda& agenda_;
  Dice& dice_;
  std::function<void(What)> deliver_;
  std::function<void(const api::Object&)> on_write_;
  std::function<void(const api::Object&)> on_removal_;
  Faults faults_;
  Objects objects_;
  Objects seen_;
  std::map<std::string, Stream> streams_;  // By kind.
  std::set<std::string> bound_;
  int64_t version_ = 0;
  int64_t connection_ = 0;  // Counts the schedulers.
  size_t unanswered_ = 0;
  size_t events_ = 0;
};

}  // namespace berth::sim
