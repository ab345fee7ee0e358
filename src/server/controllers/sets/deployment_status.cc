// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/sets/deployment_status.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "server/controllers/sets/rollout.h"
#include "server/model/find_condition.h"

namespace berth::server {
namespace {

constexpr std::string_view kProgressing = "Progressing";
constexpr std::string_view kFailure = "ReplicaFailure";
constexpr std::string_view kArrived = "NewReplicaSetAvailable";
constexpr std::string_view kMoving = "ReplicaSetUpdated";
constexpr std::string_view kStuck = "ProgressDeadlineExceeded";
constexpr std::string_view kPaused = "DeploymentPaused";
constexpr std::string_view kResumed = "DeploymentResumed";

bool HasDeadline(const Json& spec) {
  return spec["progressDeadlineSeconds"].IntOr(600) != std::numeric_limits<int32_t>::max();
}

std::string_view ReasonOf(const Json& status, std::string_view type) {
  return FindCondition(status["conditions"], type)["reason"].text();
}

void DropCondition(Json& status, std::string_view type) {
  Json* conditions = status.Find("conditions");
  if (conditions == nullptr || !conditions->is_list()) return;
  std::erase_if(conditions->mutable_items(), [&](const Json& condition) { return condition["type"].text() == type; });
  if (conditions->empty()) status.Erase("conditions");
}

// The last one that changed stands last.
void PutCondition(Json& status, Json condition) {
  DropCondition(status, condition["type"].text());
  status.Make("conditions").Append(std::move(condition));
}

// One that says the same as before stays as it is, unless it `is_renewed`.
void SetDeploymentCondition(Json& status, std::string_view type, std::string_view value, std::string_view reason,
                            std::string_view message, Time now, bool is_renewed = false) {
  const Json old = FindCondition(status["conditions"], type);
  const bool has_value = old["status"].text() == value;
  if (has_value && old["reason"].text() == reason && !is_renewed) return;
  const std::string when = FormatTime(now);
  Json condition{{"type", Json::String(type)},           {"status", Json::String(value)},
                 {"reason", Json::String(reason)},       {"message", Json::String(message)},
                 {"lastUpdateTime", Json::String(when)}, {"lastTransitionTime", Json::String(when)}};
  if (has_value) condition.Set("lastTransitionTime", old["lastTransitionTime"]);
  PutCondition(status, std::move(condition));
}

// The time that it is paused is not held against it.
void SetPaused(Json& status, const Json& spec, Time now) {
  const std::string_view reason = ReasonOf(status, kProgressing);
  if (!HasDeadline(spec) || reason == kStuck) return;
  const bool is_paused = spec["paused"].AsBool();
  if (is_paused) {
    SetDeploymentCondition(status, kProgressing, "Unknown", kPaused, "Deployment is paused", now);
  } else if (reason == kPaused) {
    SetDeploymentCondition(status, kProgressing, "Unknown", kResumed, "Deployment is resumed", now);
  }
}

void SetNews(Json& status, const RolloutState& rollout, Time now) {
  if (rollout.news) {
    const NewSetNews& news = *rollout.news;
    SetDeploymentCondition(status, kProgressing, news.is_made ? "True" : "False", news.reason, news.message, now);
  } else if (!rollout.newest.empty() && ReasonOf(status, kProgressing).empty()) {
    SetDeploymentCondition(status, kProgressing, "True", "FoundNewReplicaSet",
                           "Found new replica set \"" + rollout.newest + "\"", now);
  }
}

void SetAvailable(Json& status, const RolloutPlan& plan, const DeploymentCounts& counts, Time now) {
  const bool is_available = counts.available >= plan.replicas - plan.unavailable;
  SetDeploymentCondition(
      status, "Available", is_available ? "True" : "False",
      is_available ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
      is_available ? "Deployment has minimum availability." : "Deployment does not have minimum availability.", now);
}

// `before`: the status with its counts as they were.
void SetProgress(Json& status, const Json& before, const Json& deployment, const std::string& newest, Time now) {
  // A pod that is lost later does not undo the arrival.
  const bool has_arrived =
      ReasonOf(status, kProgressing) == kArrived && status["replicas"].IntOr(0) == status["updatedReplicas"].IntOr(0);
  if (has_arrived) return;
  const std::string what =
      newest.empty() ? "Deployment \"" + deployment["metadata"]["name"].text() + "\"" : "ReplicaSet \"" + newest + "\"";
  if (IsComplete(status, deployment)) {
    return SetDeploymentCondition(status, kProgressing, "True", kArrived, what + " has successfully progressed.", now);
  }
  const auto grew = [&](std::string_view count) { return status[count].IntOr(0) > before[count].IntOr(0); };
  const auto old = [](const Json& of) { return of["replicas"].IntOr(0) - of["updatedReplicas"].IntOr(0); };
  if (grew("updatedReplicas") || grew("readyReplicas") || grew("availableReplicas") || old(status) < old(before)) {
    return SetDeploymentCondition(status, kProgressing, "True", kMoving, what + " is progressing.", now, true);
  }
  const std::optional<Time> deadline = ProgressDeadline(status, deployment["spec"]);
  if (!deadline || *deadline > now) return;
  SetDeploymentCondition(status, kProgressing, "False", kStuck, what + " has timed out progressing.", now);
}

void SetFailure(Json& status, const Json& of_set) {
  if (of_set.is_null()) return DropCondition(status, kFailure);
  if (ReasonOf(status, kFailure) == of_set["reason"].text()) return;
  Json condition = of_set;
  condition.Set("lastUpdateTime", of_set["lastTransitionTime"]);
  PutCondition(status, std::move(condition));
}

void SetCounts(Json& status, const DeploymentCounts& counts) {
  const auto set_count = [&](std::string_view name, int64_t count) {
    status.Set(name, Json::Int(count));
    if (count == 0) status.Erase(name);
  };
  set_count("replicas", counts.present);
  set_count("updatedReplicas", counts.updated);
  set_count("readyReplicas", counts.ready);
  set_count("availableReplicas", counts.available);
  set_count("unavailableReplicas", std::max<int64_t>(0, counts.wanted - counts.available));
  if (counts.terminating) {
    status.Set("terminatingReplicas", Json::Int(*counts.terminating));
  } else {
    status.Erase("terminatingReplicas");
  }
}

}  // namespace

std::optional<Time> ProgressDeadline(const Json& status, const Json& spec) {
  const Json& progress = FindCondition(status["conditions"], kProgressing);
  const std::string_view reason = progress["reason"].text();
  if (progress.is_null() || reason == kArrived || reason == kStuck || reason == kPaused) return std::nullopt;
  if (!HasDeadline(spec)) return std::nullopt;
  const Result<Time> since = ParseTime(progress["lastUpdateTime"].text());
  return since ? std::optional(*since + Seconds(spec["progressDeadlineSeconds"].IntOr(600))) : std::nullopt;
}

bool IsComplete(const Json& status, const Json& deployment) {
  const int64_t replicas = deployment["spec"]["replicas"].IntOr(1);
  return status["updatedReplicas"].IntOr(0) == replicas && status["replicas"].IntOr(0) == replicas &&
         status["availableReplicas"].IntOr(0) == replicas &&
         status["observedGeneration"].IntOr(0) >= deployment["metadata"]["generation"].IntOr(0);
}

void SetDeploymentStatus(Json& status, const Json& deployment, const DeploymentCounts& counts,
                         const RolloutState& rollout, Time now) {
  const Json& spec = deployment["spec"];
  const Json before = status;
  SetPaused(status, spec, now);
  if (HasDeadline(spec)) SetNews(status, rollout, now);
  SetCounts(status, counts);
  status.Set("observedGeneration", deployment["metadata"]["generation"]);
  SetAvailable(status, PlanOf(spec), counts, now);
  if (!rollout.moves_on) return;
  if (HasDeadline(spec)) {
    SetProgress(status, before, deployment, rollout.newest, now);
  } else {
    DropCondition(status, kProgressing);
  }
  SetFailure(status, rollout.failure);
}

}  // namespace berth::server
