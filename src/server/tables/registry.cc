// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "server/tables/cells.h"
#include "server/tables/printer.h"

namespace berth::server {
namespace {

using Registry = std::map<std::pair<std::string_view, std::string_view>, const Printer*>;

Registry MakeRegistry() {
  Registry registry;
  for (const std::span<const Printer> family :
       {AccessPrinters(), AutoscalerPrinters(), BatchPrinters(), ConfigPrinters(), DefinitionPrinters(),
        DevicePrinters(), EventPrinters(), NetworkPrinters(), NodePrinters(), PodPrinters(), SchedulingPrinters(),
        StoragePrinters(), VolumePrinters(), WorkloadPrinters()}) {
    for (const Printer& printer : family) registry.emplace(std::pair(printer.group, printer.plural), &printer);
  }
  return registry;
}

Json::List DefaultCells(const Json& object, Time) {
  return Row(Name(object), TextOr(object["metadata"]["creationTimestamp"], "0001-01-01T00:00:00Z"));
}

}  // namespace

const Printer& FindPrinter(std::string_view group, std::string_view plural) {
  static const Registry kRegistry = MakeRegistry();
  static const Printer kDefault = {
      "", "", {kNameColumn, {"Created At", "date", 0, "", kCreationDescription}}, DefaultCells};
  const auto it = kRegistry.find({group, plural});
  return it == kRegistry.end() ? kDefault : *it->second;
}

}  // namespace berth::server
