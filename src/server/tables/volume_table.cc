// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "server/store/storage_class.h"
#include "server/tables/cells.h"
#include "server/tables/printer.h"

namespace berth::server {
namespace {

constexpr std::string_view kUnset = "<unset>";

std::string AccessModes(const Json& modes) {
  static constexpr std::pair<std::string_view, std::string_view> kShort[] = {
      {"ReadWriteOnce", "RWO"}, {"ReadOnlyMany", "ROX"}, {"ReadWriteMany", "RWX"}, {"ReadWriteOncePod", "RWOP"}};
  std::vector<std::string> parts;
  for (const auto& [mode, abbreviation] : kShort) {
    if (std::ranges::any_of(modes.items(), [&](const Json& item) { return item.text() == mode; })) {
      parts.emplace_back(abbreviation);
    }
  }
  return Join(parts);
}

std::string Phase(const Json& object) { return IsDeleted(object) ? "Terminating" : object["status"]["phase"].text(); }

// Absent differs from empty.
std::string TextIfSet(const Json& text) { return text.is_string() ? text.text() : std::string(kUnset); }

Json::List VolumeCells(const Json& volume, Time now) {
  const Json& spec = volume["spec"];
  const Json& claim = spec["claimRef"];
  return Row(Name(volume), TextOr(spec["capacity"]["storage"], "0"), AccessModes(spec["accessModes"]),
             spec["persistentVolumeReclaimPolicy"], Phase(volume),
             claim.is_map() ? claim["namespace"].text() + '/' + claim["name"].text() : std::string(), ClassOf(volume),
             TextIfSet(spec["volumeAttributesClassName"]), volume["status"]["reason"], Age(volume, now),
             TextIfSet(spec["volumeMode"]));
}

Json::List ClaimCells(const Json& claim, Time now) {
  const Json& spec = claim["spec"];
  const Json& status = claim["status"];
  const bool is_bound = !spec["volumeName"].text().empty();
  return Row(Name(claim), Phase(claim), spec["volumeName"],
             is_bound ? TextOr(status["capacity"]["storage"], "0") : std::string(),
             is_bound ? AccessModes(status["accessModes"]) : std::string(), ClassOf(claim),
             TextIfSet(spec["volumeAttributesClassName"]), Age(claim, now), TextIfSet(spec["volumeMode"]));
}

}  // namespace

std::span<const Printer> VolumePrinters() {
  static const std::vector<Printer> kPrinters = {
      {"",
       "persistentvolumes",
       {kNameColumn,
        {"Capacity"},
        {"Access Modes"},
        {"Reclaim Policy"},
        {"Status"},
        {"Claim"},
        {"StorageClass"},
        {"VolumeAttributesClass"},
        {"Reason"},
        kAgeColumn,
        {"VolumeMode", "string", 1}},
       VolumeCells},
      {"",
       "persistentvolumeclaims",
       {kNameColumn,
        {"Status"},
        {"Volume"},
        {"Capacity"},
        {"Access Modes"},
        {"StorageClass"},
        {"VolumeAttributesClass"},
        kAgeColumn,
        {"VolumeMode", "string", 1}},
       ClaimCells},
  };
  return kPrinters;
}

}  // namespace berth::server
