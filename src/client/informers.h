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

#include "client/cluster_reader.h"
#include "client/reflector.h"

namespace berth::client {

// What kube-scheduler watches at its default feature gates, of the kinds that Berth reads; its role allows no others.
std::vector<WatchedResource> SchedulerResources();

class Informers : public ClusterReader {
 public:
  // All that is referred to must outlive the informers. Only what a decision could book twice is listed fresh.
  Informers(RestClient& client, runtime::Timers& timers, ObjectSink& sink, ReflectorObserver& observer,
            Reflector::Options options, std::vector<WatchedResource> resources = SchedulerResources());

  void Start(Callback on_synced) override;
  void Stop() override;
  void Resume() override;
  void ReadAhead(PodRead read) override;
  void ReadAhead(ClaimRead read) override;
  void Refresh(Callback done) override;
  std::vector<std::string> NodeNames() const override;

 private:
  // Null if it is not watched.
  Reflector* Find(std::string_view kind) const;
  void OnSynced();

  std::vector<std::unique_ptr<Reflector>> reflectors_;
  size_t unsynced_;
  Callback on_synced_;
};

}  // namespace berth::client
