// SPDX-License-Identifier: Apache-2.0
// JobLook: a Job that is not over and its pods, as its controller finds them.
//
// The controller then changes the counts by what it does, and `status` to what the Job shall say.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "server/controllers/controller.h"
#include "server/controllers/jobs/index_set.h"
#include "server/controllers/jobs/job_failure_policy.h"

namespace berth::server {

struct JobLook {
  JobLook(const Cluster& cluster, const ObjectPtr& job);

  const Json& spec() const { return tree["spec"]; }
  bool is_suspended() const { return spec()["suspend"].AsBool(); }
  bool is_being_deleted() const { return object->is_being_deleted(); }
  bool has_limit_per_index() const { return spec().Has("backoffLimitPerIndex"); }
  // A pod is replaced when it has failed, not when it begins to go.
  bool replaces_only_failed() const { return spec()["podReplacementPolicy"].text() == "Failed"; }

  bool HasFailed(const PodInfo& pod) const;
  // Of an indexed Job, pods without a valid index count for nothing.
  bool HasValidIndex(const PodInfo& pod) const;
  FailureVerdict Judge(const PodInfo& pod) const;
  // How often its index has failed before, with or without the failures that are ignored.
  int64_t FailuresBefore(const PodInfo& pod, bool with_ignored) const;

  ObjectPtr object;
  Json tree;
  Json status;
  bool is_indexed;
  int64_t completions;                   // Of an indexed Job.
  std::vector<PodInfo> pods;             // All but those that ended and were counted.
  std::vector<ObjectPtr> now_succeeded;  // Of these, those that the status does not know of.
  std::vector<ObjectPtr> now_failed;
  std::set<std::string, std::less<>> uncounted_succeeded;  // By uid, as the status says.
  std::set<std::string, std::less<>> uncounted_failed;

  int64_t active = 0;
  int64_t ready = 0;
  int64_t terminating = 0;
  int64_t succeeded = 0;
  int64_t failed = 0;
  // With those that are not counted yet.
  IndexSet completed_indexes;
  std::optional<IndexSet> failed_indexes;  // With a limit per index.
  // Of each index that waits for another pod, the one that failed last. It stays until it is replaced.
  std::map<int64_t, PodInfo> replaced;

 private:
  void CountPods();
  void CountIndexes();
  bool HasIndexFailed(const PodInfo& pod) const;
  void FindReplaced();
};

inline bool IsTerminating(const PodInfo& pod) { return pod.is_deleting && !pod.has_ended(); }

}  // namespace berth::server
