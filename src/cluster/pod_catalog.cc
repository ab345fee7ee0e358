// SPDX-License-Identifier: Apache-2.0

#include "cluster/pod_catalog.h"

#include <algorithm>

#include "cluster/affinity_terms.h"
#include "cluster/tables/content_hash.h"

namespace berth::cluster {
namespace {

// Whether the status can make the requests differ from those of the spec.
bool SaysRequests(const api::PodStatus& status) {
  return !status.container_statuses.empty() || !status.node_allocatable_claims.empty() || status.allocated_resources ||
         status.resource_requests || status.Condition("PodResizePending") != nullptr;
}

// Whether every container has what its spec asks for, as it is unless the pod was resized.
bool RepeatsSpec(const api::PodSpec& spec, const api::PodStatus& status) {
  if (!status.node_allocatable_claims.empty() || status.allocated_resources || status.resource_requests ||
      status.Condition("PodResizePending") != nullptr) {
    return false;
  }
  return std::ranges::all_of(status.container_statuses, [&](const api::ContainerStatus& each) {
    const auto repeats = [&](const api::Container& container) {
      return container.name == each.name &&
             each.allocated_resources.value_or(container.requests) == container.requests &&
             each.resource_requests.value_or(container.requests) == container.requests;
    };
    return std::ranges::any_of(spec.containers, repeats) || std::ranges::any_of(spec.init_containers, repeats);
  });
}

bool IsResizeDeferred(const api::PodStatus& status) {
  const api::PodCondition* pending = status.Condition("PodResizePending");
  return pending != nullptr && pending->reason == "Deferred";
}

bool IsWorthKeeping(const api::PodStatus& status) {
  return !status.conditions.empty() || !status.resource_claim_statuses.empty() ||
         status.extended_resource_claim_status || !status.container_statuses.empty() || status.allocated_resources ||
         status.resource_requests || !status.node_allocatable_claims.empty();
}

std::vector<api::HostPort> HostPorts(const api::PodSpec& spec) {
  std::vector<api::HostPort> ports;
  const auto add = [&](const api::Container& container) {
    for (api::HostPort port : container.host_ports) {
      if (port.port <= 0) continue;
      if (port.ip.empty()) port.ip = "0.0.0.0";
      if (port.protocol.empty()) port.protocol = "TCP";
      ports.push_back(std::move(port));
    }
  };
  for (const api::Container& container : spec.init_containers) {
    if (container.restart_always) add(container);
  }
  for (const api::Container& container : spec.containers) add(container);
  return ports;
}

}  // namespace

PodPtr PodCatalog::Make(api::Pod pod) {
  auto info = std::make_shared<PodInfo>();
  const api::OwnerReference* controller = pod.meta.controller();
  info->pod_template = Template(std::move(pod.meta.ns), controller == nullptr ? api::OwnerReference() : *controller,
                                std::move(pod.spec));
  info->label_set = Labels(std::move(pod.meta.labels));
  info->name = std::move(pod.meta.name);
  info->uid = std::move(pod.meta.uid);
  info->resource_version = std::move(pod.meta.resource_version);
  info->node_name = std::move(pod.node_name);
  info->nominated_node_name = pod.status.nominated_node_name;
  info->creation_timestamp = pod.meta.creation_timestamp;
  info->deletion_timestamp = pod.meta.deletion_timestamp;
  info->start_time = pod.status.start_time;
  info->generation = pod.meta.generation;
  info->source = std::move(pod.source);
  info->awaits_resize = options_.deferred_resizes && IsResizeDeferred(pod.status);
  if (SaysRequests(pod.status) && !RepeatsSpec(info->pod_template->spec, pod.status)) {
    info->resized = Resized(*info->pod_template, pod.status);
  }
  if (info->resized == nullptr) {
    // The kubelet reports resources for every container; they say nothing that the spec does not.
    pod.status.container_statuses = {};
    pod.status.allocated_resources.reset();
    pod.status.resource_requests.reset();
  }
  if (IsWorthKeeping(pod.status)) info->status = std::make_shared<const api::PodStatus>(std::move(pod.status));
  return info;
}

PodPtr PodCatalog::WithNode(const PodInfo& pod, std::string node_name) {
  auto placed = std::make_shared<PodInfo>(pod);
  placed->node_name = std::move(node_name);
  placed->nominated_node_name.clear();
  return placed;
}

PodTemplatePtr PodCatalog::Template(std::string ns, api::OwnerReference controller, api::PodSpec spec) {
  const uint64_t hash = HashTemplate(ns, controller, spec);
  PodTemplatePtr known = templates_.Find(hash);
  if (known != nullptr && known->ns == ns && known->controller == controller && known->spec == spec) return known;

  auto made = std::make_unique<PodTemplate>();
  made->id = next_template_++;
  made->ns = std::move(ns);
  made->controller = std::move(controller);
  made->spec = std::move(spec);
  made->requests = ToResources(PodRequests(made->spec, {}, RequestOptions()), names_);
  made->scoring_requests =
      ToResources(PodRequests(made->spec, {}, {.pod_level = false, .default_missing = true}), names_);
  const NonZeroRequest nonzero = PodNonZeroRequest(made->spec, {}, options_);
  made->nonzero_cpu_milli = nonzero.cpu_milli;
  made->nonzero_memory_bytes = nonzero.memory_bytes;
  made->host_ports = HostPorts(made->spec);
  CompileAffinityTerms(*made);
  // Of two templates with one hash the first is shared; the other exists once per pod.
  return known == nullptr ? templates_.Put(hash, std::move(made)) : PodTemplatePtr(std::move(made));
}

LabelSetPtr PodCatalog::Labels(api::Labels labels) {
  const uint64_t hash = HashLabels(labels);
  LabelSetPtr known = label_sets_.Find(hash);
  if (known != nullptr && known->labels == labels) return known;
  auto made = std::make_unique<LabelSet>(LabelSet{.id = next_label_set_++, .labels = std::move(labels)});
  return known == nullptr ? label_sets_.Put(hash, std::move(made)) : LabelSetPtr(std::move(made));
}

std::shared_ptr<const ResizedRequests> PodCatalog::Resized(const PodTemplate& pod_template,
                                                           const api::PodStatus& status) {
  PodRequestOptions options = RequestOptions();
  options.use_status = true;
  const NonZeroRequest nonzero = PodNonZeroRequest(pod_template.spec, status, options_);
  ResizedRequests resized{.requests = ToResources(PodRequests(pod_template.spec, status, options), names_),
                          .nonzero_cpu_milli = nonzero.cpu_milli,
                          .nonzero_memory_bytes = nonzero.memory_bytes};
  if (resized.requests == pod_template.requests && resized.nonzero_cpu_milli == pod_template.nonzero_cpu_milli &&
      resized.nonzero_memory_bytes == pod_template.nonzero_memory_bytes) {
    return nullptr;
  }
  return std::make_shared<const ResizedRequests>(std::move(resized));
}

}  // namespace berth::cluster
