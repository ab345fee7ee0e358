// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/devices/device_claims.h"

#include <set>
#include <string>

#include "api/parts/selector.h"
#include "api/typed/typed.h"
#include "server/kinds/devices/request_names.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr size_t kItemsMax = 32;
constexpr size_t kAlternativesMax = 8;

void DefaultTolerations(Json& object) {
  Json* tolerations = object.Find("tolerations");
  if (tolerations == nullptr || !tolerations->is_list()) return;
  for (Json& each : tolerations->mutable_items()) {
    if (each["operator"].text().empty()) each.Set("operator", "Equal");
  }
}

void DefaultRequest(Json& request) {
  if (request["allocationMode"].text().empty()) request.Set("allocationMode", "ExactCount");
  if (request["allocationMode"].text() == "ExactCount" && request["count"].IntOr(0) == 0) {
    request.Set("count", Json::Int(1));
  }
  DefaultTolerations(request);
}

// Calls `change` for each request and each alternative of one.
template <typename Change>
void ForEachRequest(Json& spec, Change change) {
  Json* requests = spec.Make("devices").Find("requests");
  if (requests == nullptr || !requests->is_list()) return;
  for (Json& request : requests->mutable_items()) {
    if (Json* exact = request.Find("exactly")) change(*exact);
    if (Json* alternatives = request.Find("firstAvailable"); alternatives != nullptr && alternatives->is_list()) {
      for (Json& each : alternatives->mutable_items()) change(each);
    }
  }
}

// What a request and an alternative of one have in common, but for the class.
void ValidateWanted(const Json& request, const FieldPath& path, DeviceErrors& errors) {
  ValidateDeviceSelectors(request["selectors"], false, path / "selectors", errors);
  const std::string& mode = request["allocationMode"].text();
  const Json& count = request["count"];
  if (mode == "All") {
    if (count.IntOr(0) != 0) {
      errors.written.Invalid(path / "count", count, "must not be specified when allocationMode is 'All'");
    }
  } else if (mode == "ExactCount") {
    if (count.IntOr(0) <= 0) errors.written.Invalid(path / "count", count, "must be greater than zero");
  } else {
    errors.declared.NotSupported(path / "allocationMode", mode, {"All", "ExactCount"});
  }
  ValidateDeviceTolerations(request["tolerations"], path / "tolerations", errors);
}

void CheckClass(FieldErrors& errors, const FieldPath& request_path, const Json& request) {
  if (!Require(errors, request_path, request, "deviceClassName")) return;
  const std::string& name = request["deviceClassName"].text();
  Report(errors, request_path / "deviceClassName", name, api::ValidateDnsSubdomain(name));
}

// Names of requests or alternatives must differ.
void CheckDistinctNames(const Json& items, const char* message_name, const FieldPath& path, FieldErrors& errors) {
  std::set<std::string_view> seen;
  for (size_t i = 0; i < items.size(); ++i) {
    if (seen.insert(items[i]["name"].text()).second) continue;
    const std::string text = EncodeJson(items[i], *api::wire::FindMessage(message_name));
    errors.Add({"FieldValueDuplicate", "Duplicate value: " + text, path[i]});
  }
}

void CheckRequestName(const Json& item, const FieldPath& path, FieldErrors& errors) {
  const std::string& name = item["name"].text();
  Report(errors, path / "name", name, CheckDnsLabel(name));
}

void ValidateAlternatives(const Json& alternatives, const FieldPath& path, DeviceErrors& errors) {
  if (!CheckCount(errors.declared, path, alternatives.size(), kAlternativesMax)) return;
  CheckDistinctNames(alternatives, "io.k8s.api.resource.v1.DeviceSubRequest", path, errors.declared);
  for (size_t i = 0; i < alternatives.size(); ++i) {
    CheckRequestName(alternatives[i], path[i], errors.written);
    CheckClass(errors.declared, path[i], alternatives[i]);
    ValidateWanted(alternatives[i], path[i], errors);
  }
}

void ValidateRequest(const Json& request, const FieldPath& path, DeviceErrors& errors) {
  CheckRequestName(request, path, errors.written);
  const Json& alternatives = request["firstAvailable"];
  if (request.Has("exactly") && !alternatives.empty()) {
    errors.written.Invalid(path, Json(),
                           "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set");
  } else if (request.Has("exactly")) {
    const FieldPath at = path / "exactly";
    CheckClass(errors.written, at, request["exactly"]);
    ValidateWanted(request["exactly"], at, errors);
  } else if (alternatives.empty()) {
    errors.written.Required(path, "exactly one of `exactly` or `firstAvailable` is required");
  } else {
    ValidateAlternatives(alternatives, path / "firstAvailable", errors);
  }
}

void ValidateRequests(const Json& requests, const FieldPath& path, DeviceErrors& errors) {
  if (!CheckCount(errors.declared, path, requests.size(), kItemsMax)) return;
  CheckDistinctNames(requests, "io.k8s.api.resource.v1.DeviceRequest", path, errors.declared);
  for (size_t i = 0; i < requests.size(); ++i) ValidateRequest(requests[i], path[i], errors);
}

void ValidateConstraints(const Json& constraints, const RequestNames& names, const FieldPath& path,
                         DeviceErrors& errors) {
  if (!CheckCount(errors.declared, path, constraints.size(), kItemsMax)) return;
  for (size_t i = 0; i < constraints.size(); ++i) {
    const FieldPath at = path[i];
    names.ValidateReferences(constraints[i]["requests"], at / "requests", errors);
    const Json* match = constraints[i].Find("matchAttribute");
    const Json* distinct = constraints[i].Find("distinctAttribute");
    if (match == nullptr && distinct == nullptr) {
      errors.written.Required(
          at, R"(exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set)");
    }
    if (match != nullptr) CheckFullAttributeName(errors.declared, at / "matchAttribute", match->text());
    if (distinct != nullptr) CheckFullAttributeName(errors.declared, at / "distinctAttribute", distinct->text());
  }
}

}  // namespace

void DefaultDeviceClaim(Json& spec) { ForEachRequest(spec, DefaultRequest); }

void DefaultAllocation(Json& claim) {
  if (!claim["status"]["allocation"]["devices"]["results"].is_list()) return;
  for (Json& result : claim.Make({"status", "allocation", "devices", "results"}).mutable_items()) {
    DefaultTolerations(result);
  }
}

void DropDisabledOfClaim(Json& spec, const Json& old) {
  bool is_used = false;
  if (!old.is_null()) {
    Json copy = old;
    ForEachRequest(copy, [&](Json& request) { is_used |= request.Has("derivedAttributes"); });
  }
  if (!is_used) ForEachRequest(spec, [](Json& request) { request.Erase("derivedAttributes"); });
}

void ValidateDeviceClaim(const Json& spec, const FieldPath& spec_path, DeviceErrors& errors) {
  const FieldPath path = spec_path / "devices";
  const Json& devices = spec["devices"];
  const RequestNames names(devices["requests"]);
  ValidateRequests(devices["requests"], path / "requests", errors);
  ValidateConstraints(devices["constraints"], names, path / "constraints", errors);
  const FieldPath config_path = path / "config";
  const Json& config = devices["config"];
  if (!CheckCount(errors.declared, config_path, config.size(), kItemsMax)) return;
  for (size_t i = 0; i < config.size(); ++i) {
    const FieldPath at = config_path[i];
    names.ValidateReferences(config[i]["requests"], at / "requests", errors);
    ValidateDeviceConfig(config[i], false, at, errors);
  }
}

}  // namespace berth::server
