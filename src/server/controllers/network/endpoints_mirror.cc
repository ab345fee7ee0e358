// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/network/endpoints_mirror.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "server/controllers/event_report.h"
#include "server/controllers/network/published_pod.h"

namespace berth::server {
namespace {

constexpr std::string_view kSkipMirrorLabel = "endpointslice.kubernetes.io/skip-mirror";
constexpr std::string_view kLeaderAnnotation = "control-plane.alpha.kubernetes.io/leader";
constexpr std::string_view kLastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";
// Of each subset; what is beyond that is left out.
constexpr size_t kMirroredMax = 1000;

Json MirroredPorts(const Json& subset) {
  Json ports = Json::MakeList();
  for (const Json& each : subset["ports"].items()) {
    Json& port = ports.Append(
        Json{{"name", Json::String(each["name"].text())}, {"port", each["port"]}, {"protocol", each["protocol"]}});
    if (each.Has("appProtocol")) port.Set("appProtocol", each["appProtocol"]);
  }
  return ports;
}

Json MirroredEndpoint(const Json& address, bool is_ready) {
  Json endpoint{{"addresses", Json::MakeList({address["ip"]})}, {"conditions", Json{{"ready", Json::Bool(is_ready)}}}};
  for (const std::string_view part : {"hostname", "nodeName", "targetRef"}) {
    if (address.Has(part)) endpoint.Set(part, address[part]);
  }
  return endpoint;
}

// By their family: of IPv4 and of IPv6.
struct MirroredGroups {
  std::array<EndpointGroups, 2> of;
  size_t left_out = 0;
};

MirroredGroups GroupsOf(const Json& endpoints) {
  MirroredGroups groups;
  for (const Json& subset : endpoints["subsets"].items()) {
    const Json ports = MirroredPorts(subset);
    size_t added = 0;
    for (const bool is_ready : {true, false}) {
      for (const Json& address : subset[is_ready ? "addresses" : "notReadyAddresses"].items()) {
        if (added == kMirroredMax) {
          ++groups.left_out;
          continue;
        }
        ++added;
        Json endpoint = MirroredEndpoint(address, is_ready);
        EndpointGroup& group = GroupOf(groups.of[IsIpv6(address["ip"].text()) ? 1 : 0], ports);
        std::string identity = EndpointIdentity(endpoint);
        group.endpoints.insert_or_assign(std::move(identity), std::move(endpoint));
      }
    }
  }
  return groups;
}

}  // namespace

void EndpointsMirror::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  if (&object.resource() == &services_ || &object.resource() == &endpoints_) {
    enqueue(object.key(), Duration{});
  } else if (&object.resource() == &slice_resource_) {
    for (const std::string& key : slices_.OnSlice(change)) enqueue(key, kSettle);
  }
}

ObjectPtr EndpointsMirror::FindMirrored(const std::string& key) const {
  const auto endpoints = cluster_.store().All(endpoints_).find(key);
  const auto service = cluster_.store().All(services_).find(key);
  if (endpoints == cluster_.store().All(endpoints_).end() || service == cluster_.store().All(services_).end()) {
    return nullptr;
  }
  if (endpoints->second->labels().Get(kSkipMirrorLabel) == "true") return nullptr;
  if ((*endpoints->second->tree())["metadata"]["annotations"].Has(kLeaderAnnotation)) return nullptr;
  return (*service->second->tree())["spec"]["selector"].empty() ? endpoints->second : nullptr;
}

std::optional<Duration> EndpointsMirror::Sync(const std::string& key) {
  const ObjectPtr endpoints = FindMirrored(key);
  const Outcome<bool> written = endpoints == nullptr ? slices_.DeleteAll(key) : Mirror(endpoints);
  if (!written) return kRetry;
  return *written ? std::nullopt : std::optional(Duration{});
}

Outcome<bool> EndpointsMirror::Mirror(const ObjectPtr& endpoints) {
  const TreePtr tree = endpoints->tree();
  MirroredGroups groups = GroupsOf(*tree);
  if (groups.left_out > 0) {
    ReportEvent(cluster_, *endpoints, "endpoint-slice-mirroring-controller",
                {.type = "Warning",
                 .reason = "TooManyAddressesToMirror",
                 .message = fmt::format("A max of {} addresses can be mirrored to EndpointSlices per Endpoints subset. "
                                        "{} addresses were skipped",
                                        kMirroredMax, groups.left_out)});
  }
  SliceRules rules{.owner = endpoints,
                   .labels = (*tree)["metadata"]["labels"],
                   .annotations = (*tree)["metadata"]["annotations"],
                   .endpoints_max = kMirroredMax,
                   .is_never_without = false};
  rules.labels.Set(kServiceNameLabel, endpoints->name());
  rules.labels.Set(kSliceManagerLabel, kManager);
  if (rules.annotations.is_null()) rules.annotations = Json::MakeMap();
  for (const std::string_view own : {kTriggerTimeAnnotation, kLastAppliedAnnotation}) rules.annotations.Erase(own);
  for (const size_t family : {size_t{0}, size_t{1}}) {
    const std::string_view name = family == 0 ? "IPv4" : "IPv6";
    const SlicePlan plan = PlanSlices(rules, std::move(groups.of[family]), slices_.Of(endpoints->key(), name));
    if (!BERTH_TRY(slices_.Write(rules, name, plan, Time{}))) return false;
  }
  return true;
}

}  // namespace berth::server
