// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/job_controller.h"

#include <algorithm>
#include <charconv>

namespace berth::server {
namespace {

constexpr int64_t kIndicesMax = 100'000;

int64_t IndexOf(const StoredObject& pod) {
  const std::string_view text = pod.labels().Get(kJobIndex);
  int64_t index = -1;
  std::from_chars(text.data(), text.data() + text.size(), index);
  return index;
}

}  // namespace

void JobController::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  const bool is_deletion = change.type == Change::Type::kDeleted;
  if (&object.resource() == &jobs_) {
    if (is_deletion) {
      gone_.erase(object.uid());
    } else {
      enqueue(object.key(), Duration{});
    }
  }
  EnqueueOwner(cluster_, change, jobs_.kind, enqueue);
  if (is_deletion && &object.resource() == &pods_) Remember(*cluster_.pods.Find(object.key()));
}

void JobController::Remember(const PodInfo& pod) {
  if (pod.owner_kind != jobs_.kind || !pod.has_ended()) return;
  const ObjectPtr job = cluster_.store().Find(jobs_, pod.object->ns(), pod.owner_name);
  if (job == nullptr || job->uid() != pod.owner_uid) return;
  Gone& gone = gone_[pod.owner_uid];
  if (pod.phase == PodInfo::Phase::kFailed) {
    ++gone.failed;
  } else {
    ++gone.succeeded;
    gone.indices.push_back(IndexOf(*pod.object));
  }
}

JobCounts JobController::CountPods(const StoredObject& job, const Json& tree) const {
  JobCounts counts;
  if (IsIndexed(tree)) {
    counts.indices.resize(
        static_cast<size_t>(std::clamp<int64_t>(tree["spec"]["completions"].IntOr(1), 0, kIndicesMax)));
  }
  const auto mark = [&](int64_t index, JobCounts::Index state) {
    if (index >= 0 && static_cast<size_t>(index) < counts.indices.size()) {
      counts.indices[static_cast<size_t>(index)] = state;
    }
  };
  for (const PodInfo& pod : PodsOf(cluster_, job)) {
    if (pod.is_active()) {
      ++counts.active;
      if (pod.is_ready) ++counts.ready;
      mark(IndexOf(*pod.object), JobCounts::Index::kAtWork);
    } else if (pod.phase == PodInfo::Phase::kSucceeded) {
      ++counts.succeeded;
      mark(IndexOf(*pod.object), JobCounts::Index::kDone);
    } else if (pod.phase == PodInfo::Phase::kFailed) {
      ++counts.failed;
    }
  }
  if (const auto found = gone_.find(job.uid()); found != gone_.end()) {
    counts.succeeded += found->second.succeeded;
    counts.failed += found->second.failed;
    for (const int64_t index : found->second.indices) mark(index, JobCounts::Index::kDone);
  }
  // Some may have gone before this process began.
  counts.succeeded = std::max(counts.succeeded, tree["status"]["succeeded"].IntOr(0));
  counts.failed = std::max(counts.failed, tree["status"]["failed"].IntOr(0));
  return counts;
}

std::optional<Duration> JobController::Sync(const std::string& key) {
  const Store::Objects& all = cluster_.store().All(jobs_);
  const auto found = all.find(key);
  if (found == all.end()) return std::nullopt;
  const ObjectPtr job = found->second;
  const Json tree = job->Tree();
  if (tree["metadata"].Has("deletionTimestamp")) return std::nullopt;
  return HasEnded(tree) ? Expire(*job, tree) : Work(*job, tree);
}

std::optional<Duration> JobController::Expire(const StoredObject& job, const Json& tree) {
  const std::optional<int64_t> life = tree["spec"]["ttlSecondsAfterFinished"].AsInt();
  if (!life) return std::nullopt;
  const Time now = cluster_.objects.now();
  const Json& conditions = tree["status"]["conditions"];
  const Time ended = ParseTime(conditions[conditions.size() - 1]["lastTransitionTime"].text()).value_or(now);
  if (const Time due = ended + Seconds(*life); due > now) return due - now;
  const auto deleted = cluster_.objects.Delete(jobs_, job.ns(), job.name(), {.uid = job.uid()});
  return Succeeded(*this, deleted) ? std::nullopt : std::optional(kRetry);
}

std::optional<Duration> JobController::Work(const StoredObject& job, const Json& tree) {
  const JobCounts counts = CountPods(job, tree);
  const Time now = cluster_.objects.now();
  const bool is_suspended = tree["spec"]["suspend"].AsBool();
  const std::optional<JobEnd> end = is_suspended ? std::nullopt : EndOf(tree, counts, now);
  const int64_t wanted = end || is_suspended ? 0 : WantedActive(tree, counts);
  const auto batch = static_cast<int64_t>(kBatch);
  const int64_t missing = wanted - counts.active;
  if (!Stop(job, std::min(-missing, batch)) || !Start(job, tree, counts, std::min(missing, batch))) return kRetry;
  if (std::abs(missing) > batch) return Duration{};
  if (!Report(job, tree, counts, end)) return kRetry;
  const std::optional<Time> deadline = end ? std::nullopt : DeadlineOf(tree);
  return deadline ? std::optional(std::max(*deadline - now, Duration{1})) : std::nullopt;
}

bool JobController::Start(const StoredObject& job, const Json& tree, const JobCounts& counts, int64_t wanted) {
  size_t index = 0;
  for (int64_t i = 0; i < wanted; ++i) {
    Json pod = PodFromTemplate(tree["spec"]["template"], job);
    Json& metadata = pod.Make("metadata");
    metadata.Set("generateName", std::string(job.name()) + "-");
    if (IsIndexed(tree)) {
      while (index < counts.indices.size() && counts.indices[index] != JobCounts::Index::kFree) ++index;
      if (index == counts.indices.size()) return true;
      const std::string number = std::to_string(index++);
      metadata.Set("generateName", std::string(job.name()) + "-" + number + "-");
      metadata.Make("labels").Set(kJobIndex, number);
      metadata.Make("annotations").Set(kJobIndex, number);
      pod.Make("spec").Set("hostname", std::string(job.name()) + "-" + number);
    }
    const auto created =
        cluster_.objects.Create(pods_, job.ns(), std::move(pod), {.manager = std::string(kControllerManager)});
    if (!Succeeded(*this, created)) return false;
  }
  return true;
}

bool JobController::Stop(const StoredObject& job, int64_t count) {
  if (count <= 0) return true;
  std::vector<PodInfo> active = PodsOf(cluster_, job);
  std::erase_if(active, [](const PodInfo& pod) { return !pod.is_active(); });
  SortForRemoval(active);
  active.resize(std::min(active.size(), static_cast<size_t>(count)));
  return std::ranges::all_of(active, [&](const PodInfo& pod) { return DeletePod(cluster_, pod); });
}

bool JobController::Report(const StoredObject& job, const Json& tree, const JobCounts& counts,
                           const std::optional<JobEnd>& end) {
  return WriteStatus(cluster_, job,
                     [&](Json& status) { SetJobStatus(status, tree, counts, end, cluster_.objects.now()); });
}

}  // namespace berth::server
