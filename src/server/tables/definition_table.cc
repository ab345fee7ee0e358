// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "server/tables/cells.h"
#include "server/tables/printer.h"

namespace berth::server {
namespace {

// Those that are served: v1,v2(storage).
std::string VersionsText(const Json& versions) {
  std::vector<std::string> names;
  for (const Json& version : versions.items()) {
    if (!version["served"].AsBool()) continue;
    names.push_back(version["name"].text() + (version["storage"].AsBool() ? "(storage)" : ""));
  }
  return Join(names);
}

Json::List DefinitionCells(const Json& object, Time) {
  const Json& spec = object["spec"];
  return Row(Name(object), spec["scope"], VersionsText(spec["versions"]), object["metadata"]["creationTimestamp"],
             spec["group"], spec["names"]["kind"], JoinTexts(spec["names"]["shortNames"]),
             FindCondition(object["status"]["conditions"], "Established")["status"].text() == "True");
}

}  // namespace

std::span<const Printer> DefinitionPrinters() {
  static const std::vector<Printer> kPrinters = {{"apiextensions.k8s.io",
                                                  "customresourcedefinitions",
                                                  {kNameColumn,
                                                   {"Scope", "string", 0, "", "Cluster/Namespaced"},
                                                   {"Versions", "string", 0, "", "Served versions"},
                                                   {"Created At", "date", 0, "", kCreationDescription},
                                                   {"Group", "string", 1, "", "API group"},
                                                   {"Kind", "string", 1, "", "CustomResource kind"},
                                                   {"ShortNames", "string", 1, "", "Short names"},
                                                   {"Established", "boolean", 1, "", "Established status"}},
                                                  DefinitionCells}};
  return kPrinters;
}

}  // namespace berth::server
