// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/deployment_status.h"

#include <algorithm>
#include <limits>

#include "server/controllers/rollout.h"
#include "server/model/find_condition.h"

namespace berth::server {
namespace {

constexpr std::string_view kArrived = "NewReplicaSetAvailable";
constexpr std::string_view kMoving = "ReplicaSetUpdated";
constexpr std::string_view kStuck = "ProgressDeadlineExceeded";

// `was_renewed`: its update counts as one even if it says the same as before.
Json Condition(const Json& old, std::string_view type, bool is_true, std::string_view reason, std::string_view message,
               Time now, bool was_renewed = false) {
  const std::string when = FormatTime(now);
  Json condition{{"type", Json::String(type)},           {"status", Json::String(is_true ? "True" : "False")},
                 {"reason", Json::String(reason)},       {"message", Json::String(message)},
                 {"lastUpdateTime", Json::String(when)}, {"lastTransitionTime", Json::String(when)}};
  if (old["status"] == condition["status"]) condition.Set("lastTransitionTime", old["lastTransitionTime"]);
  if (old["reason"] == condition["reason"] && !was_renewed) condition.Set("lastUpdateTime", old["lastUpdateTime"]);
  return condition;
}

Json Progressing(const Json& status, const Json& spec, const DeploymentCounts& counts, Time now) {
  constexpr std::string_view kType = "Progressing";
  const Json& old = FindCondition(status["conditions"], kType);
  const std::string set = "ReplicaSet \"" + counts.newest + "\"";
  const int64_t replicas = spec["replicas"].IntOr(1);
  const bool is_complete = counts.updated == replicas && counts.present == replicas && counts.available >= replicas;
  // A pod that is lost later does not undo the arrival.
  const bool has_arrived = old["reason"].text() == kArrived && counts.updated == counts.present;
  if (is_complete || has_arrived) {
    return Condition(old, kType, true, kArrived, set + " has successfully progressed.", now);
  }
  const auto before = [&](std::string_view name) { return status[name].IntOr(0); };
  const bool has_moved = counts.updated > before("updatedReplicas") || counts.ready > before("readyReplicas") ||
                         counts.available > before("availableReplicas") ||
                         counts.present - counts.updated < before("replicas") - before("updatedReplicas");
  const std::optional<Time> deadline = ProgressDeadline(status, spec);
  const bool was_stuck = old["reason"].text() == kStuck;
  if (!has_moved && (was_stuck || (deadline && *deadline <= now))) {
    return Condition(old, kType, false, kStuck, set + " has timed out progressing.", now);
  }
  return Condition(old, kType, true, kMoving, set + " is progressing.", now, has_moved);
}

}  // namespace

std::optional<Time> ProgressDeadline(const Json& status, const Json& spec) {
  const int64_t seconds = spec["progressDeadlineSeconds"].IntOr(600);
  const Json& progress = FindCondition(status["conditions"], "Progressing");
  if (progress["reason"].text() != kMoving || seconds == std::numeric_limits<int32_t>::max()) return std::nullopt;
  const Result<Time> since = ParseTime(progress["lastUpdateTime"].text());
  return since ? std::optional(*since + Seconds(seconds)) : std::nullopt;
}

void SetDeploymentStatus(Json& status, const Json& spec, const DeploymentCounts& counts, Time now) {
  const RolloutPlan plan = PlanOf(spec);
  const Json& old = FindCondition(status["conditions"], "Available");
  Json available =
      counts.available >= plan.replicas - plan.unavailable
          ? Condition(old, "Available", true, "MinimumReplicasAvailable", "Deployment has minimum availability.", now)
          : Condition(old, "Available", false, "MinimumReplicasUnavailable",
                      "Deployment does not have minimum availability.", now);
  Json progressing = Progressing(status, spec, counts, now);
  status.Set("conditions", Json::MakeList({std::move(available), std::move(progressing)}));
  const auto set_count = [&](std::string_view name, int64_t count) {
    status.Set(name, Json::Int(count));
    if (count == 0) status.Erase(name);
  };
  set_count("replicas", counts.present);
  set_count("updatedReplicas", counts.updated);
  set_count("readyReplicas", counts.ready);
  set_count("availableReplicas", counts.available);
  set_count("unavailableReplicas", std::max<int64_t>(0, plan.replicas - counts.available));
}

}  // namespace berth::server
