// SPDX-License-Identifier: Apache-2.0
// The pods of a Job: making them, choosing those that go first, and letting them go once they are counted.

#pragma once

#include <optional>
#include <vector>

#include "server/controllers/jobs/job_look.h"

namespace berth::server {

// Says that a Job need not count the pod any more, so that it can go.
bool StopTracking(const Controller& controller, const Cluster& cluster, const StoredObject& pod);

// How many pods should be at work.
int64_t WantedActive(const JobLook& look);
// The active pods that should go, those whose loss hurts least first: `count` or more. Of an indexed Job, each index
// keeps one pod, and pods without a valid index go.
std::vector<PodInfo> SurplusOf(const JobLook& look, int64_t count);
// The first indexes that should have a pod and have none, at most `count`.
std::vector<int64_t> PendingIndexes(const JobLook& look, size_t count);

// A pod of the Job; `index` of an indexed one.
Json PodOfJob(const JobLook& look, std::optional<int64_t> index);

}  // namespace berth::server
