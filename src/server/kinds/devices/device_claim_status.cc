// SPDX-License-Identifier: Apache-2.0
// The status of claims: which devices they were given, for whom these are reserved, what their drivers say about them.
#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "api/typed/typed.h"
#include "server/kinds/conditions.h"
#include "server/kinds/devices/device_claims.h"
#include "server/kinds/devices/request_names.h"
#include "server/kinds/network/network_rules.h"
#include "server/kinds/pods/pod_affinity.h"
#include "server/kinds/storage/persistent_volume.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr size_t kConsumersMax = 256;
constexpr size_t kResultsMax = 32;
constexpr size_t kResultConfigsMax = 64;
constexpr size_t kDeviceConditionsMax = 8;
constexpr size_t kInterfaceNameMax = 256;
constexpr size_t kHardwareAddressMax = 128;
constexpr size_t kAddressesMax = 16;

using DeviceKey = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;

// Of a result of an allocation, or of a device that has a status.
DeviceKey KeyOf(const Json& device) {
  return {device["driver"].text(), device["pool"].text(), device["device"].text(), device["shareID"].text()};
}

std::string DuplicateText(const Json& item, const char* message) {
  return "Duplicate value: " + EncodeJson(item, *api::wire::FindMessage(message));
}

void ValidateConsumers(const Json& consumers, DeviceErrors& errors) {
  const FieldPath path = kStatus / "reservedFor";
  if (!CheckCount(errors.declared, path, consumers.size(), kConsumersMax)) return;
  std::set<std::string_view> seen;
  for (size_t i = 0; i < consumers.size(); ++i) {
    for (const std::string_view name : {"resource", "name", "uid"}) {
      Require(errors.written, path[i], consumers[i], name);
    }
    if (seen.insert(consumers[i]["uid"].text()).second) continue;
    constexpr const char* kMessage = "io.k8s.api.resource.v1.ResourceClaimConsumerReference";
    errors.declared.Add({"FieldValueDuplicate", DuplicateText(consumers[i], kMessage), path[i]});
  }
}

void ValidateNetworkData(const Json& data, const FieldPath& path, DeviceErrors& errors) {
  if (data["interfaceName"].text().size() > kInterfaceNameMax) {
    errors.declared.TooLong(path / "interfaceName", kInterfaceNameMax);
  }
  const FieldPath ips_path = path / "ips";
  const Json& ips = data["ips"];
  if (CheckCount(errors.declared, ips_path, ips.size(), kAddressesMax)) {
    std::set<std::string_view> seen;
    for (size_t i = 0; i < ips.size(); ++i) {
      Report(errors.written, ips_path[i], ips[i].text(), CheckInterfaceAddress(ips[i].text()));
      if (!seen.insert(ips[i].text()).second) errors.declared.Duplicate(ips_path[i], ips[i]);
    }
  }
  if (data["hardwareAddress"].text().size() > kHardwareAddressMax) {
    errors.declared.TooLong(path / "hardwareAddress", kHardwareAddressMax);
  }
}

void ValidateDeviceStatus(const Json& device, const std::set<DeviceKey>& allocated, const FieldPath& path,
                          DeviceErrors& errors) {
  CheckDriverName(errors.written, path / "driver", device["driver"].text());
  CheckPoolName(errors.written, path / "pool", device["pool"].text());
  Report(errors.written, path / "device", device["device"].text(), CheckDnsLabel(device["device"].text()));
  if (device.Has("shareID")) CheckShareId(errors.declared, path / "shareID", device["shareID"].text());
  if (!allocated.contains(KeyOf(device))) {
    // Upstream shows its own type.
    const auto quoted = [&](const char* name) { return Json::String(device[name].text()).ToText(); };
    errors.written.Add({"FieldValueInvalid",
                        "Invalid value: {\"Driver\":" + quoted("driver") + ",\"Pool\":" + quoted("pool") +
                            ",\"Device\":" + quoted("device") + ",\"ShareID\":" + quoted("shareID") +
                            "}: must be an allocated device in the claim",
                        path});
  }
  const FieldPath conditions_path = path / "conditions";
  CheckCount(errors.written, conditions_path, device["conditions"].size(), kDeviceConditionsMax);
  ValidateConditions(device["conditions"], conditions_path, errors.written);
  if (device.Has("data")) ValidateOpaque(device["data"], false, path / "data", errors.written);
  ValidateNetworkData(device["networkData"], path / "networkData", errors);
}

