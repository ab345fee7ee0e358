// SPDX-License-Identifier: Apache-2.0
// ServiceEndpoints: keeps the Endpoints and the EndpointSlices of Services with a selector.
//
// Cost: none for pods of namespaces without such Services. A look at a Service costs by its pods, so the more it has,
// the longer changes of them are gathered.
//
// Thread: that of the store.

#pragma once

#include <string>
#include <string_view>

#include "server/controllers/controller.h"
#include "server/controllers/network/service_pods.h"
#include "server/controllers/network/service_slices.h"

namespace berth::server {

class ServiceEndpoints : public Controller {
 public:
  explicit ServiceEndpoints(const Cluster& cluster)
      : cluster_(cluster),
        services_(cluster.Get("", "services")),
        pods_(cluster.Get("", "pods")),
        nodes_(cluster.Get("", "nodes")),
        endpoints_(cluster.Get("", "endpoints")),
        slice_resource_(cluster.Get("discovery.k8s.io", "endpointslices")),
        slices_(*this, cluster, "endpointslice-controller.k8s.io") {}

  std::string_view name() const override { return "service-endpoints"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  // By the key of the Service.
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  void OnService(const Change& change);
  std::optional<Duration> DeleteEndpoints(std::string_view ns, std::string_view name);
  bool WriteEndpoints(const StoredObject& service, const Json& tree, const ServicePods::Selected& selected);
  // Whether all was written.
  Outcome<bool> WriteSlices(const ObjectPtr& service, const Json& tree, const ServicePods::Selected& selected);

  const Cluster& cluster_;
  const Resource& services_;
  const Resource& pods_;
  const Resource& nodes_;
  const Resource& endpoints_;
  const Resource& slice_resource_;
  ServicePods selected_;
  ServiceSlices slices_;
};

}  // namespace berth::server
