// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/job_controller.h"

#include <algorithm>
#include <charconv>

namespace berth::server {
namespace {

constexpr std::string_view kManager = "kube-controller-manager";
constexpr std::string_view kIndex = "batch.kubernetes.io/job-completion-index";

bool IsIndexed(const Json& job) { return job["spec"]["completionMode"].text() == "Indexed"; }

// Without a number of completions, one success is enough once all pods have ended.
bool HasCompletions(const Json& job) { return job["spec"].Has("completions"); }

bool HasEnded(const Json& job) {
  return std::ranges::any_of(job["status"]["conditions"].items(), [](const Json& condition) {
    const std::string& type = condition["type"].text();
    return (type == "Complete" || type == "Failed") && condition["status"].text() == "True";
  });
}

Json EndCondition(std::string_view type, std::string_view reason, std::string_view message, const std::string& now) {
  return Json{{"type", Json::String(type)},
              {"status", Json::String("True")},
              {"reason", Json::String(reason)},
              {"message", Json::String(message)},
              {"lastProbeTime", Json::String(now)},
              {"lastTransitionTime", Json::String(now)}};
}

}  // namespace

void JobController::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  if (&object.resource() == &jobs_ && change.type != Change::Type::kDeleted) enqueue(object.key(), Duration{});
  EnqueueOwner(cluster_, change, jobs_.kind, enqueue);
}

JobController::Count JobController::CountPods(const StoredObject& job, const Json& tree) const {
  Count count;
  const int64_t completions = tree["spec"]["completions"].IntOr(1);
  if (IsIndexed(tree)) count.done.resize(static_cast<size_t>(completions));
  for (const PodInfo& pod : PodsOf(cluster_, job)) {
    const bool has_succeeded = pod.phase == PodInfo::Phase::kSucceeded;
    if (has_succeeded) ++count.succeeded;
    if (pod.phase == PodInfo::Phase::kFailed) ++count.failed;
    if (pod.is_active()) ++count.active;
    if (pod.is_active() && pod.is_ready) ++count.ready;
    if (count.done.empty() || !(has_succeeded || pod.is_active())) continue;
    const std::string_view text = pod.object->labels().Get(kIndex);
    size_t index = count.done.size();
    std::from_chars(text.data(), text.data() + text.size(), index);
    if (index < count.done.size()) count.done[index] = true;
  }
  return count;
}

std::optional<Duration> JobController::Sync(const std::string& key) {
  const Store::Objects& all = cluster_.store().All(jobs_);
  const auto found = all.find(key);
  if (found == all.end()) return std::nullopt;
  const ObjectPtr job = found->second;
  const Json tree = job->Tree();
  if (tree["metadata"].Has("deletionTimestamp")) return std::nullopt;
  const Time now = cluster_.objects.now();
  if (HasEnded(tree)) {
    const std::optional<int64_t> life = tree["spec"]["ttlSecondsAfterFinished"].AsInt();
    if (!life) return std::nullopt;
    const Json& conditions = tree["status"]["conditions"];
    const Time ended = ParseTime(conditions[conditions.size() - 1]["lastTransitionTime"].text()).value_or(now);
    if (const Time due = ended + Seconds(*life); due > now) return due - now;
    (void)cluster_.objects.Delete(jobs_, job->ns(), job->name(), {});
    return std::nullopt;
  }
  const Count count = CountPods(*job, tree);
  const Json& spec = tree["spec"];
  if (spec["suspend"].AsBool()) {
    const bool is_done = StopAll(*job) && Report(*job, tree, count, "", "", "");
    return is_done ? std::nullopt : std::optional(kRetry);
  }
  if (count.failed > spec["backoffLimit"].IntOr(6)) {
    const bool is_done = StopAll(*job) && Report(*job, tree, count, "Failed", "BackoffLimitExceeded",
                                                 "Job has reached the specified backoff limit");
    return is_done ? std::nullopt : std::optional(kRetry);
  }
  const int64_t completions = spec["completions"].IntOr(1);
  const bool is_complete = HasCompletions(tree) ? count.succeeded >= completions
                                                : count.succeeded > 0 && count.active == 0;
  if (is_complete) {
    const bool is_done = Report(*job, tree, count, "Complete", "CompletionsReached",
                                "Reached expected number of succeeded pods");
    return is_done ? std::nullopt : std::optional(kRetry);
  }
  int64_t wanted = spec["parallelism"].IntOr(1);
  if (HasCompletions(tree)) wanted = std::min(wanted, completions - count.succeeded);
  // Without completions, no more are started once one has succeeded.
  if (!HasCompletions(tree) && count.succeeded > 0) wanted = count.active;
  const int64_t missing = wanted - count.active;
  const auto batch = static_cast<int64_t>(kBatch);
  bool is_done = Start(*job, tree, count, std::min(missing, batch));
  if (is_done && missing > batch) return Duration{};
  is_done = Report(*job, tree, count, "", "", "") && is_done;
  return is_done ? std::nullopt : std::optional(kRetry);
}

bool JobController::Start(const StoredObject& job, const Json& tree, const Count& count, int64_t wanted) {
  size_t index = 0;
  for (int64_t i = 0; i < wanted; ++i) {
    Json pod = PodFromTemplate(tree["spec"]["template"], job);
    Json& metadata = pod.Make("metadata");
    metadata.Set("generateName", std::string(job.name()) + "-");
    if (IsIndexed(tree)) {
      while (index < count.done.size() && count.done[index]) ++index;
      if (index == count.done.size()) return true;
      const std::string number = std::to_string(index++);
      metadata.Set("generateName", std::string(job.name()) + "-" + number + "-");
      metadata.Make("labels").Set(kIndex, number);
      metadata.Make("annotations").Set(kIndex, number);
      pod.Make("spec").Set("hostname", std::string(job.name()) + "-" + number);
    }
    const auto created = cluster_.objects.Create(pods_, job.ns(), std::move(pod), {.manager = std::string(kManager)});
    if (!Succeeded(*this, created)) return false;
  }
  return true;
}

bool JobController::StopAll(const StoredObject& job) {
  const std::vector<PodInfo> pods = PodsOf(cluster_, job);
  return std::ranges::all_of(pods, [&](const PodInfo& pod) { return !pod.is_active() || DeletePod(cluster_, pod); });
}

bool JobController::Report(const StoredObject& job, const Json& tree, const Count& count, std::string_view end,
                           std::string_view reason, std::string_view message) {
  const std::string now = FormatTime(cluster_.objects.now());
  return WriteStatus(cluster_, job, [&](Json& status) {
    if (!tree["spec"]["suspend"].AsBool()) status.SetDefault("startTime", Json::String(now));
    for (const auto& [name, number] : {std::pair<std::string_view, int64_t>{"active", count.active},
                                       {"succeeded", count.succeeded},
                                       {"failed", count.failed}}) {
      status.Set(name, Json::Int(number));
      if (number == 0) status.Erase(name);
    }
    status.Set("ready", Json::Int(count.ready));
    status.Set("terminating", Json::Int(0));
    status.Set("uncountedTerminatedPods", Json::MakeMap());
    if (end.empty()) return;
    if (end == "Complete") {
      status.Set("completionTime", now);
      status.Make("conditions").Append(EndCondition("SuccessCriteriaMet", reason, message, now));
    } else {
      status.Make("conditions").Append(EndCondition("FailureTarget", reason, message, now));
    }
    status.Make("conditions").Append(EndCondition(end, reason, message, now));
  });
}

}  // namespace berth::server
