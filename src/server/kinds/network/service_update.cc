// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/network/service_update.h"

#include <algorithm>
#include <set>
#include <string>

#include "server/kinds/network/service_validation.h"
#include "server/model/value_rules.h"

namespace berth::server {
namespace {

bool HasNodePorts(const Json& spec) { return IsServiceType(spec, "NodePort") || IsServiceType(spec, "LoadBalancer"); }

Json::List* Ports(Json& spec) {
  Json* ports = spec.Find("ports");
  return ports == nullptr || !ports->is_list() ? nullptr : &ports->mutable_items();
}

// Ports without a number get the one that the port of their name had, unless it is taken.
void KeepNodePorts(Json& spec, const Json& old) {
  Json::List* ports = Ports(spec);
  if (ports == nullptr) return;
  std::set<int64_t> used;
  for (const Json& port : *ports) used.insert(port["nodePort"].IntOr(0));
  for (Json& port : *ports) {
    if (port["nodePort"].IntOr(0) != 0) continue;
    for (const Json& before : old["ports"].items()) {
      const int64_t number = before["nodePort"].IntOr(0);
      if (before["name"].text() == port["name"].text() && number != 0 && !used.contains(number)) {
        port.Set("nodePort", Json::Int(number));
      }
    }
  }
}

// Numbers that the user chose anew stay.
void DropNodePorts(Json& spec, const Json& old) {
  Json::List* ports = Ports(spec);
  if (ports == nullptr) return;
  const auto is_known = [&](const Json& port) {
    return !port.Has("nodePort") || std::ranges::any_of(old["ports"].items(), [&](const Json& before) {
      return before["nodePort"] == port["nodePort"];
    });
  };
  if (!std::ranges::all_of(*ports, is_known)) return;
  for (Json& port : *ports) port.Erase("nodePort");
}

}  // namespace

void CompleteAddresses(Json& spec) {
  const std::string first = spec["clusterIP"].text();
  if (!first.empty() && spec["clusterIPs"].empty()) spec.Set("clusterIPs", Json::MakeList({Json::String(first)}));
  if (IsServiceType(spec, "ExternalName")) return;
  const bool has_both = IsFreeOfFamilies(spec);
  spec.SetDefault("ipFamilyPolicy", Json::String(has_both ? "RequireDualStack" : "SingleStack"));
  if (!spec["ipFamilies"].empty()) return;
  Json::List families = {Json::String(IpFamily(first) == 6 ? "IPv6" : "IPv4")};
  if (has_both && spec["ipFamilyPolicy"].text() != "SingleStack") families.push_back(Json::String("IPv6"));
  spec.Set("ipFamilies", Json::MakeList(std::move(families)));
}

void KeepAllocated(Json& spec, const Json& old) {
  if (!IsServiceType(spec, "ExternalName") && !IsServiceType(old, "ExternalName")) {
    if (spec["clusterIP"].text().empty() && old.Has("clusterIP")) spec.Set("clusterIP", old["clusterIP"]);
    if (spec["clusterIPs"].empty() && old.Has("clusterIPs")) spec.Set("clusterIPs", old["clusterIPs"]);
  }
  if (HasNodePorts(spec) && HasNodePorts(old)) KeepNodePorts(spec, old);
  if (NeedsHealthCheck(spec) && NeedsHealthCheck(old) && spec["healthCheckNodePort"].IntOr(0) == 0 &&
      old.Has("healthCheckNodePort")) {
    spec.Set("healthCheckNodePort", old["healthCheckNodePort"]);
  }
  // Who changes the first address alone means the list too.
  if (spec["clusterIP"] != old["clusterIP"] && spec["clusterIPs"] == old["clusterIPs"]) {
    const std::string first = spec["clusterIP"].text();
    spec.Erase("clusterIPs");
    if (!first.empty()) spec.Set("clusterIPs", Json::MakeList({Json::String(first)}));
  }
}

void DropOfOtherType(Json& service, const Json& old) {
  Json& spec = service.Make("spec");
  const Json& before = old["spec"];
  const auto drop_same = [&](std::string_view name) {
    if (spec[name] == before[name]) spec.Erase(name);
  };
  if (IsServiceType(spec, "ExternalName") && !IsServiceType(before, "ExternalName")) {
    if (spec["clusterIP"] == before["clusterIP"] && spec["clusterIPs"] == before["clusterIPs"]) {
      spec.Erase("clusterIP");
      spec.Erase("clusterIPs");
    }
    drop_same("ipFamilies");
    drop_same("ipFamilyPolicy");
  }
  if (HasNodePorts(before) && !HasNodePorts(spec)) DropNodePorts(spec, before);
  if (NeedsHealthCheck(before) && !NeedsHealthCheck(spec)) drop_same("healthCheckNodePort");
  if (IsServiceType(before, "LoadBalancer") && !IsServiceType(spec, "LoadBalancer")) {
    drop_same("allocateLoadBalancerNodePorts");
    drop_same("loadBalancerClass");
  }
  if (IsExternallyAccessible(before) && !IsExternallyAccessible(spec)) drop_same("externalTrafficPolicy");
  if (!IsServiceType(spec, "LoadBalancer")) service.Set("status", Json{{"loadBalancer", Json::MakeMap()}});
}

}  // namespace berth::server
