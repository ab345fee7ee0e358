// SPDX-License-Identifier: Apache-2.0
#include "server/tables/cells.h"
#include "server/tables/printer.h"

namespace berth::server {
namespace {

constexpr std::string_view kDeviceGroup = "resource.k8s.io";

Json::List NameAndAge(const Json& object, Time now) { return Row(Name(object), Age(object, now)); }

std::string ClaimState(const Json& claim) {
  std::vector<std::string> states;
  const bool is_deleted = IsDeleted(claim);
  const bool is_allocated = claim["status"].Has("allocation");
  if (is_deleted) states.emplace_back("deleted");
  if (!is_deleted && !is_allocated) states.emplace_back("pending");
  if (is_allocated) states.emplace_back("allocated");
  if (is_allocated && !claim["status"]["reservedFor"].empty()) states.emplace_back("reserved");
  return Join(states);
}

Json::List DeviceClaimCells(const Json& object, Time now) {
  return Row(Name(object), ClaimState(object), Age(object, now));
}

Json::List SliceCells(const Json& object, Time now) {
  const Json& spec = object["spec"];
  return Row(Name(object), spec["nodeName"], spec["driver"], spec["pool"]["name"], Age(object, now));
}

Json::List TaintRuleCells(const Json& object, Time now) {
  const Json& taint = object["spec"]["taint"];
  const Json& added = taint["timeAdded"];
  return Row(Name(object), taint["key"], taint["value"], taint["effect"],
             added.is_string() ? Since(added, now) : std::string(), Age(object, now));
}

}  // namespace

std::span<const Printer> DevicePrinters() {
  static const std::vector<Printer> kPrinters = {
      {kDeviceGroup, "deviceclasses", {kNameColumn, kAgeColumn}, NameAndAge},
      {kDeviceGroup, "resourceclaimtemplates", {kNameColumn, kAgeColumn}, NameAndAge},
      {kDeviceGroup, "resourceclaims", {kNameColumn, {"State"}, kAgeColumn}, DeviceClaimCells},
      {kDeviceGroup, "resourceslices", {kNameColumn, {"Node"}, {"Driver"}, {"Pool"}, kAgeColumn}, SliceCells},
      {kDeviceGroup,
       "devicetaintrules",
       {kNameColumn, {"Key"}, {"Value"}, {"Effect"}, {"TimeAdded"}, kAgeColumn},
       TaintRuleCells},
  };
  return kPrinters;
}

}  // namespace berth::server
