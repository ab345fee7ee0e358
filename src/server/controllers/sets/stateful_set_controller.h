// SPDX-License-Identifier: Apache-2.0
// StatefulSetController: keeps pods with numbers and claims of their own, one after another or all at once.
//
// Pods below the partition of a rolling update are made, and made again, as the last complete revision has them.
//
// Thread: that of the store.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "server/controllers/affected_sets.h"
#include "server/controllers/controller.h"
#include "server/controllers/pod_control.h"
#include "server/controllers/sets/set_revisions.h"
#include "server/controllers/sets/stateful_claims.h"

namespace berth::server {

class StatefulSetController : public Controller {
 public:
  explicit StatefulSetController(const Cluster& cluster)
      : cluster_(cluster),
        sets_(cluster.Get("apps", "statefulsets")),
        pods_(cluster.Get("", "pods")),
        affected_(sets_, pods_) {}

  std::string_view name() const override { return "statefulset"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override { affected_.OnChange(change, kSettle, enqueue); }
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  // What there is to do next: nothing, nothing before something changes, more at once, or the same again later.
  enum class Step : uint8_t { kDone, kWait, kMore, kRefused };
  // A set and its pods, as one look sees them.
  struct Look {
    const StoredObject& set;
    const Json& tree;
    const Json& spec;
    const SetRevision& current;  // The last one that was complete.
    const SetRevision& update;   // The present one.
    PodControl control;
    Availability availability;
    bool is_in_order;  // Each pod waits for the one before it.
    // The ordinals that there should be.
    int64_t first;
    int64_t end;
    std::map<int64_t, PodInfo> pods;  // By ordinal.

    bool IsWanted(int64_t ordinal) const { return ordinal >= first && ordinal < end; }
    bool IsAvailable(const PodInfo& pod) const { return availability.Has(pod) && !pod.is_deleting; }
    bool IsUpdated(const PodInfo& pod) const { return pod.object->labels().Get(kVersionLabel) == update.name(); }
    // Whether the next pod in order may be made or removed.
    bool IsSettled(const PodInfo& pod) const { return pod.phase == PodInfo::Phase::kRunning && IsAvailable(pod); }
    const SetRevision& RevisionFor(int64_t ordinal) const;
    StatefulClaims Claims(const Controller& controller, const Cluster& cluster, int64_t ordinal) const {
      return {controller, cluster, set, spec, ordinal, !IsWanted(ordinal)};
    }
  };

  std::map<int64_t, PodInfo> PodsByOrdinal(const StoredObject& set) const;
  Step Act(const Look& look) const;
  Step Fill(const Look& look) const;
  Step Mend(const Look& look, int64_t ordinal, const PodInfo& pod) const;
  Step Shrink(const Look& look) const;
  Step Replace(const Look& look) const;
  bool Create(const Look& look, int64_t ordinal) const;
  bool Delete(const Look& look, const PodInfo& pod) const;
  bool SetLabels(const Look& look, int64_t ordinal, const PodInfo& pod) const;
  bool SetClaimOwners(const Look& look, int64_t ordinal, const StoredObject& pod) const;
  void ReportPod(const Look& look, std::string_view verb, std::string_view pod, const Outcome<void>& outcome) const;
  bool Report(const Look& look, int64_t collisions) const;

  const Cluster& cluster_;
  const Resource& sets_;
  const Resource& pods_;
  AffectedSets affected_;
};

}  // namespace berth::server
