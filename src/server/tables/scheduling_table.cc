// SPDX-License-Identifier: Apache-2.0
#include "server/tables/cells.h"
#include "server/tables/printer.h"

namespace berth::server {
namespace {

constexpr std::string_view kSchedulingGroup = "scheduling.k8s.io";

Json::List PriorityClassCells(const Json& object, Time now) {
  return Row(Name(object), object["value"].IntOr(0), object["globalDefault"].AsBool(), Age(object, now),
             object["preemptionPolicy"]);
}

Json::List WorkloadCells(const Json& object, Time now) { return Row(Name(object), Age(object, now)); }

const char* Policy(const Json& group) { return group["spec"]["schedulingPolicy"].Has("gang") ? "Gang" : "Basic"; }

std::string WorkloadName(const Json& group) {
  const Json& reference = group["spec"]["workloadRef"];
  return reference.is_map() ? reference["workloadName"].text() : "<none>";
}

std::string GroupStatus(const Json& conditions) {
  if (const Json& disruption = FindCondition(conditions, "DisruptionTarget"); disruption.is_map()) {
    return disruption["reason"].text();
  }
  const Json& scheduled = FindCondition(conditions, "PodGroupInitiallyScheduled");
  if (scheduled.is_null()) return "Pending";
  return scheduled["status"].text() == "True" ? "Scheduled" : "Unschedulable";
}

Json::List PodGroupCells(const Json& object, Time now) {
  return Row(Name(object), Policy(object), WorkloadName(object), GroupStatus(object["status"]["conditions"]),
             Age(object, now));
}

Json::List CompositeCells(const Json& object, Time now) {
  return Row(Name(object), Policy(object), WorkloadName(object), Age(object, now));
}

Json::List CoscheduledGroupCells(const Json& object, Time now) {
  const Json& status = object["status"];
  return Row(Name(object), status["phase"], object["spec"]["minMember"], status["running"], status["succeeded"],
             status["failed"], Age(object, now));
}

}  // namespace

std::span<const Printer> SchedulingPrinters() {
  static const std::vector<Printer> kPrinters = {
      {kSchedulingGroup,
       "priorityclasses",
       {kNameColumn, {"Value", "integer"}, {"Global-Default", "boolean"}, kAgeColumn, {"PreemptionPolicy"}},
       PriorityClassCells},
      {kSchedulingGroup, "workloads", {kNameColumn, kAgeColumn}, WorkloadCells},
      {kSchedulingGroup, "podgroups", {kNameColumn, {"Policy"}, {"Workload"}, {"Status"}, kAgeColumn}, PodGroupCells},
      {kSchedulingGroup, "compositepodgroups", {kNameColumn, {"Policy"}, {"Workload"}, kAgeColumn}, CompositeCells},
      {"scheduling.x-k8s.io",
       "podgroups",
       {kNameColumn,
        {"Phase"},
        {"MinMember", "integer"},
        {"Running", "integer"},
        {"Succeeded", "integer"},
        {"Failed", "integer"},
        kAgeColumn},
       CoscheduledGroupCells},
  };
  return kPrinters;
}

}  // namespace berth::server
