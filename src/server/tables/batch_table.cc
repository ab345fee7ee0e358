// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "server/tables/cells.h"
#include "server/tables/printer.h"

namespace berth::server {
namespace {

std::string Completions(const Json& job) {
  const int64_t succeeded = job["status"]["succeeded"].IntOr(0);
  if (const auto completions = job["spec"]["completions"].AsInt()) {
    return fmt::format("{}/{}", succeeded, *completions);
  }
  const int64_t parallelism = job["spec"]["parallelism"].IntOr(0);
  return parallelism > 1 ? fmt::format("{}/1 of {}", succeeded, parallelism) : fmt::format("{}/1", succeeded);
}

std::string RunTime(const Json& status, Time now) {
  const Result<Time> start = ParseTime(status["startTime"].text());
  if (!start) return {};
  return HumanDuration(ParseTime(status["completionTime"].text()).value_or(now) - *start);
}

std::string JobStatus(const Json& job) {
  const Json& conditions = job["status"]["conditions"];
  if (IsTrue(conditions, "Complete")) return "Complete";
  if (IsTrue(conditions, "Failed")) return "Failed";
  if (IsDeleted(job)) return "Terminating";
  for (const char* type : {"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    if (IsTrue(conditions, type)) return type;
  }
  return "Running";
}

Json::List JobCells(const Json& job, Time now) {
  const Json& containers = job["spec"]["template"]["spec"]["containers"];
  return Row(Name(job), JobStatus(job), Completions(job), RunTime(job["status"], now), Age(job, now),
             ContainerNames(containers), ContainerImages(containers), FormatSelector(job["spec"]["selector"]));
}

Json::List CronJobCells(const Json& object, Time now) {
  const Json& spec = object["spec"];
  const Json& job = spec["jobTemplate"]["spec"];
  const Json& containers = job["template"]["spec"]["containers"];
  const Json& last = object["status"]["lastScheduleTime"];
  const Json& zone = spec["timeZone"];
  const char* suspend = !spec["suspend"].is_bool() ? "<unset>" : spec["suspend"].AsBool() ? "True" : "False";
  return Row(Name(object), spec["schedule"], zone.is_string() ? zone.text() : "<none>", suspend,
             static_cast<int64_t>(object["status"]["active"].size()), last.is_string() ? Since(last, now) : "<none>",
             Age(object, now), ContainerNames(containers), ContainerImages(containers),
             FormatSelector(job["selector"]));
}

}  // namespace

std::span<const Printer> BatchPrinters() {
  static constexpr std::array<Column, 3> kWide = {
      {{"Containers", "string", 1}, {"Images", "string", 1}, {"Selector", "string", 1}}};
  static const std::vector<Printer> kPrinters = {
      {"batch",
       "jobs",
       {kNameColumn, {"Status"}, {"Completions"}, {"Duration"}, kAgeColumn, kWide[0], kWide[1], kWide[2]},
       JobCells},
      {"batch",
       "cronjobs",
       {kNameColumn,
        {"Schedule"},
        {"Timezone"},
        {"Suspend", "boolean"},
        {"Active", "integer"},
        {"Last Schedule"},
        kAgeColumn,
        kWide[0],
        kWide[1],
        kWide[2]},
       CronJobCells},
  };
  return kPrinters;
}

}  // namespace berth::server
