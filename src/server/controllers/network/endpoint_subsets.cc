// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/network/endpoint_subsets.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace berth::server {
namespace {

// A pod with the address by which it is known.
struct Host {
  const PublishedPod* pod;
  std::string_view address;
  bool is_ready;
};
// One port of the Service on some pods: its place among the Service's ports, and its number there.
using PortKey = std::pair<size_t, int64_t>;
using HostNumbers = std::vector<size_t>;

struct Subset {
  HostNumbers hosts;
  Json ports = Json::MakeList();
};

std::vector<Host> HostsOf(const Json& spec, const ServicePods::Selected& selected) {
  const bool publishes_all = spec["publishNotReadyAddresses"].AsBool();
  const bool wants_ipv6 = spec["ipFamilies"][size_t{0}].text() == "IPv6";
  std::vector<Host> hosts;
  for (const auto& [key, pod] : selected.pods) {
    if (pod->is_terminating && !publishes_all) continue;
    const auto address =
        std::ranges::find_if(pod->addresses, [&](const std::string& each) { return IsIpv6(each) == wants_ipv6; });
    if (address == pod->addresses.end()) continue;
    hosts.push_back({.pod = pod.get(), .address = *address, .is_ready = publishes_all || pod->is_ready});
  }
  std::ranges::sort(hosts, {}, [](const Host& host) { return std::tie(host.address, host.pod->uid); });
  return hosts;
}

Json PortOf(const Json& service_port, int64_t number) {
  Json port{{"port", Json::Int(number)}, {"protocol", service_port["protocol"]}};
  if (!service_port["name"].text().empty()) port.Set("name", service_port["name"]);
  if (service_port.Has("appProtocol")) port.Set("appProtocol", service_port["appProtocol"]);
  return port;
}

std::vector<Subset> Pack(const Json& ports, const std::vector<Host>& hosts) {
  std::map<PortKey, HostNumbers> offers;
  for (size_t i = 0; i < ports.size(); ++i) {
    for (size_t host = 0; host < hosts.size(); ++host) {
      if (const auto number = FindPort(*hosts[host].pod, ports[i])) offers[{i, *number}].push_back(host);
    }
  }
  std::vector<Subset> subsets;
  std::map<HostNumbers, size_t> known;  // Their places among the subsets.
  for (const auto& [port, offering] : offers) {
    const auto [at, is_new] = known.try_emplace(offering, subsets.size());
    if (is_new) subsets.push_back({.hosts = offering});
    subsets[at->second].ports.Append(PortOf(ports[port.first], port.second));
  }
  return subsets;
}

Json AddressOf(const Host& host, std::string_view service) {
  Json address{{"ip", Json::String(host.address)},
               {"nodeName", Json::String(host.pod->node)},
               {"targetRef", ReferenceTo(*host.pod)}};
  if (HasHostname(*host.pod, service)) address.Set("hostname", host.pod->hostname);
  return address;
}

// Leaves as many addresses as there may be, those that are ready first, and of each subset its part.
bool Truncate(std::vector<std::pair<HostNumbers, HostNumbers>>& subsets) {
  size_t ready = 0;
  size_t unready = 0;
  for (const auto& [first, second] : subsets) {
    ready += first.size();
    unready += second.size();
  }
  if (ready + unready <= kAddressesMax) return false;
  const bool cuts_ready = ready > kAddressesMax;
  const size_t room = cuts_ready ? kAddressesMax : kAddressesMax - ready;
  const size_t total = cuts_ready ? ready : unready;
  size_t left = room;
  for (auto& [first, second] : subsets) {
    HostNumbers& cut = cuts_ready ? first : second;
    if (cuts_ready) second.clear();
    cut.resize(std::min({cut.size(), (cut.size() * room + total - 1) / total, left}));
    left -= cut.size();
  }
  return true;
}

}  // namespace

EndpointSubsets SubsetsOf(const StoredObject& service, const Json& tree, const ServicePods::Selected& selected) {
  const Json& spec = tree["spec"];
  const std::vector<Host> hosts = HostsOf(spec, selected);
  std::vector<Subset> packed = Pack(spec["ports"], hosts);
  // Only headless Services can do without ports.
  if (spec["ports"].empty() && spec["clusterIP"].text() == "None") {
    for (size_t host = 0; host < hosts.size(); ++host) {
      if (packed.empty()) packed.emplace_back();
      packed.front().hosts.push_back(host);
    }
  }
  std::vector<std::pair<HostNumbers, HostNumbers>> split(packed.size());
  for (size_t i = 0; i < packed.size(); ++i) {
    for (const size_t host : packed[i].hosts) {
      (hosts[host].is_ready ? split[i].first : split[i].second).push_back(host);
    }
  }
  EndpointSubsets result{.subsets = Json::MakeList(), .is_truncated = Truncate(split)};
  for (size_t i = 0; i < packed.size(); ++i) {
    const auto addresses = [&](const HostNumbers& numbers) {
      Json list = Json::MakeList();
      for (const size_t host : numbers) list.Append(AddressOf(hosts[host], service.name()));
      return list;
    };
    Json subset = Json::MakeMap();
    if (!split[i].first.empty()) subset.Set("addresses", addresses(split[i].first));
    if (!split[i].second.empty()) subset.Set("notReadyAddresses", addresses(split[i].second));
    if (!packed[i].ports.empty()) subset.Set("ports", packed[i].ports);
    // Nothing is left of one that was cut off.
    if (subset.Has("addresses") || subset.Has("notReadyAddresses")) result.subsets.Append(std::move(subset));
  }
  return result;
}

}  // namespace berth::server
