// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/device_claims.h"

#include <map>
#include <set>
#include <string>

#include "api/selector.h"
#include "api/typed/typed.h"
#include "server/kinds/checks.h"

namespace berth::server {
namespace {

constexpr size_t kItemsMax = 32;
constexpr size_t kAlternativesMax = 8;
constexpr size_t kPoolLengthMax = 253;
constexpr size_t kExpressionLengthMax = 10240;

// The names of requests, each with those of its alternatives.
using RequestNames = std::map<std::string, std::set<std::string>>;

void DefaultRequest(Json& request) {
  if (request["allocationMode"].text().empty()) request.Set("allocationMode", "ExactCount");
  if (request["allocationMode"].text() == "ExactCount" && request["count"].IntOr(0) == 0) {
    request.Set("count", Json::Int(1));
  }
}

RequestNames GatherNames(const Json& requests) {
  RequestNames names;
  for (const Json& request : requests.items()) {
    std::set<std::string>& alternatives = names[request["name"].text()];
    for (const Json& each : request["firstAvailable"].items()) alternatives.insert(each["name"].text());
  }
  return names;
}

bool Has(const RequestNames& names, std::string_view reference) {
  const size_t slash = reference.find('/');
  const auto it = names.find(std::string(reference.substr(0, slash)));
  if (it == names.end()) return false;
  return slash == reference.npos || it->second.contains(std::string(reference.substr(slash + 1)));
}

void ValidateToleration(const Json& toleration, const FieldPath& path, FieldErrors& errors) {
  if (!toleration["key"].text().empty()) CheckQualifiedName(errors, path / "key", toleration["key"].text());
  const std::string& op = toleration["operator"].text();
  const std::string& value = toleration["value"].text();
  if (op == "Exists") {
    if (!value.empty()) errors.Invalid(path / "value", value, "must be empty for operator `Exists`");
  } else if (op == "Equal") {
    Report(errors, path / "value", value, api::ValidateLabelValue(value));
  } else {
    CheckEnum(errors, path, toleration, "operator", {"Equal", "Exists"});
  }
  if (!toleration["effect"].text().empty()) {
    CheckOneOf(errors, path / "effect", toleration["effect"].text(), {"NoExecute", "NoSchedule", "None"});
  }
}

// What a request and an alternative of one have in common.
void ValidateExact(const Json& request, const FieldPath& path, FieldErrors& errors) {
  const std::string& name = request["deviceClassName"].text();
  if (name.empty()) {
    errors.Required(path / "deviceClassName");
  } else {
    Report(errors, path / "deviceClassName", name, api::ValidateDnsSubdomain(name));
  }
  ValidateDeviceSelectors(request["selectors"], path / "selectors", errors);
  const std::string& mode = request["allocationMode"].text();
  const Json& count = request["count"];
  if (mode == "All") {
    if (count.IntOr(0) != 0) {
      errors.Invalid(path / "count", count, "must not be specified when allocationMode is 'All'");
    }
  } else if (mode == "ExactCount") {
    if (count.IntOr(0) <= 0) errors.Invalid(path / "count", count, "must be greater than zero");
  } else {
    errors.NotSupported(path / "allocationMode", mode, {"All", "ExactCount"});
  }
  const FieldPath tolerations_path = path / "tolerations";
  const Json& tolerations = request["tolerations"];
  for (size_t i = 0; i < tolerations.size(); ++i) ValidateToleration(tolerations[i], tolerations_path[i], errors);
}

// Names must be valid and differ.
void ValidateNames(const Json& items, const char* message_name, const FieldPath& path, FieldErrors& errors) {
  std::set<std::string> seen;
  for (size_t i = 0; i < items.size(); ++i) {
    const std::string& name = items[i]["name"].text();
    if (seen.insert(name).second) continue;
    const std::string text = EncodeJson(items[i], *api::wire::FindMessage(message_name));
    errors.Add({"FieldValueDuplicate", "Duplicate value: " + text, path[i]});
  }
}

void CheckItemName(const Json& item, const FieldPath& path, FieldErrors& errors) {
  const std::string& name = item["name"].text();
  Report(errors, path / "name", name, CheckDnsLabel(name));
}

void ValidateAlternatives(const Json& alternatives, const FieldPath& path, FieldErrors& errors) {
  if (alternatives.size() > kAlternativesMax) return errors.TooMany(path, alternatives.size(), kAlternativesMax);
  ValidateNames(alternatives, "io.k8s.api.resource.v1.DeviceSubRequest", path, errors);
  for (size_t i = 0; i < alternatives.size(); ++i) {
    CheckItemName(alternatives[i], path[i], errors);
    ValidateExact(alternatives[i], path[i], errors);
  }
}

void ValidateRequest(const Json& request, const FieldPath& path, FieldErrors& errors) {
  const Json& alternatives = request["firstAvailable"];
  if (request.Has("exactly") && !alternatives.empty()) {
    errors.Invalid(path, Json(),
                   "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set");
  } else if (request.Has("exactly")) {
    ValidateExact(request["exactly"], path / "exactly", errors);
  } else if (alternatives.empty()) {
    errors.Required(path, "exactly one of `exactly` or `firstAvailable` is required");
  } else {
    ValidateAlternatives(alternatives, path / "firstAvailable", errors);
  }
}

void ValidateRequests(const Json& requests, const FieldPath& path, FieldErrors& errors) {
  if (requests.size() > kItemsMax) return errors.TooMany(path, requests.size(), kItemsMax);
  for (size_t i = 0; i < requests.size(); ++i) {
    CheckItemName(requests[i], path[i], errors);
    ValidateRequest(requests[i], path[i], errors);
  }
  ValidateNames(requests, "io.k8s.api.resource.v1.DeviceRequest", path, errors);
}

void ValidateReferences(const Json& references, const RequestNames& names, const FieldPath& path, FieldErrors& errors) {
  std::set<std::string> seen;
  for (size_t i = 0; i < references.size(); ++i) {
    const std::string& reference = references[i].text();
    if (!Has(names, reference)) {
      errors.Invalid(path[i], reference,
                     "must be the name of a request in the claim or the name of a request and a "
                     "subrequest separated by '/'");
    }
    if (!seen.insert(reference).second) errors.Duplicate(path[i], reference);
  }
}

}  // namespace

void DefaultDeviceClaim(Json& spec) {
  Json* requests = spec.Make("devices").Find("requests");
  if (requests == nullptr || !requests->is_list()) return;
  for (Json& request : requests->mutable_items()) {
    if (Json* exact = request.Find("exactly")) DefaultRequest(*exact);
    if (Json* alternatives = request.Find("firstAvailable"); alternatives != nullptr && alternatives->is_list()) {
      for (Json& each : alternatives->mutable_items()) DefaultRequest(each);
    }
  }
}

void ValidateDeviceClaim(const Json& spec, const FieldPath& spec_path, FieldErrors& errors) {
  const FieldPath path = spec_path / "devices";
  const Json& devices = spec["devices"];
  const RequestNames names = GatherNames(devices["requests"]);
  ValidateRequests(devices["requests"], path / "requests", errors);
  const FieldPath constraints_path = path / "constraints";
  const Json& constraints = devices["constraints"];
  for (size_t i = 0; i < constraints.size(); ++i) {
    const FieldPath at = constraints_path[i];
    ValidateReferences(constraints[i]["requests"], names, at / "requests", errors);
    if (!constraints[i].Has("matchAttribute") && !constraints[i].Has("distinctAttribute")) {
      errors.Required(
          at, R"(exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set)");
    }
  }
  const FieldPath config_path = path / "config";
  const Json& config = devices["config"];
  for (size_t i = 0; i < config.size(); ++i) {
    const FieldPath at = config_path[i];
    ValidateReferences(config[i]["requests"], names, at / "requests", errors);
    if (!config[i].Has("opaque")) errors.Required(at / "opaque");
  }
}

void ValidateDeviceSelectors(const Json& selectors, const FieldPath& path, FieldErrors& errors) {
  if (selectors.size() > kItemsMax) return errors.TooMany(path, selectors.size(), kItemsMax);
  for (size_t i = 0; i < selectors.size(); ++i) {
    const FieldPath at = path[i];
    if (!selectors[i].Has("cel")) {
      errors.Required(at / "cel");
    } else if (selectors[i]["cel"]["expression"].text().size() > kExpressionLengthMax) {
      errors.TooLong(std::string(at) + ".cel.expression", kExpressionLengthMax);
    }
  }
}

void ValidateDeviceTaint(const Json& taint, bool is_effect_new, const FieldPath& path, FieldErrors& errors) {
  CheckQualifiedName(errors, path / "key", taint["key"].text());
  const std::string& value = taint["value"].text();
  if (!value.empty()) Report(errors, path / "value", value, api::ValidateLabelValue(value));
  if (is_effect_new) CheckEnum(errors, path, taint, "effect", {"NoExecute", "NoSchedule", "None"});
}

void CheckPoolName(FieldErrors& errors, const FieldPath& path, std::string_view name) {
  if (name.empty()) return errors.Required(path);
  if (name.size() > kPoolLengthMax) errors.TooLong(path, kPoolLengthMax);
  for (;;) {
    const size_t slash = name.find('/');
    const std::string_view part = name.substr(0, slash);
    Report(errors, path, part, api::ValidateDnsSubdomain(part));
    if (slash == name.npos) return;
    name.remove_prefix(slash + 1);
  }
}

}  // namespace berth::server