void ValidateDeviceStatuses(const Json& status, DeviceErrors& errors) {
  std::set<DeviceKey> allocated;
  for (const Json& result : status["allocation"]["devices"]["results"].items()) allocated.insert(KeyOf(result));
  const FieldPath path = kStatus / "devices";
  const Json& devices = status["devices"];
  std::set<DeviceKey> seen;
  for (size_t i = 0; i < devices.size(); ++i) {
    if (!seen.insert(KeyOf(devices[i])).second) {
      constexpr const char* kMessage = "io.k8s.api.resource.v1.AllocatedDeviceStatus";
      errors.declared.Add({"FieldValueDuplicate", DuplicateText(devices[i], kMessage), path[i]});
    }
  }
  for (size_t i = 0; i < devices.size(); ++i) ValidateDeviceStatus(devices[i], allocated, path[i], errors);
}

void ValidateResult(const Json& result, const RequestNames& names, const FieldPath& path, DeviceErrors& errors) {
  names.ValidateReference(result["request"].text(), path / "request", errors.written);
  CheckDeclaredDriverName(errors.declared, path / "driver", result["driver"].text());
  CheckDeclaredPoolName(errors.declared, path / "pool", result["pool"].text());
  Report(errors.written, path / "device", result["device"].text(), CheckDnsLabel(result["device"].text()));
  ValidateBindingConditions(result, path, errors);
  ValidateDeviceTolerations(result["tolerations"], path / "tolerations", errors);
  if (result.Has("shareID")) CheckShareId(errors.declared, path / "shareID", result["shareID"].text());
}

void ValidateAllocation(const Json& allocation, const RequestNames& names, DeviceErrors& errors) {
  const FieldPath path = kStatus / "allocation";
  const FieldPath devices_path = path / "devices";
  const FieldPath results_path = devices_path / "results";
  const Json& results = allocation["devices"]["results"];
  if (CheckCount(errors.declared, results_path, results.size(), kResultsMax)) {
    for (size_t i = 0; i < results.size(); ++i) ValidateResult(results[i], names, results_path[i], errors);
  }
  const FieldPath config_path = devices_path / "config";
  const Json& config = allocation["devices"]["config"];
  if (CheckCount(errors.declared, config_path, config.size(), kResultConfigsMax)) {
    for (size_t i = 0; i < config.size(); ++i) {
      const FieldPath at = config_path[i];
      CheckEnum(errors.declared, at, config[i], "source", {"FromClaim", "FromClass"});
      names.ValidateReferences(config[i]["requests"], at / "requests", errors);
      ValidateDeviceConfig(config[i], false, at, errors);
    }
  }
  if (const Json* selector = allocation.Find("nodeSelector")) {
    ValidateNodeSelectorTerms(*selector, path / "nodeSelector", errors.written);
  }
}

bool HasNewConsumer(const Json& status, const Json& old) {
  return std::ranges::any_of(status["reservedFor"].items(), [&](const Json& consumer) {
    return std::ranges::find(old["reservedFor"].items(), consumer) == old["reservedFor"].items().end();
  });
}

}  // namespace

void ValidateClaimStatus(const Json& claim, const Json& old_status, FieldErrors& errors) {
  const Json& status = claim["status"];
  const Json* allocation = status.Find("allocation");
  DeviceErrors about_consumers;
  DeviceErrors about_devices;
  DeviceErrors about_allocation;
  ValidateConsumers(status["reservedFor"], about_consumers);
  ValidateDeviceStatuses(status, about_devices);
  if (!status["reservedFor"].empty()) {
    if (allocation == nullptr) {
      about_devices.written.Forbidden(kStatus / "reservedFor", "may not be specified when `allocated` is not set");
    } else if (claim["metadata"].Has("deletionTimestamp") && HasNewConsumer(status, old_status)) {
      about_devices.written.Forbidden(
          kStatus / "reservedFor",
          "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set");
    }
  }
  const Json* old_allocation = old_status.Find("allocation");
  if (allocation != nullptr && old_allocation == nullptr) {
    ValidateAllocation(*allocation, RequestNames(claim["spec"]["devices"]["requests"]), about_allocation);
  } else if (allocation != nullptr && *allocation != *old_allocation) {
    about_allocation.declared.Invalid(kStatus / "allocation", Json(), "field cannot be modified once set");
  }

  const auto add = [&](FieldErrors& part) {
    for (FieldError& error : part.Take()) errors.Add(std::move(error));
  };
  for (DeviceErrors* part : {&about_consumers, &about_devices, &about_allocation}) add(part->written);
  for (DeviceErrors* part : {&about_allocation, &about_consumers, &about_devices}) add(part->declared);
}

}  // namespace berth::server
