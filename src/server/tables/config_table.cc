// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "server/tables/cells.h"
#include "server/tables/printer.h"

namespace berth::server {
namespace {

Json::List NamespaceCells(const Json& object, Time now) {
  return Row(Name(object), object["status"]["phase"], Age(object, now));
}

Json::List ConfigMapCells(const Json& object, Time now) {
  const size_t count = object["data"].size() + object["binaryData"].size();
  return Row(Name(object), static_cast<int64_t>(count), Age(object, now));
}

Json::List SecretCells(const Json& object, Time now) {
  return Row(Name(object), object["type"], static_cast<int64_t>(object["data"].size()), Age(object, now));
}

Json::List ServiceAccountCells(const Json& object, Time now) { return Row(Name(object), Age(object, now)); }

// What is used of what is granted: `cpu: 1/4, pods: 2/10`, limits apart.
Json::List QuotaCells(const Json& object, Time now) {
  const Json& status = object["status"];
  std::vector<std::string> requests;
  std::vector<std::string> limits;
  for (const auto& [resource, hard] : status["hard"].members()) {
    std::string part = fmt::format("{}: {}/{}", resource, TextOr(status["used"][resource], "0"), hard.text());
    (resource.starts_with("limits.") ? limits : requests).push_back(std::move(part));
  }
  return Row(Name(object), Join(requests, ", "), Join(limits, ", "), Age(object, now));
}

Json::List LeaseCells(const Json& object, Time now) {
  return Row(Name(object), object["spec"]["holderIdentity"], Age(object, now));
}

Json::List RuntimeClassCells(const Json& object, Time now) {
  return Row(Name(object), object["handler"], Age(object, now));
}

Json::List ApiServiceCells(const Json& object, Time now) {
  const Json& service = object["spec"]["service"];
  const Json& available = FindCondition(object["status"]["conditions"], "Available");
  const std::string status = TextOr(available["status"], "Unknown");
  const std::string& reason = available["reason"].text();
  return Row(Name(object),
             service.is_map() ? fmt::format("{}/{}", service["namespace"].text(), service["name"].text()) : "Local",
             status == "True" || reason.empty() ? status : fmt::format("{} ({})", status, reason), Age(object, now));
}

}  // namespace

std::span<const Printer> ConfigPrinters() {
  static const std::vector<Printer> kPrinters = {
      {"", "namespaces", {kNameColumn, {"Status"}, kAgeColumn}, NamespaceCells},
      {"", "configmaps", {kNameColumn, {"Data"}, kAgeColumn}, ConfigMapCells},
      {"", "secrets", {kNameColumn, {"Type"}, {"Data"}, kAgeColumn}, SecretCells},
      {"", "serviceaccounts", {kNameColumn, kAgeColumn}, ServiceAccountCells},
      {"", "resourcequotas", {kNameColumn, {"Request"}, {"Limit"}, kAgeColumn}, QuotaCells},
      {"apiregistration.k8s.io", "apiservices", {kNameColumn, {"Service"}, {"Available"}, kAgeColumn}, ApiServiceCells},
      {"coordination.k8s.io", "leases", {kNameColumn, {"Holder"}, kAgeColumn}, LeaseCells},
      {"node.k8s.io", "runtimeclasses", {kNameColumn, {"Handler"}, kAgeColumn}, RuntimeClassCells},
  };
  return kPrinters;
}

}  // namespace berth::server
