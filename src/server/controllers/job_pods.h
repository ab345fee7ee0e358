// SPDX-License-Identifier: Apache-2.0
// The pods of a Job: making them, choosing those that go first, and whose they are.

#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "api/parts/selector.h"
#include "server/controllers/job_look.h"

namespace berth::server {

// Changes the metadata of a pod. One that is gone is no failure.
bool EditPod(const Controller& controller, const Cluster& cluster, const StoredObject& pod,
             const std::function<void(Json& metadata)>& edit);
// Says that a Job need not count the pod any more, so that it can go.
bool StopTracking(const Controller& controller, const Cluster& cluster, const StoredObject& pod);

// Takes over pods that match the Job's selector and that nobody controls, and lets go of those that do not match.
bool ClaimJobPods(const Controller& controller, const Cluster& cluster, const StoredObject& job,
                  const api::Selector& selector);

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
