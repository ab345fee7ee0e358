// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/jobs/job_status.h"

#include "server/model/find_condition.h"

namespace berth::server {
namespace {

constexpr std::string_view kJobManager = "kubernetes.io/job-controller";

Json ToJson(const JobCondition& condition, Time now) {
  return Json{
      {"type", Json::String(condition.type)},           {"status", Json::String(condition.is_true ? "True" : "False")},
      {"reason", Json::String(condition.reason)},       {"message", Json::String(condition.message)},
      {"lastProbeTime", Json::String(FormatTime(now))}, {"lastTransitionTime", Json::String(FormatTime(now))}};
}

}  // namespace

bool IsIndexed(const Json& job) { return job["spec"]["completionMode"].text() == "Indexed"; }

const Json& EndingOf(const Json& job) {
  static const Json kNone;
  for (const Json& condition : job["status"]["conditions"].items()) {
    const std::string& type = condition["type"].text();
    if ((type == "Complete" || type == "Failed") && condition["status"].text() == "True") return condition;
  }
  return kNone;
}

bool IsManagedElsewhere(const Json& job) {
  const Json* manager = job["spec"].Find("managedBy");
  return manager != nullptr && manager->text() != kJobManager;
}

bool SetJobCondition(Json& status, const JobCondition& condition, Time now) {
  Json* conditions = status.Find("conditions");
  Json* present = conditions == nullptr ? nullptr : FindMutableCondition(*conditions, condition.type);
  if (present == nullptr) {
    if (condition.is_true) AppendJobCondition(status, condition, now);
    return condition.is_true;
  }
  const bool is_same = ((*present)["status"].text() == "True") == condition.is_true &&
                       (*present)["reason"].text() == condition.reason &&
                       (*present)["message"].text() == condition.message;
  if (!is_same) *present = ToJson(condition, now);
  return !is_same;
}

void AppendJobCondition(Json& status, const JobCondition& condition, Time now) {
  Json& conditions = status.Make("conditions");
  if (!conditions.is_list()) conditions = Json::MakeList();
  conditions.Append(ToJson(condition, now));
}

}  // namespace berth::server
