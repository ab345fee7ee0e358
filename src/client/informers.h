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
#include "client/watch/reflector.h"
#include "framework/feature_gates.h"

namespace berth::client {

// Kinds that are watched by gate.
struct WatchedGroups {
  bool pod_groups = false;            // GenericWorkload.
  bool composite_pod_groups = false;  // CompositePodGroup.
  bool coscheduled_groups = false;    // Not by gate: the plugin Coscheduling is in a profile.
};

WatchedGroups GroupsOf(const framework::FeatureGates& gates);

// What kube-scheduler watches at its default feature gates, of the kinds that Berth reads, and the groups that are
// asked for; its role allows no others.
std::vector<WatchedResource> SchedulerResources(WatchedGroups groups = {});

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
