// SPDX-License-Identifier: Apache-2.0
// Addresses and ports of services, which are unique in the cluster.
#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <set>
#include <string>

#include "server/admission/rules.h"
#include "server/kinds/network/service_update.h"
#include "server/kinds/network/service_validation.h"

namespace berth::server {
namespace {

// 10.96.0.0/12, as most installers choose.
constexpr uint32_t kNet = 10U << 24 | 96U << 16;
constexpr uint32_t kNetSize = 1U << 20;
// The lower ones are left to those who choose their own.
constexpr uint32_t kFirstGiven = 256;
constexpr int64_t kFirstPort = 30000;
constexpr int64_t kPortCount = 2768;

std::string Format(uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 0xff, address >> 8 & 0xff, address & 0xff);
}

bool IsInNet(const std::string& text) {
  unsigned parts[4] = {};
  if (std::sscanf(text.c_str(), "%3u.%3u.%3u.%3u", &parts[0], &parts[1], &parts[2], &parts[3]) != 4) return false;
  const uint32_t address = parts[0] << 24 | parts[1] << 16 | parts[2] << 8 | parts[3];
  return address > kNet && address < kNet + kNetSize - 1;
}

bool IsType(const Json& spec, std::string_view type) { return spec["type"].text() == type; }

bool WantsNodePorts(const Json& spec) {
  if (IsType(spec, "NodePort")) return true;
  return IsType(spec, "LoadBalancer") &&
         (!spec.Has("allocateLoadBalancerNodePorts") || spec["allocateLoadBalancerNodePorts"].AsBool());
}

// Calls `visit` for the other services.
template <class Visit>
void VisitOthers(const AdmissionRequest& request, const ClusterView& cluster, Visit visit) {
  for (const auto& [key, service] : cluster.store.All(request.resource)) {
    if (service->ns() != request.ns || service->name() != request.name) visit(*service);
  }
}

Outcome<void> GiveAddress(const AdmissionRequest& request, const ClusterView& cluster, Json& spec) {
  const std::string asked = spec["clusterIP"].text();
  if (asked == "None" || IsType(spec, "ExternalName")) return {};
  // It stays as it is; whoever changes it is refused by validation.
  if (request.old != nullptr && !(*request.old)["spec"]["clusterIP"].text().empty()) return {};
  std::set<std::string, std::less<>> used;
  VisitOthers(request, cluster, [&](const StoredObject& other) { used.emplace(other.Field("spec.clusterIP")); });
  if (!asked.empty()) {
    // What is no address at all is for validation to say.
    if (asked.find_first_not_of("0123456789.") != std::string::npos) return {};
    const char* problem = !IsInNet(asked)
                              ? "the provided IP is not in the valid range. The range of valid IPs is 10.96.0.0/12"
                          : used.contains(asked) ? "provided IP is already allocated"
                                                 : nullptr;
    if (problem == nullptr) return {};
    FieldErrors errors;
    errors.Invalid("spec.clusterIPs", Json::MakeList({Json::String(asked)}),
                   fmt::format("failed to allocate IP {}: {}", asked, problem));
    return Invalid(request.resource, request.name, std::move(errors));
  }
  // Where the search begins depends on the name, so that a service made again has the address it had.
  const size_t start = std::hash<std::string>()(fmt::format("{}/{}", request.ns, request.name));
  for (uint32_t i = 0; i < kNetSize; ++i) {
    const auto offset = static_cast<uint32_t>((start + i) % (kNetSize - kFirstGiven - 1));
    const std::string address = Format(kNet + kFirstGiven + offset);
    if (used.contains(address)) continue;
    spec.Set("clusterIP", address);
    return {};
  }
  return InternalError("range is full");
}

std::set<int64_t> UsedPorts(const AdmissionRequest& request, const ClusterView& cluster) {
  std::set<int64_t> used;
  VisitOthers(request, cluster, [&](const StoredObject& other) {
    if (const std::string_view type = other.Field("spec.type"); type != "NodePort" && type != "LoadBalancer") return;
    const Json tree = other.Tree();
    for (const Json& port : tree["spec"]["ports"].items()) used.insert(port["nodePort"].IntOr(0));
    used.insert(tree["spec"]["healthCheckNodePort"].IntOr(0));
  });
  return used;
}

// The first free one, from a place that the name decides.
int64_t FreePort(const AdmissionRequest& request, std::set<int64_t>& used) {
  const size_t start = std::hash<std::string>()(fmt::format("{}/{}", request.ns, request.name));
  for (size_t i = 0; i < static_cast<size_t>(kPortCount); ++i) {
    const int64_t port = kFirstPort + static_cast<int64_t>((start + i) % static_cast<size_t>(kPortCount));
    if (used.insert(port).second) return port;
  }
  return 0;
}

Outcome<void> GivePorts(const AdmissionRequest& request, const ClusterView& cluster, Json& spec) {
  const bool needs_check = NeedsHealthCheck(spec) && spec["healthCheckNodePort"].IntOr(0) == 0;
  if (!WantsNodePorts(spec) && !needs_check) return {};
  std::set<int64_t> used = UsedPorts(request, cluster);
  Json* ports = spec.Find("ports");
  const size_t count = WantsNodePorts(spec) && ports != nullptr ? ports->size() : 0;
  std::set<int64_t> asked;
  for (size_t i = 0; i < count; ++i) {
    const int64_t port = (*ports)[i]["nodePort"].IntOr(0);
    if (port == 0) continue;
    const bool is_outside = port < kFirstPort || port >= kFirstPort + kPortCount;
    if (!is_outside && !used.contains(port)) {
      asked.insert(port);
      continue;
    }
    FieldErrors errors;
    errors.Invalid(fmt::format("spec.ports[{}].nodePort", i), Json::Int(port),
                   is_outside ? "provided port is not in the valid range. The range of valid ports is 30000-32767"
                              : "provided port is already allocated");
    return Invalid(request.resource, request.name, std::move(errors));
  }
  used.merge(asked);
  for (size_t i = 0; i < count; ++i) {
    Json& port = ports->mutable_items()[i];
    if (port["nodePort"].IntOr(0) == 0) port.Set("nodePort", Json::Int(FreePort(request, used)));
  }
  if (needs_check) spec.Set("healthCheckNodePort", Json::Int(FreePort(request, used)));
  return {};
}

}  // namespace

Outcome<void> GiveServiceAddresses(const AdmissionRequest& request, const ClusterView& cluster) {
  if (request.resource.plural != "services" || !request.subresource.empty() || request.object == nullptr) return {};
  Json& spec = request.object->Make("spec");
  if (request.old != nullptr) KeepAllocated(spec, (*request.old)["spec"]);
  BERTH_CHECK_OK(GiveAddress(request, cluster, spec));
  return GivePorts(request, cluster, spec);
}

}  // namespace berth::server
