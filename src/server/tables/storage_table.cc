// SPDX-License-Identifier: Apache-2.0
#include "server/tables/cells.h"
#include "server/tables/printer.h"

namespace berth::server {
namespace {

constexpr std::string_view kStorageGroup = "storage.k8s.io";

bool BoolOr(const Json& value, bool other) { return value.is_bool() ? value.AsBool() : other; }

Json::List ClassCells(const Json& object, Time now) {
  return Row(Name(object), object["provisioner"], TextOr(object["reclaimPolicy"], "Delete"),
             TextOr(object["volumeBindingMode"], "Immediate"), object["allowVolumeExpansion"].AsBool(),
             Age(object, now));
}

Json::List AttributesClassCells(const Json& object, Time now) {
  return Row(Name(object), object["driverName"], Age(object, now));
}

Json::List DriverCells(const Json& object, Time now) {
  const Json& spec = object["spec"];
  std::string tokens = "<unset>";
  if (const Json* requests = spec.Find("tokenRequests")) {
    std::vector<std::string> audiences;
    for (const Json& request : requests->items()) audiences.push_back(request["audience"].text());
    tokens = Join(audiences);
  }
  std::string modes = JoinTexts(spec["volumeLifecycleModes"]);
  if (modes.empty()) modes = "<none>";
  return Row(Name(object), BoolOr(spec["attachRequired"], true), spec["podInfoOnMount"].AsBool(),
             spec["storageCapacity"].AsBool(), tokens, spec["requiresRepublish"].AsBool(), modes, Age(object, now));
}

Json::List CsiNodeCells(const Json& object, Time now) {
  return Row(Name(object), static_cast<int64_t>(object["spec"]["drivers"].size()), Age(object, now));
}

Json::List AttachmentCells(const Json& object, Time now) {
  const Json& spec = object["spec"];
  return Row(Name(object), spec["attacher"], spec["source"]["persistentVolumeName"], spec["nodeName"],
             object["status"]["attached"].AsBool(), Age(object, now));
}

Json::List MigrationCells(const Json& object, Time) {
  const Json& resource = object["spec"]["resource"];
  std::string name = resource["resource"].text();
  if (const std::string& group = resource["group"].text(); !group.empty()) name += '.' + group;
  std::string state = "Unknown";
  for (const Json& condition : object["status"]["conditions"].items()) {
    const std::string& type = condition["type"].text();
    const bool is_state = type == "Running" || type == "Failed" || type == "Succeeded";
    if (is_state && condition["status"].text() == "True") state = type;
  }
  return Row(Name(object), name, state);
}

}  // namespace

std::span<const Printer> StoragePrinters() {
  static const std::vector<Printer> kPrinters = {
      {kStorageGroup,
       "storageclasses",
       {kNameColumn, {"Provisioner"}, {"ReclaimPolicy"}, {"VolumeBindingMode"}, {"AllowVolumeExpansion"}, kAgeColumn},
       ClassCells},
      {kStorageGroup, "volumeattributesclasses", {kNameColumn, {"DriverName"}, kAgeColumn}, AttributesClassCells},
      {kStorageGroup,
       "csidrivers",
       {kNameColumn,
        {"AttachRequired", "boolean"},
        {"PodInfoOnMount", "boolean"},
        {"StorageCapacity", "boolean"},
        {"TokenRequests"},
        {"RequiresRepublish", "boolean"},
        {"Modes"},
        kAgeColumn},
       DriverCells},
      {kStorageGroup, "csinodes", {kNameColumn, {"Drivers", "integer"}, kAgeColumn}, CsiNodeCells},
      {kStorageGroup,
       "volumeattachments",
       {kNameColumn, {"Attacher", "string", 0, "name"}, {"PV"}, {"Node"}, {"Attached", "boolean"}, kAgeColumn},
       AttachmentCells},
      {"storagemigration.k8s.io", "storageversionmigrations", {{"Name"}, {"Resource"}, {"Status"}}, MigrationCells},
  };
  return kPrinters;
}

}  // namespace berth::server
