// SPDX-License-Identifier: Apache-2.0
// Informers: the reflectors of everything that the scheduler reads.
//
// Thread: that of the client and the timers.

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client/order_runner.h"
#include "client/reflector.h"

namespace berth::client {

// What kube-scheduler watches at its default feature gates, of the kinds that Berth reads; its role allows no others.
std::vector<WatchedResource> SchedulerResources();

class Informers {
 public:
  // All that is referred to must outlive the informers. `on_synced` is called when the first list of every resource has
  // been delivered. Only what a decision could book twice is listed fresh.
  Informers(RestClient& client, runtime::Timers& timers, ObjectSink& sink, ReflectorObserver& observer,
            Reflector::Options options, Reflector::Callback on_synced,
            std::vector<WatchedResource> resources = SchedulerResources());

  void Start();
  void Stop();
  // The sink is not full any more.
  void Resume();

  // Delivers a pod that was read by itself, or found gone, ahead of the watch.
  void ReadAhead(PodRead read);
  // The same for a claim that was written.
  void ReadAhead(ClaimRead read);

  // Calls `done` once everything has been delivered that had happened before this call to what a decision could book
  // twice: nodes, pods, volumes and claims. A new leader waits for it, so that it knows all that the last one did.
  void Refresh(Reflector::Callback done);

  // The nodes that have been delivered, sorted.
  std::vector<std::string> NodeNames() const;

 private:
  // Null if it is not watched.
  Reflector* Find(std::string_view kind) const;
  void OnSynced();

  std::vector<std::unique_ptr<Reflector>> reflectors_;
  size_t unsynced_;
  Reflector::Callback on_synced_;
};

}  // namespace berth::client
