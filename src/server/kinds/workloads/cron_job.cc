// SPDX-License-Identifier: Apache-2.0
// Cron jobs.
#include <algorithm>
#include <memory>
#include <string>

#include "base/ascii.h"
#include "cel/time_zones.h"
#include "server/kinds/kinds.h"
#include "server/kinds/pods/container_defaults.h"
#include "server/kinds/workloads/cron_schedule.h"
#include "server/kinds/workloads/job.h"
#include "server/kinds/workloads/workload.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr size_t kCronJobNameLengthMax = 52;  // So that the time of a run fits behind it in the name of its job.

void ValidateSchedule(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const std::string& schedule = spec["schedule"].text();
  if (schedule.empty()) return errors.Required(path);
  if (const auto valid = CheckCronSchedule(schedule); !valid) errors.Invalid(path, schedule, valid.error().message);
  if (schedule.find("TZ") != schedule.npos) {
    errors.Invalid(path, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  }
}

// The form of a name.
bool MayBeTimeZone(std::string_view name) {
  constexpr size_t kPartLengthMax = 14;
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == '_' || c == '+';
  };
  for (;;) {
    const size_t slash = name.find('/');
    const std::string_view part = name.substr(0, slash);
    if (part.empty() || part.size() > kPartLengthMax || part == "." || part == ".." || part.starts_with('-') ||
        !std::ranges::all_of(part, is_letter)) {
      return false;
    }
    if (slash == name.npos) return true;
    name.remove_prefix(slash + 1);
  }
}

void ValidateTimeZone(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const Json* zone = spec.Find("timeZone");
  if (zone == nullptr) return;
  if (zone->text().empty()) return errors.Invalid(path, *zone, "timeZone must be nil or non-empty string");
  const std::string unknown = "unknown time zone " + zone->text();
  if (!MayBeTimeZone(zone->text())) return errors.Invalid(path, *zone, unknown);
  if (Lower(zone->text()) == "local") {
    errors.Invalid(path, *zone, "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
  }
  if (!cel::ZoneOffset(zone->text(), 0)) errors.Invalid(path, *zone, unknown);
}

class CronJobStrategy final : public WorkloadStrategy {
 public:
  void Default(Json& object, bool /*is_create*/) const override {
    Json& spec = object.Make("spec");
    DefaultJobTemplateParts(spec.Make({"jobTemplate", "spec"}));
    DefaultText(spec, "concurrencyPolicy", "Allow");
    spec.SetDefault("suspend", Json::Bool(false));
    spec.SetDefault("successfulJobsHistoryLimit", Json::Int(3));
    spec.SetDefault("failedJobsHistoryLimit", Json::Int(1));
  }

  void Validate(const Json& object, FieldErrors& errors) const override {
    const FieldPath path("spec");
    const Json& spec = object["spec"];
    ValidateSchedule(spec, path / "schedule", errors);
    CheckNonNegative(errors, path, spec, {"startingDeadlineSeconds"});
    ValidateTimeZone(spec, path / "timeZone", errors);
    CheckEnum(errors, path, spec, "concurrencyPolicy", {"Allow", "Forbid", "Replace"});
    const FieldPath job_path = path / "jobTemplate.spec";
    const Json& job = spec["jobTemplate"]["spec"];
    ValidateJobSpec(job, job_path, errors);
    if (job.Has("selector")) {
      errors.Invalid(job_path / "selector", job["selector"], "`selector` will be auto-generated");
    }
    if (job["manualSelector"].AsBool()) {
      errors.Add({.reason = "FieldValueNotSupported",
                  .message = R"(Unsupported value: true: supported values: "nil", "false")",
                  .field = job_path / "manualSelector"});
    }
    CheckNonNegative(errors, path, spec, {"successfulJobsHistoryLimit", "failedJobsHistoryLimit"});
    const std::string& name = object["metadata"]["name"].text();
    if (name.size() > kCronJobNameLengthMax)
      errors.Invalid("metadata.name", name, "must be no more than 52 characters");
  }

 protected:
  Json* Template(Json& object) const override { return &object.Make({"spec", "jobTemplate", "spec", "template"}); }
};

}  // namespace

std::unique_ptr<Strategy> MakeCronJobStrategy() { return std::make_unique<CronJobStrategy>(); }

}  // namespace berth::server
