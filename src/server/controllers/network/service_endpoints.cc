// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/network/service_endpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "server/controllers/event_report.h"
#include "server/controllers/network/endpoint_subsets.h"
#include "server/controllers/network/pod_endpoints.h"

namespace berth::server {
namespace {

constexpr std::string_view kHeadlessLabel = "service.kubernetes.io/headless";
constexpr std::string_view kEndpointsManagerLabel = "endpoints.kubernetes.io/managed-by";
constexpr std::string_view kOverCapacityAnnotation = "endpoints.kubernetes.io/over-capacity";

// Changes are gathered for so long per pod of the Service.
constexpr Duration kGatherPerPod{20'000};
// Slices that others changed are looked at after this.
constexpr Duration kSliceSettle = Seconds(1);

bool HasEndpoints(const Json& spec) { return spec["type"].text() != "ExternalName" && !spec["selector"].empty(); }

// Those of the Service, and what it is for endpoints.
Json LabelsFor(const Json& service) {
  Json labels = service["metadata"]["labels"];
  labels.Erase(kHeadlessLabel);
  const std::string& address = service["spec"]["clusterIP"].text();
  if (address.empty() || address == "None") labels.Set(kHeadlessLabel, "");
  return labels;
}

std::pair<std::string_view, std::string_view> Split(std::string_view key) {
  const size_t slash = key.find('/');
  return {key.substr(0, slash), key.substr(slash + 1)};
}

}  // namespace

void ServiceEndpoints::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  if (&object.resource() == &pods_) {
    for (const std::string& service : selected_.OnPod(change, cluster_.pods)) {
      const auto pods = static_cast<int64_t>(selected_.Find(object.ns(), service)->pods.size());
      enqueue(ObjectKey(object.ns(), service), std::max(kSettle, kGatherPerPod * pods));
    }
  } else if (&object.resource() == &services_) {
    OnService(change);
    enqueue(object.key(), Duration{});
  } else if (&object.resource() == &slice_resource_) {
    for (const std::string& service : slices_.OnSlice(change)) enqueue(service, kSliceSettle);
  } else if (&object.resource() == &endpoints_ && change.type == Change::Type::kDeleted) {
    enqueue(object.key(), Duration{});
  }
}

void ServiceEndpoints::OnService(const Change& change) {
  const StoredObject& service = *change.object;
  const TreePtr tree = service.tree();
  if (change.type == Change::Type::kDeleted || !HasEndpoints((*tree)["spec"])) {
    return selected_.RemoveService(service);
  }
  api::Labels selector;
  for (const Json::Member& label : (*tree)["spec"]["selector"].members()) {
    selector.Set(label.name.text(), label.value.text());
  }
  const Time created = ParseTime((*tree)["metadata"]["creationTimestamp"].text()).value_or(Time{});
  selected_.PutService(service, selector, created, cluster_.pods);
}

std::optional<Duration> ServiceEndpoints::Sync(const std::string& key) {
  const auto [ns, name] = Split(key);
  const ObjectPtr service = cluster_.store().Find(services_, ns, name);
  if (service == nullptr) return DeleteEndpoints(ns, name);
  ServicePods::Selected* selected = selected_.Find(ns, name);
  // Those of others are written by whoever made them.
  if (selected == nullptr) return std::nullopt;
  const TreePtr tree = service->tree();
  const bool is_done = WriteEndpoints(*service, *tree, *selected);
  const Outcome<bool> written = WriteSlices(service, *tree, *selected);
  if (!written) {
    ReportEvent(
        cluster_, *service, "endpoint-slice-controller",
        {.type = "Warning",
         .reason = "FailedToUpdateEndpointSlices",
         .message = fmt::format("Error updating Endpoint Slices for Service {}: {}", key, written.error().message)});
  }
  if (!is_done || !written) return kRetry;
  if (!*written) return Duration{};
  selected->changed = Time{};
  return std::nullopt;
}

std::optional<Duration> ServiceEndpoints::DeleteEndpoints(std::string_view ns, std::string_view name) {
  if (cluster_.store().Find(endpoints_, ns, name) == nullptr) return std::nullopt;
  return Succeeded(*this, cluster_.objects.Delete(endpoints_, ns, name, {})) ? std::nullopt : std::optional(kRetry);
}

bool ServiceEndpoints::WriteEndpoints(const StoredObject& service, const Json& tree,
                                      const ServicePods::Selected& selected) {
  EndpointSubsets wanted = SubsetsOf(service, tree, selected);
  Json labels = LabelsFor(tree);
  labels.Set(kEndpointsManagerLabel, "endpoint-controller");
  const auto fill = [&](Json endpoints) -> Outcome<Json> {
    Json& metadata = endpoints.Make("metadata");
    const bool says_so = metadata["annotations"].Has(kOverCapacityAnnotation);
    if (endpoints["subsets"].items() == wanted.subsets.items() && metadata["labels"] == labels &&
        says_so == wanted.is_truncated) {
      return endpoints;
    }
    metadata.Set("labels", labels);
    SetTriggerTime(metadata, selected.changed);
    if (wanted.is_truncated) {
      metadata.Make("annotations").Set(kOverCapacityAnnotation, "truncated");
    } else if (says_so) {
      metadata.Make("annotations").Erase(kOverCapacityAnnotation);
      if (metadata["annotations"].empty()) metadata.Erase("annotations");
    }
    endpoints.Erase("subsets");
    if (!wanted.subsets.empty()) endpoints.Set("subsets", wanted.subsets);
    return endpoints;
  };
  const auto make = [&]() -> Outcome<Json> {
    return fill(
        Json{{"apiVersion", Json::String(endpoints_.api_version)},
             {"kind", Json::String(endpoints_.kind)},
             {"metadata", Json{{"name", Json::String(service.name())}, {"namespace", Json::String(service.ns())}}}});
  };
  const auto written = cluster_.objects.Update(endpoints_, service.ns(), service.name(),
                                               {.manager = std::string(kControllerManager)}, fill, make);
  if (Succeeded(*this, written)) return true;
  if (const ObjectPtr present = cluster_.store().Find(endpoints_, service.ns(), service.name())) {
    ReportEvent(cluster_, *present, "endpoint-controller",
                {.type = "Warning",
                 .reason = "FailedToUpdateEndpoint",
                 .message = fmt::format("Failed to update endpoint {}: {}", service.key(), written.error().message)});
  }
  return false;
}

Outcome<bool> ServiceEndpoints::WriteSlices(const ObjectPtr& service, const Json& tree,
                                            const ServicePods::Selected& selected) {
  Json labels = LabelsFor(tree);
  labels.Set(kServiceNameLabel, service->name());
  labels.Set(kSliceManagerLabel, "endpointslice-controller.k8s.io");
  const SliceRules rules{.owner = service, .labels = std::move(labels), .annotations = {}};
  const Json& families = tree["spec"]["ipFamilies"];
  std::optional<StatusError> failure;
  for (const std::string_view family : {"IPv4", "IPv6"}) {
    const std::vector<ObjectPtr> present = slices_.Of(service->key(), family);
    const bool is_wanted =
        std::ranges::any_of(families.items(), [&](const Json& each) { return each.text() == family; });
    if (!is_wanted) {
      if (!BERTH_TRY(slices_.Write(rules, family, {.removed = present}, Time{}))) return false;
      continue;
    }
    PodEndpoints endpoints = EndpointsOf(*service, tree, family, selected, cluster_.store().All(nodes_));
    const SlicePlan plan = PlanSlices(rules, std::move(endpoints.groups), present);
    if (!BERTH_TRY(slices_.Write(rules, family, plan, selected.changed))) return false;
    if (endpoints.lost_pod.empty()) continue;
    failure = StatusError{.message = fmt::format("skipping Pod {} for Service {}: Node {} Not Found",
                                                 endpoints.lost_pod, service->key(), endpoints.lost_node)};
  }
  if (failure) return std::unexpected(*std::move(failure));
  return true;
}

}  // namespace berth::server
