// SPDX-License-Identifier: Apache-2.0
// Printer: the columns in which kubectl shows the objects of a kind, and how their cells are computed.
//
// A printer file covers a family of kinds and is listed in registry.cc. Cells agree with upstream's to the letter,
// since kubectl shows them as they come.
//
// Thread: any; printers are constant.

#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "server/model/json.h"

namespace berth::server {

struct Column {
  std::string_view name;
  std::string_view type = "string";
  int priority = 0;  // 1: shown only with -o wide.
  std::string_view format = {};
  std::string_view description = {};
};

struct Printer {
  std::string_view group;
  std::string_view plural;
  std::vector<Column> columns;
  // As many as there are columns.
  std::function<Json::List(const Json& object, Time now)> cells;
};

// The families.
std::span<const Printer> AccessPrinters();
std::span<const Printer> AutoscalerPrinters();
std::span<const Printer> BatchPrinters();
std::span<const Printer> ConfigPrinters();
std::span<const Printer> DefinitionPrinters();
std::span<const Printer> DevicePrinters();
std::span<const Printer> EventPrinters();
std::span<const Printer> NetworkPrinters();
std::span<const Printer> NodePrinters();
std::span<const Printer> PodPrinters();
std::span<const Printer> SchedulingPrinters();
std::span<const Printer> StoragePrinters();
std::span<const Printer> VolumePrinters();
std::span<const Printer> WorkloadPrinters();

// The printer of a resource; one with the name and the time of creation for kinds that have none of their own.
const Printer& FindPrinter(std::string_view group, std::string_view plural);

// What the API says of the fields that most tables show.
inline constexpr std::string_view kNameDescription =
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a "
    "client to request the generation of an appropriate name automatically. Name is primarily intended for creation "
    "idempotence and configuration definition. Cannot be updated. More info: "
    "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";
inline constexpr std::string_view kCreationDescription =
    "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed "
    "to be set in happens-before order across separate operations. Clients may not set this value. It is represented "
    "in "
    "RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

inline constexpr Column kNameColumn{"Name", "string", 0, "name", kNameDescription};
inline constexpr Column kAgeColumn{"Age"};

}  // namespace berth::server
