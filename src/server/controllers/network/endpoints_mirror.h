// SPDX-License-Identifier: Apache-2.0
// EndpointsMirror: makes EndpointSlices of Endpoints that somebody wrote for a Service without a selector.
//
// Thread: that of the store.

#pragma once

#include <string>
#include <string_view>

#include "server/controllers/controller.h"
#include "server/controllers/network/service_slices.h"

namespace berth::server {

class EndpointsMirror : public Controller {
 public:
  explicit EndpointsMirror(const Cluster& cluster)
      : cluster_(cluster),
        services_(cluster.Get("", "services")),
        endpoints_(cluster.Get("", "endpoints")),
        slice_resource_(cluster.Get("discovery.k8s.io", "endpointslices")),
        slices_(*this, cluster, kManager) {}

  std::string_view name() const override { return "endpoints-mirror"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  // By the key of the Service and its Endpoints, which is the same.
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  static constexpr std::string_view kManager = "endpointslicemirroring-controller.k8s.io";

  // Null if there is nothing to be mirrored.
  ObjectPtr FindMirrored(const std::string& key) const;
  Outcome<bool> Mirror(const ObjectPtr& endpoints);

  const Cluster& cluster_;
  const Resource& services_;
  const Resource& endpoints_;
  const Resource& slice_resource_;
  ServiceSlices slices_;
};

}  // namespace berth::server
