// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>

#include "base/ascii.h"
#include "server/tables/cells.h"
#include "server/tables/printer.h"

namespace berth::server {
namespace {

constexpr std::string_view kNetworkGroup = "networking.k8s.io";
constexpr size_t kPartsMax = 3;

// Addresses, or names where there are none, sorted.
std::string LoadBalancer(const Json& object) {
  std::set<std::string> addresses;
  for (const Json& ingress : object["status"]["loadBalancer"]["ingress"].items()) {
    std::string address = TextOr(ingress["ip"], ingress["hostname"].text());
    if (!address.empty()) addresses.insert(std::move(address));
  }
  return Join({addresses.begin(), addresses.end()});
}

std::string ExternalAddress(const Json& service) {
  const Json& spec = service["spec"];
  const std::string& type = spec["type"].text();
  if (type == "ExternalName") return spec["externalName"].text();
  const std::string own = JoinTexts(spec["externalIPs"]);
  if (type == "ClusterIP" || type == "NodePort") return own.empty() ? std::string(kNothing) : own;
  if (type != "LoadBalancer") return "<unknown>";
  std::string addresses = LoadBalancer(service);
  if (!addresses.empty() && !own.empty()) addresses += ',';
  addresses += own;
  return addresses.empty() ? "<pending>" : addresses;
}

std::string ServicePorts(const Json& ports) {
  std::vector<std::string> parts;
  for (const Json& port : ports.items()) {
    std::string part = fmt::to_string(port["port"].IntOr(0));
    if (const int64_t node_port = port["nodePort"].IntOr(0); node_port > 0) part += fmt::format(":{}", node_port);
    parts.push_back(part + '/' + port["protocol"].text());
  }
  return parts.empty() ? std::string(kNothing) : Join(parts);
}

Json::List ServiceCells(const Json& service, Time now) {
  const Json& spec = service["spec"];
  return Row(Name(service), spec["type"],
             spec["clusterIPs"].empty() ? std::string(kNothing) : spec["clusterIPs"][size_t{0}].text(),
             ExternalAddress(service), ServicePorts(spec["ports"]), Age(service, now), FormatLabels(spec["selector"]));
}

std::string HostPort(const std::string& host, int64_t port) {
  return host.find(':') == host.npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

Json::List EndpointsCells(const Json& object, Time now) {
  std::vector<std::string> endpoints;
  for (const Json& subset : object["subsets"].items()) {
    const Json::List& addresses = subset["addresses"].items();
    for (const Json& port : subset["ports"].items()) {
      for (const Json& address : addresses) {
        endpoints.push_back(HostPort(address["ip"].text(), port["port"].IntOr(0)));
      }
    }
    if (!subset["ports"].empty()) continue;
    for (const Json& address : addresses) endpoints.push_back(address["ip"].text());
  }
  const std::string_view none = object["subsets"].empty() ? kNothing : "";
  return Row(Name(object), JoinSome(endpoints, kPartsMax, none), Age(object, now));
}

Json::List EndpointSliceCells(const Json& object, Time now) {
  std::vector<std::string> ports;
  for (const Json& port : object["ports"].items()) {
    const Json& shown = port.Has("port") ? port["port"] : port["name"];
    ports.push_back(shown.is_null() ? "*" : shown.text());
  }
  std::vector<std::string> addresses;
  for (const Json& endpoint : object["endpoints"].items()) {
    for (const Json& address : endpoint["addresses"].items()) addresses.push_back(address.text());
  }
  const auto join = [](const std::vector<std::string>& parts) {
    std::string joined = JoinSome(parts, kPartsMax, "");
    return joined.empty() ? "<unset>" : joined;
  };
  return Row(Name(object), object["addressType"], join(ports), join(addresses), Age(object, now));
}

// Upstream counts the rules beyond the third as hidden hosts, whether they have one or not.
std::string Hosts(const Json& rules) {
  std::vector<std::string> hosts;
  bool has_more = false;
  for (const Json& rule : rules.items()) {
    has_more = has_more || hosts.size() == kPartsMax;
    if (!has_more && !rule["host"].text().empty()) hosts.push_back(rule["host"].text());
  }
  if (hosts.empty()) return "*";
  return has_more ? fmt::format("{} + {} more...", Join(hosts), rules.size() - kPartsMax) : Join(hosts);
}

Json::List IngressCells(const Json& object, Time now) {
  const Json& spec = object["spec"];
  const Json& ingress_class = spec["ingressClassName"];
  return Row(Name(object), ingress_class.is_string() ? ingress_class.text() : std::string(kNothing),
             Hosts(spec["rules"]), LoadBalancer(object), spec["tls"].empty() ? "80" : "80, 443", Age(object, now));
}

Json::List IngressClassCells(const Json& object, Time now) {
  std::string name = Name(object);
  const Json& annotations = object["metadata"]["annotations"];
  if (annotations["ingressclass.kubernetes.io/is-default-class"].text() == "true") name += " (default)";
  const Json& target = object["spec"]["parameters"];
  std::string parameters(kNothing);
  if (target.is_map()) {
    parameters = target["kind"].text();
    if (target.Has("apiGroup")) parameters += '.' + target["apiGroup"].text();
    parameters += '/' + target["name"].text();
  }
  return Row(name, object["spec"]["controller"], parameters, Age(object, now));
}

Json::List NetworkPolicyCells(const Json& object, Time now) {
  static const Json kEverything = Json::MakeMap();
  const Json& selector = object["spec"]["podSelector"];
  return Row(Name(object), FormatSelector(selector.is_map() ? selector : kEverything), Age(object, now));
}

// Upstream has a cell more than columns; kubectl leaves it out.
Json::List IpAddressCells(const Json& object, Time now) {
  const Json& parent = object["spec"]["parentRef"];
  std::string target(kNothing);
  if (parent.is_map()) {
    target = parent["resource"].text();
    if (const std::string& group = parent["group"].text(); !group.empty()) target += '.' + group;
    target = Lower(target);
    if (const std::string& ns = parent["namespace"].text(); !ns.empty()) target += '/' + ns;
    target += '/' + parent["name"].text();
  }
  return Row(Name(object), target, Age(object, now));
}

Json::List ServiceCidrCells(const Json& object, Time now) {
  return Row(Name(object), JoinTexts(object["spec"]["cidrs"]), Age(object, now));
}

}  // namespace

std::span<const Printer> NetworkPrinters() {
  static const std::vector<Printer> kPrinters = {
      {"",
       "services",
       {kNameColumn, {"Type"}, {"Cluster-IP"}, {"External-IP"}, {"Port(s)"}, kAgeColumn, {"Selector", "string", 1}},
       ServiceCells},
      {"", "endpoints", {kNameColumn, {"Endpoints"}, kAgeColumn}, EndpointsCells},
      {"discovery.k8s.io",
       "endpointslices",
       {kNameColumn, {"AddressType"}, {"Ports"}, {"Endpoints"}, kAgeColumn},
       EndpointSliceCells},
      {kNetworkGroup,
       "ingresses",
       {kNameColumn, {"Class"}, {"Hosts"}, {"Address"}, {"Ports"}, kAgeColumn},
       IngressCells},
      {kNetworkGroup, "ingressclasses", {kNameColumn, {"Controller"}, {"Parameters"}, kAgeColumn}, IngressClassCells},
      {kNetworkGroup, "ipaddresses", {kNameColumn, {"ParentRef"}}, IpAddressCells},
      {kNetworkGroup, "networkpolicies", {kNameColumn, {"Pod-Selector"}, kAgeColumn}, NetworkPolicyCells},
      {kNetworkGroup, "servicecidrs", {kNameColumn, {"CIDRs"}, kAgeColumn}, ServiceCidrCells},
  };
  return kPrinters;
}

}  // namespace berth::server
