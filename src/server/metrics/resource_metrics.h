// SPDX-License-Identifier: Apache-2.0
// ResourceMetrics: serves metrics.k8s.io, so that `kubectl top` shows what simulated pods and their nodes use.
//
// The objects are made when somebody asks. Cost: that of reading the pods; what pods use is kept for the next request
// about all nodes, once there was one.
//
// Thread: that of the store.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "server/controllers/controller.h"
#include "server/custom/custom_kind.h"
#include "server/rest/api_server.h"

namespace berth::server {

class ResourceMetrics {
 public:
  // Adds the resources to the catalog. REQUIRES: all outlive this.
  ResourceMetrics(Catalog& catalog, Store& store, ApiServer& api, const Cluster& cluster);
  ResourceMetrics(const ResourceMetrics&) = delete;
  ResourceMetrics& operator=(const ResourceMetrics&) = delete;

 private:
  struct Usage {
    int64_t cpu_milli = 0;
    int64_t memory_bytes = 0;
  };
  struct Known {
    Revision revision = 0;  // Of the pod.
    Usage usage;
  };

  static const Resource& Add(Catalog& catalog, std::string_view plural, const CustomKind& kind);
  std::vector<ObjectPtr> OfNodes(std::string_view name);
  std::vector<ObjectPtr> OfPods(std::string_view ns, std::string_view name) const;
  // What the object of metrics says of `about`, but for the usage.
  Json Frame(const Resource& resource, const StoredObject& about) const;
  Usage TotalOf(const PodInfo& pod);

  const Cluster& cluster_;
  const Resource& node_resource_;
  const CustomKind node_kind_;
  const CustomKind pod_kind_;
  const Resource& nodes_;
  const Resource& pods_;
  std::unordered_map<std::string, Known> known_;  // By the key of the pod.
};

}  // namespace berth::server
