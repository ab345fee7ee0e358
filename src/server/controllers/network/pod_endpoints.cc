// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/network/pod_endpoints.h"

#include <utility>

namespace berth::server {
namespace {

constexpr std::string_view kZoneLabel = "topology.kubernetes.io/zone";

// Where traffic to an endpoint should come from.
enum class Closeness : uint8_t { kAny, kZone, kZoneAndNode };

Closeness ClosenessOf(const Json& service) {
  const Json& annotations = service["metadata"]["annotations"];
  for (const std::string_view name :
       {"service.kubernetes.io/topology-aware-hints", "service.kubernetes.io/topology-mode"}) {
    if (!annotations.Has(name)) continue;
    // These hints follow the sizes of zones, which nobody looks at here, and rule out the others.
    if (const std::string& mode = annotations[name].text(); mode == "Auto" || mode == "auto") return Closeness::kAny;
    break;
  }
  const std::string& wanted = service["spec"]["trafficDistribution"].text();
  if (wanted == "PreferSameNode") return Closeness::kZoneAndNode;
  return wanted == "PreferClose" || wanted == "PreferSameZone" ? Closeness::kZone : Closeness::kAny;
}

Json HintsOf(const Json& endpoint, Closeness closeness) {
  Json hints;
  const auto add = [&](std::string_view list, std::string_view field) {
    if (!endpoint.Has(field)) return;
    hints.Set(list, Json::MakeList({Json{{"name", endpoint[field]}}}));
  };
  if (closeness == Closeness::kAny || !endpoint["conditions"]["ready"].AsBool()) return hints;
  add("forZones", "zone");
  if (closeness == Closeness::kZoneAndNode) add("forNodes", "nodeName");
  return hints;
}

Json PortsOf(const PublishedPod& pod, const Json& service_ports) {
  Json ports = Json::MakeList();
  for (const Json& each : service_ports.items()) {
    const std::optional<int64_t> number = FindPort(pod, each);
    if (!number) continue;
    Json& port = ports.Append(Json{
        {"name", Json::String(each["name"].text())}, {"port", Json::Int(*number)}, {"protocol", each["protocol"]}});
    if (each.Has("appProtocol")) port.Set("appProtocol", each["appProtocol"]);
  }
  return ports;
}

Json AddressesOf(const PublishedPod& pod, std::string_view family) {
  Json addresses = Json::MakeList();
  for (const std::string& address : pod.addresses) {
    if (IsIpv6(address) == (family == "IPv6")) addresses.Append(Json::String(address));
  }
  return addresses;
}

}  // namespace

PodEndpoints EndpointsOf(const StoredObject& service, const Json& tree, std::string_view family,
                         const ServicePods::Selected& selected, const Store::Objects& nodes) {
  const Json& spec = tree["spec"];
  const bool publishes_all = spec["publishNotReadyAddresses"].AsBool();
  const Closeness closeness = ClosenessOf(tree);
  PodEndpoints result;
  for (const auto& [key, pod] : selected.pods) {
    // Ports that nobody offers at the moment are told too.
    EndpointGroup& group = GroupOf(result.groups, PortsOf(*pod, spec["ports"]));
    const auto node = nodes.find(pod->node);
    if (node == nodes.end() && !publishes_all) {
      result.lost_pod = pod->name;
      result.lost_node = pod->node;
      continue;
    }
    Json addresses = AddressesOf(*pod, family);
    if (addresses.empty()) continue;
    const bool is_ready = publishes_all || (pod->is_ready && !pod->is_terminating);
    Json endpoint{{"addresses", std::move(addresses)},
                  {"conditions", Json{{"ready", Json::Bool(is_ready)},
                                      {"serving", Json::Bool(pod->is_ready)},
                                      {"terminating", Json::Bool(pod->is_terminating)}}},
                  {"targetRef", ReferenceTo(*pod)}};
    if (!pod->node.empty()) endpoint.Set("nodeName", pod->node);
    const std::string_view zone = node == nodes.end() ? "" : node->second->labels().Get(kZoneLabel);
    if (!zone.empty()) endpoint.Set("zone", zone);
    if (HasHostname(*pod, service.name())) endpoint.Set("hostname", pod->hostname);
    if (Json hints = HintsOf(endpoint, closeness); !hints.empty()) endpoint.Set("hints", std::move(hints));
    std::string identity = EndpointIdentity(endpoint);
    group.endpoints.insert_or_assign(std::move(identity), std::move(endpoint));
  }
  return result;
}

}  // namespace berth::server
