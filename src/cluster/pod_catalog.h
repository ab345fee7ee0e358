// SPDX-License-Identifier: Apache-2.0
// PodCatalog: makes PodInfos from API pods, sharing templates and label sets between equal ones.
//
// Thread: core. Cost: one hash and one comparison of the spec per pod; a template is computed once and freed with its
// last pod.

#pragma once

#include <memory>

#include <boost/unordered/unordered_flat_map.hpp>

#include "api/pod.h"
#include "cluster/pod_info.h"
#include "cluster/pod_resources.h"

namespace berth::cluster {

class PodCatalog {
 public:
  PodCatalog(ResourceNames& names, PodResourceOptions options) : names_(names), options_(options) {}
  PodCatalog(const PodCatalog&) = delete;
  PodCatalog& operator=(const PodCatalog&) = delete;

  PodPtr Make(api::Pod pod);

  // The same pod version, placed on `node_name` and without a nomination.
  static PodPtr WithNode(const PodInfo& pod, std::string node_name);

 private:
  // Living values by content hash. Entries of dead ones are dropped when the map has doubled.
  template <class T>
  struct Shared {
    static constexpr size_t kPurgeMin = 256;
    boost::unordered_flat_map<uint64_t, std::weak_ptr<const T>> by_hash;
    size_t purge_at = kPurgeMin;

    std::shared_ptr<const T> Find(uint64_t hash) const;
    void Put(uint64_t hash, const std::shared_ptr<const T>& value);
  };

  PodTemplatePtr Template(std::string ns, api::OwnerReference controller, api::PodSpec spec);
  LabelSetPtr Labels(api::Labels labels);
  // The requests by status, or nullptr if they are those of the template.
  std::shared_ptr<const ResizedRequests> Resized(const PodTemplate& pod_template, const api::PodStatus& status);
  PodRequestOptions RequestOptions() const {
    return {.use_status = false,
            .pod_level = options_.pod_level_resources,
            .in_place_pod_level = options_.in_place_pod_level_resize,
            .default_missing = false};
  }

  ResourceNames& names_;
  PodResourceOptions options_;
  uint64_t next_template_ = 1;
  uint64_t next_label_set_ = 1;
  Shared<PodTemplate> templates_;
  Shared<LabelSet> label_sets_;
};

}  // namespace berth::cluster
