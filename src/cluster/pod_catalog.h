// SPDX-License-Identifier: Apache-2.0
// PodCatalog: makes PodInfos from API pods, sharing templates and label sets between equal ones.
//
// Thread: core. Cost: one hash and one comparison of the spec per pod; a template is computed once and freed with its
// last pod.

#pragma once

#include <memory>

#include "api/objects/pod.h"
#include "cluster/pod_info.h"
#include "cluster/pod_resources.h"
#include "cluster/tables/shared_values.h"

namespace berth::cluster {

class PodCatalog {
 public:
  PodCatalog(ResourceNames& names, PodResourceOptions options) : names_(names), options_(options) {}
  PodCatalog(const PodCatalog&) = delete;
  PodCatalog& operator=(const PodCatalog&) = delete;

  PodPtr Make(api::Pod pod);

  // The same pod version, placed on `node_name` and without a nomination.
  static PodPtr WithNode(const PodInfo& pod, std::string node_name);

  // Distinct ones in use.
  size_t template_count() const { return templates_.size(); }
  size_t label_set_count() const { return label_sets_.size(); }

 private:
  PodTemplatePtr Template(std::string ns, api::OwnerReference controller, api::PodSpec spec);
  LabelSetPtr Labels(api::Labels labels);
  // The requests by status, or nullptr if they are those of the template.
  std::shared_ptr<const ResizedRequests> Resized(const PodTemplate& pod_template, const api::PodStatus& status);
  PodRequestOptions RequestOptions() const {
    return {.use_status = false,
            .pod_level = options_.pod_level_resources,
            .in_place_pod_level = options_.in_place_pod_level_resize,
            .default_missing = false,
            .node_allocatable_claims = options_.node_allocatable_claims};
  }

  ResourceNames& names_;
  PodResourceOptions options_;
  uint64_t next_template_ = 1;
  uint64_t next_label_set_ = 1;
  SharedValues<PodTemplate> templates_;  // By content hash, and so are the label sets.
  SharedValues<LabelSet> label_sets_;
};

}  // namespace berth::cluster
