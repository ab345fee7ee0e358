// SPDX-License-Identifier: Apache-2.0
#include "server/tables/cells.h"
#include "server/tables/printer.h"

namespace berth::server {
namespace {

constexpr std::string_view kAccessGroup = "rbac.authorization.k8s.io";

Json::List BindingCells(const Json& object, Time now) {
  std::vector<std::string> users;
  std::vector<std::string> groups;
  std::vector<std::string> accounts;
  for (const Json& subject : object["subjects"].items()) {
    const std::string& kind = subject["kind"].text();
    const std::string& name = subject["name"].text();
    if (kind == "User") users.push_back(name);
    if (kind == "Group") groups.push_back(name);
    if (kind == "ServiceAccount") accounts.push_back(subject["namespace"].text() + '/' + name);
  }
  const Json& role = object["roleRef"];
  return Row(Name(object), role["kind"].text() + '/' + role["name"].text(), Age(object, now), Join(users, ", "),
             Join(groups, ", "), Join(accounts, ", "));
}

std::string RequestStatus(const Json& status) {
  const auto has = [&](std::string_view type) { return !FindCondition(status["conditions"], type).is_null(); };
  std::string text = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  if (has("Failed")) text += ",Failed";
  if (!status["certificate"].text().empty()) text += ",Issued";
  return text;
}

Json::List SigningRequestCells(const Json& object, Time now) {
  const Json& spec = object["spec"];
  const auto seconds = spec["expirationSeconds"].AsInt();
  return Row(Name(object), Age(object, now), TextOr(spec["signerName"], "<none>"), spec["username"],
             seconds ? HumanDuration(Seconds(*seconds)) : "<none>", RequestStatus(object["status"]));
}

Json::List TrustBundleCells(const Json& object, Time) {
  return Row(Name(object), TextOr(object["spec"]["signerName"], "<none>"));
}

}  // namespace

std::span<const Printer> AccessPrinters() {
  static const std::vector<Column> kBinding = {kNameColumn,
                                               {"Role"},
                                               kAgeColumn,
                                               {"Users", "string", 1},
                                               {"Groups", "string", 1},
                                               {"ServiceAccounts", "string", 1}};
  static const std::vector<Printer> kPrinters = {
      {kAccessGroup, "rolebindings", kBinding, BindingCells},
      {kAccessGroup, "clusterrolebindings", kBinding, BindingCells},
      {"certificates.k8s.io",
       "certificatesigningrequests",
       {kNameColumn, kAgeColumn, {"SignerName"}, {"Requestor"}, {"RequestedDuration"}, {"Condition"}},
       SigningRequestCells},
      {"certificates.k8s.io", "clustertrustbundles", {kNameColumn, {"SignerName"}}, TrustBundleCells},
  };
  return kPrinters;
}

}  // namespace berth::server
