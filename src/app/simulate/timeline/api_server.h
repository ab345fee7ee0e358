// SPDX-License-Identifier: Apache-2.0
// ApiServer: a model of the cluster around the scheduler, in virtual time.
//
// It holds the pods, carries out what the scheduler asks for, and reports every change to it as a watch would. With it
// come the parts of a cluster that scheduling feels: pods terminate after a grace period, complete, are lost with their
// node and are made anew by their controllers; volumes are bound and provisioned.
//
// Thread: one.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/simulate/claims.h"
#include "app/simulate/timeline/pod_life.h"
#include "app/simulate/timeline/timeline.h"
#include "app/simulate/volumes.h"
#include "cluster/cluster.h"
#include "runtime/agenda.h"
#include "scheduler/input.h"

namespace berth::simulate {

// The controller of a pod, as in "Job batch/report"; empty: it has none.
std::string OwnerOf(const api::Pod& pod);

class ApiServer {
 public:
  using What = decltype(scheduler::Input::what);

  // `cluster` is what the scheduler knows; `feed` gives it an input before it returns. All must outlive this.
  struct Parts {
    const cluster::Cluster& cluster;
    runtime::Agenda& agenda;
    History& history;
    std::function<void(What)> feed;
  };
  ApiServer(Parts parts, const TimelineSettings& settings, NameGenerator names);
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  // `runs`: how long the pods run once they are bound.
  void Create(World objects, std::optional<Duration> runs);
  // Creates a pod with a name of its own: `prefix` and a number.
  void CreateNamed(PodSource source, const std::string& prefix, std::optional<Duration> runs);
  void Delete(const DeleteObject& target);
  void Replace(World object);
  void Drain(const DrainNode& drain);

  // Does what the scheduler asks for, and answers. `pod`: whose attempt it comes from; empty: none.
  void CarryOut(const scheduler::IssuedEffect& effect, std::string_view pod);

  // What is there at this name ("namespace/name"), or nullptr.
  PodLife* LifeOf(std::string_view full_name);
  size_t running_count() const { return running_count_; }
  // When something last happened that may help or hinder a pod.
  Time changed_at() const { return changed_at_; }

 private:
  struct Served {
    PodSource source;
    size_t life = 0;  // Position in the history.
    std::optional<Duration> runs;
  };

  void Note(std::string note);
  void Put(api::Object object);
  void PutPod(Served& served);
  void AddPod(PodSource source, std::optional<Duration> runs, std::string replaces);
  // The same, before the scheduler hears of it. Nullptr: there is one of this name.
  Served* TakePod(PodSource source, std::optional<Duration> runs, std::string replaces);
  void AddClaims(const PodSource& source);
  void ReplacePod(PodSource source);

  // The pod begins to terminate and is gone after the grace period; one without a node is gone at once.
  void Terminate(Served& served, PodLife::State end);
  void Remove(const std::string& full_name, PodLife::State end);
  void Complete(const std::string& full_name, const std::string& uid);
  void LosePods(const std::string& node);
  // Does what the pod's controller would do when it is about to go, or is gone.
  void MakeAnew(const Served& served, bool is_gone);

  scheduler::EffectAnswer Carry(const framework::BindPod& bind);
  scheduler::EffectAnswer Carry(const framework::EvictPod& eviction);
  scheduler::EffectAnswer Carry(const framework::NominatePod& nomination);
  scheduler::EffectAnswer Carry(const framework::PatchPodStatus& patch);
  scheduler::EffectAnswer Carry(const framework::RecordEvent& event);
  scheduler::EffectAnswer Carry(const framework::ReadPod& read);
  scheduler::EffectAnswer Carry(const framework::UpdatePersistentVolume& update);
  scheduler::EffectAnswer Carry(const framework::UpdatePersistentVolumeClaim& update);
  scheduler::EffectAnswer Carry(const framework::CallExtender& call);
  scheduler::EffectAnswer Carry(const framework::CancelExtenderCall& cancellation);
  scheduler::EffectAnswer NoteVolume(VolumeBinding binding);
  scheduler::EffectAnswer Carry(const framework::PatchPodGroupStatus& patch);
  scheduler::EffectAnswer Carry(const framework::BindClaim& bind);
  scheduler::EffectAnswer Carry(const framework::UnreserveClaim& unreserve);
  scheduler::EffectAnswer Carry(const framework::DeallocateClaim& deallocate);
  scheduler::EffectAnswer Carry(const framework::DeleteClaim& order);
  // The pod that the scheduler means, or nullptr if it is gone or was created anew.
  Served* Find(const cluster::PodInfo& pod);
  PodLife& Life(const Served& served) { return parts_.history.pods[served.life]; }
  bool HasNode(std::string_view name) const;
  Time now() const { return parts_.agenda.now(); }

  Parts parts_;
  TimelineSettings settings_;
  NameGenerator names_;
  VolumeController volumes_;
  ClaimKeeper claims_;
  std::map<std::string, Served, std::less<>> pods_;  // By "namespace/name".
  uint64_t version_ = 0;
  size_t running_count_ = 0;
  Time changed_at_;
  std::string subject_;  // The pod whose attempt asked for what is being carried out.
};

}  // namespace berth::simulate
