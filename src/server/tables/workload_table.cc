// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "server/tables/cells.h"
#include "server/tables/printer.h"

namespace berth::server {
namespace {

constexpr Column kContainers{"Containers", "string", 1};
constexpr Column kImages{"Images", "string", 1};
constexpr Column kSelector{"Selector", "string", 1};

int64_t Number(const Json& value) { return value.IntOr(0); }

const Json& Containers(const Json& object) { return object["spec"]["template"]["spec"]["containers"]; }

// `2/3`.
std::string Ready(const Json& object) {
  return fmt::format("{}/{}", Number(object["status"]["readyReplicas"]), Number(object["spec"]["replicas"]));
}

Json::List ReplicaCells(const Json& object, const std::string& selector, Time now) {
  const Json& status = object["status"];
  return Row(Name(object), Number(object["spec"]["replicas"]), Number(status["replicas"]),
             Number(status["readyReplicas"]), Age(object, now), ContainerNames(Containers(object)),
             ContainerImages(Containers(object)), selector);
}

Json::List ReplicationControllerCells(const Json& object, Time now) {
  return ReplicaCells(object, FormatLabels(object["spec"]["selector"]), now);
}

Json::List ReplicaSetCells(const Json& object, Time now) {
  return ReplicaCells(object, FormatSelector(object["spec"]["selector"]), now);
}

Json::List DaemonSetCells(const Json& object, Time now) {
  const Json& status = object["status"];
  return Row(Name(object), Number(status["desiredNumberScheduled"]), Number(status["currentNumberScheduled"]),
             Number(status["numberReady"]), Number(status["updatedNumberScheduled"]), Number(status["numberAvailable"]),
             FormatLabels(object["spec"]["template"]["spec"]["nodeSelector"]), Age(object, now),
             ContainerNames(Containers(object)), ContainerImages(Containers(object)),
             FormatSelector(object["spec"]["selector"]));
}

Json::List DeploymentCells(const Json& object, Time now) {
  const Json& status = object["status"];
  return Row(Name(object), Ready(object), Number(status["updatedReplicas"]), Number(status["availableReplicas"]),
             Age(object, now), ContainerNames(Containers(object)), ContainerImages(Containers(object)),
             FormatSelector(object["spec"]["selector"]));
}

Json::List StatefulSetCells(const Json& object, Time now) {
  return Row(Name(object), Ready(object), Age(object, now), ContainerNames(Containers(object)),
             ContainerImages(Containers(object)));
}

// The controlling owner as `daemonset.apps/name`.
std::string Controller(const Json& object) {
  const Json::List& owners = object["metadata"]["ownerReferences"].items();
  const auto owner = std::ranges::find_if(owners, [](const Json& item) { return item["controller"].AsBool(); });
  if (owner == owners.end()) return "<none>";
  std::string kind = (*owner)["kind"].text();
  const std::string& api_version = (*owner)["apiVersion"].text();
  if (const size_t slash = api_version.find('/'); slash != api_version.npos) kind += '.' + api_version.substr(0, slash);
  return Lower(kind) + '/' + (*owner)["name"].text();
}

Json::List ControllerRevisionCells(const Json& object, Time now) {
  return Row(Name(object), Controller(object), Number(object["revision"]), Age(object, now));
}

Json::List BudgetCells(const Json& object, Time now) {
  const Json& spec = object["spec"];
  return Row(Name(object), TextOr(spec["minAvailable"], "N/A"), TextOr(spec["maxUnavailable"], "N/A"),
             Number(object["status"]["disruptionsAllowed"]), Age(object, now));
}

}  // namespace

std::span<const Printer> WorkloadPrinters() {
  static const std::vector<Column> kReplicas = {kNameColumn,
                                                {"Desired", "integer"},
                                                {"Current", "integer"},
                                                {"Ready", "integer"},
                                                kAgeColumn,
                                                kContainers,
                                                kImages,
                                                kSelector};
  static const std::vector<Printer> kPrinters = {
      {"", "replicationcontrollers", kReplicas, ReplicationControllerCells},
      {"apps", "replicasets", kReplicas, ReplicaSetCells},
      {"apps",
       "daemonsets",
       {kNameColumn,
        {"Desired", "integer"},
        {"Current", "integer"},
        {"Ready", "integer"},
        {"Up-to-date", "integer"},
        {"Available", "integer"},
        {"Node Selector"},
        kAgeColumn,
        kContainers,
        kImages,
        kSelector},
       DaemonSetCells},
      {"apps",
       "deployments",
       {kNameColumn, {"Ready"}, {"Up-to-date"}, {"Available"}, kAgeColumn, kContainers, kImages, kSelector},
       DeploymentCells},
      {"apps", "statefulsets", {kNameColumn, {"Ready"}, kAgeColumn, kContainers, kImages}, StatefulSetCells},
      {"apps", "controllerrevisions", {kNameColumn, {"Controller"}, {"Revision"}, kAgeColumn}, ControllerRevisionCells},
      {"policy",
       "poddisruptionbudgets",
       {kNameColumn, {"Min Available"}, {"Max Unavailable"}, {"Allowed Disruptions", "integer"}, kAgeColumn},
       BudgetCells},
  };
  return kPrinters;
}

}  // namespace berth::server
