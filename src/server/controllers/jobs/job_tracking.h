// SPDX-License-Identifier: Apache-2.0
// JobTracking: counts each pod of a Job that ended, once, whatever happens in between.
//
// A pod has a finalizer until it is counted, so none is missed. The status names the pods whose finalizers are about to
// go; once they have gone it counts them instead. Whoever goes on after an interruption finds in the status, and in the
// pods, what was done. Succeeded pods of an indexed Job need no names, as their index is named.
//
// Thread: that of the store.

#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "server/controllers/jobs/job_end.h"

namespace berth::server {

class JobTracking {
 public:
  // Counts what was named and lost its finalizer since. REQUIRES: `look` outlives this.
  explicit JobTracking(JobLook& look);

  // Names the pods that ended in the status, with the indexes. As the Job ends, all of its pods end.
  void Name(const std::optional<JobEnd>& end);
  // Whether the pods are all that there are: there is a limit to how many are named at a time.
  bool has_all() const { return has_all_; }
  // Takes the finalizers of these pods, and counts those that had them. False: some could not be written.
  bool Release(const Controller& controller, const Cluster& cluster);
  // Whether pods are named that are not counted yet.
  bool has_uncounted() const;

 private:
  bool MayBeReleased(const PodInfo& pod, const std::optional<JobEnd>& end) const;
  // Names a pod; true if that takes room in the status.
  bool NameSucceeded(const PodInfo& pod);
  bool NameFailed(const PodInfo& pod);
  void NameIndexes();
  void Count();
  // Of those that are named, the ones that have their finalizer are left.
  void CountNamed(std::string_view list);

  JobLook& look_;
  std::set<std::string, std::less<>> held_;  // The uids of the pods that have their finalizer.
  std::vector<ObjectPtr> released_;
  IndexSet indexes_before_;
  bool has_all_ = true;
};

}  // namespace berth::server
