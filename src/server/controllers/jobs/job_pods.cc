// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/jobs/job_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <set>
#include <string>

#include "server/controllers/job_marks.h"
#include "server/controllers/owned_pods.h"
#include "server/model/metadata.h"

namespace berth::server {
namespace {

constexpr std::string_view kIndexVariable = "JOB_COMPLETION_INDEX";
// Of a generated name, up to what is generated.
constexpr size_t kGeneratedPrefixMax = 58;

// Tells the containers their index by a variable, unless they have one of that name.
void AddIndexVariable(Json& pod_spec) {
  for (const std::string_view list : {"initContainers", "containers"}) {
    Json* containers = pod_spec.Find(list);
    if (containers == nullptr || !containers->is_list()) continue;
    for (Json& container : containers->mutable_items()) {
      const bool has_one = std::ranges::any_of(
          container["env"].items(), [](const Json& variable) { return variable["name"].text() == kIndexVariable; });
      if (has_one) continue;
      const Json field{{"fieldPath", Json::String(fmt::format("metadata.labels['{}']", kJobIndex))}};
      container.Make("env").Append(
          Json{{"name", Json::String(kIndexVariable)}, {"valueFrom", Json{{"fieldRef", field}}}});
    }
  }
}

// How often the index has failed, for the pod that replaces `failed`.
void AddIndexFailures(const JobLook& look, const PodInfo* failed, Json& annotations) {
  int64_t failures = 0;
  int64_t ignored = 0;
  if (failed != nullptr) {
    failures = look.FailuresBefore(*failed, false);
    ignored = look.FailuresBefore(*failed, true) - failures;
    ++(look.Judge(*failed).counts ? failures : ignored);
  }
  annotations.Set(kIndexFailures, std::to_string(failures));
  if (ignored > 0) annotations.Set(kIndexIgnoredFailures, std::to_string(ignored));
}

}  // namespace

bool StopTracking(const Controller& controller, const Cluster& cluster, const StoredObject& pod) {
  return Succeeded(controller, EditObject(cluster, pod, [](Json& changed) {
                     RemoveFinalizer(changed.Make("metadata"), kJobTrackingFinalizer);
                   }));
}

int64_t WantedActive(const JobLook& look) {
  const int64_t parallelism = look.spec()["parallelism"].IntOr(1);
  if (const std::optional<int64_t> completions = look.spec()["completions"].AsInt()) {
    return std::clamp<int64_t>(*completions - look.succeeded, 0, parallelism);
  }
  // No more are started once one has succeeded.
  return look.succeeded > 0 ? look.active : parallelism;
}

std::vector<PodInfo> SurplusOf(const JobLook& look, int64_t count) {
  std::vector<PodInfo> left;
  for (const PodInfo& pod : look.pods) {
    if (pod.is_active()) left.push_back(pod);
  }
  SortForRemoval(left);
  std::vector<PodInfo> surplus;
  if (look.is_indexed) {
    // From those that should stay, each takes its index.
    std::set<int64_t> taken;
    std::vector<PodInfo> kept;
    for (const PodInfo& pod : std::views::reverse(left)) {
      const bool stays = look.HasValidIndex(pod) && taken.insert(pod.job_index).second;
      (stays ? kept : surplus).push_back(pod);
    }
    std::ranges::reverse(kept);
    left = std::move(kept);
  }
  const auto more = static_cast<size_t>(std::max<int64_t>(0, count - static_cast<int64_t>(surplus.size())));
  surplus.insert(surplus.end(), left.begin(), left.begin() + static_cast<ptrdiff_t>(std::min(more, left.size())));
  return surplus;
}

std::vector<int64_t> PendingIndexes(const JobLook& look, size_t count) {
  std::vector<int64_t> at_work;
  for (const PodInfo& pod : look.pods) {
    if (pod.job_index < 0) continue;
    if (pod.is_active() || (look.replaces_only_failed() && IsTerminating(pod))) at_work.push_back(pod.job_index);
  }
  IndexSet taken = look.completed_indexes;
  taken.Add(IndexSet(at_work));
  if (look.failed_indexes) taken.Add(*look.failed_indexes);
  return taken.FirstMissing(count, look.completions);
}

Json PodOfJob(const JobLook& look, std::optional<int64_t> index) {
  const StoredObject& job = *look.object;
  Json pod = PodFromTemplate(look.spec()["template"], job);
  Json& metadata = pod.Make("metadata");
  AddFinalizer(metadata, kJobTrackingFinalizer);
  metadata.Set("generateName", fmt::format("{}-", job.name()));
  if (!index) return pod;
  const std::string number = std::to_string(*index);
  const std::string ending = "-" + number + "-";
  metadata.Set("generateName", std::string(job.name().substr(0, kGeneratedPrefixMax - ending.size())) + ending);
  metadata.Make("labels").Set(kJobIndex, number);
  Json& annotations = metadata.Make("annotations");
  annotations.Set(kJobIndex, number);
  if (look.has_limit_per_index()) {
    const auto failed = look.replaced.find(*index);
    AddIndexFailures(look, failed == look.replaced.end() ? nullptr : &failed->second, annotations);
  }
  Json& pod_spec = pod.Make("spec");
  AddIndexVariable(pod_spec);
  pod_spec.Set("hostname", fmt::format("{}-{}", job.name(), number));
  return pod;
}

}  // namespace berth::server
