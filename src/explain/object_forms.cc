// SPDX-License-Identifier: Apache-2.0
#include "explain/object_forms.h"

#include <memory>
#include <utility>

#include "base/time.h"
#include "explain/text_list.h"

namespace berth::explain {
namespace {

using api::Json;

Json LabelsJson(const api::Labels& labels) {
  Json map = Json::MakeMap();
  for (const auto& [key, value] : labels) map.Set(key, std::string_view(value));
  return map;
}

Json Manifest(std::string_view api_version, std::string_view kind, const api::ObjectMeta& meta) {
  Json object = Json::MakeMap();
  object.Set("apiVersion", api_version);
  object.Set("kind", kind);
  Json& metadata = object.Make("metadata");
  metadata.Set("name", std::string_view(meta.name));
  if (!meta.uid.empty()) metadata.Set("uid", std::string_view(meta.uid));
  if (!meta.labels.empty()) metadata.Set("labels", LabelsJson(meta.labels));
  if (!meta.annotations.empty()) metadata.Set("annotations", LabelsJson(meta.annotations));
  if (meta.creation_timestamp) metadata.Set("creationTimestamp", FormatTime(*meta.creation_timestamp));
  return object;
}

}  // namespace

api::Pod PodOf(const cluster::PodInfo& pod) {
  api::Pod made;
  made.meta.ns = pod.ns();
  made.meta.name = pod.name;
  made.meta.uid = pod.uid;
  made.meta.resource_version = pod.resource_version;
  made.meta.generation = pod.generation;
  made.meta.labels = pod.labels();
  made.meta.creation_timestamp = pod.creation_timestamp;
  made.meta.deletion_timestamp = pod.deletion_timestamp;
  if (const api::OwnerReference& owner = pod.pod_template->controller; !owner.kind.empty()) {
    made.meta.owner_references.push_back(owner);
  }
  made.node_name = pod.node_name;
  made.spec = pod.spec();
  if (pod.status) made.status = *pod.status;
  made.status.nominated_node_name = pod.nominated_node_name;
  made.status.start_time = pod.start_time;
  made.source = pod.source;
  return made;
}

api::Node NodeOf(const cluster::Cluster& cluster, cluster::NodeSlot slot) {
  api::Node node = *cluster.nodes().node[slot.index];
  for (const auto& [name, size_bytes] : cluster.images().OfRow(slot)) {
    node.images.push_back({{*name}, size_bytes});
  }
  return node;
}

Json NodeManifest(const api::Node& node) {
  Json object = Manifest("v1", "Node", node.meta);
  if (node.unschedulable) object.Make("spec").Set("unschedulable", Json::Bool(true));
  Json taints = Json::MakeList();
  for (const api::Taint& taint : node.taints) {
    Json one{{"key", Json::String(taint.key)}, {"effect", Json::String(taint.effect)}};
    if (!taint.value.empty()) one.Set("value", std::string_view(taint.value));
    taints.Append(std::move(one));
  }
  if (!taints.empty()) object.Make("spec").Set("taints", std::move(taints));
  Json amounts = Json::MakeMap();
  for (const auto& [name, quantity] : node.allocatable) amounts.Set(name, quantity.String());
  object.Make("status").Set("allocatable", amounts);
  object.Make("status").Set("capacity", std::move(amounts));
  Json conditions = Json::MakeList();
  for (const api::NodeCondition& condition : node.conditions) {
    conditions.Append(Json{{"type", Json::String(condition.type)}, {"status", Json::String(condition.status)}});
  }
  object.Make("status").Set("conditions", std::move(conditions));
  Json images = Json::MakeList();
  for (const api::ContainerImage& image : node.images) {
    images.Append(Json{{"names", TextList(image.names)}, {"sizeBytes", Json::Int(image.size_bytes)}});
  }
  if (!images.empty()) object.Make("status").Set("images", std::move(images));
  if (!node.declared_features.empty()) {
    object.Make("status").Set("declaredFeatures", TextList(node.declared_features));
  }
  return object;
}

Json NamespaceManifest(const api::Namespace& ns) { return Manifest("v1", "Namespace", ns.meta); }

Json StorageClassManifest(const api::StorageClass& storage_class) {
  Json object = Manifest("storage.k8s.io/v1", "StorageClass", storage_class.meta);
  object.Set("provisioner", std::string_view(storage_class.provisioner));
  if (storage_class.volume_binding_mode) object.Set("volumeBindingMode", *storage_class.volume_binding_mode);
  Json terms = Json::MakeList();
  for (const auto& term : storage_class.allowed_topologies) {
    Json requirements = Json::MakeList();
    for (const auto& requirement : term.requirements) {
      requirements.Append(Json{{"key", Json::String(requirement.key)}, {"values", TextList(requirement.values)}});
    }
    terms.Append(Json{{"matchLabelExpressions", std::move(requirements)}});
  }
  if (!terms.empty()) object.Set("allowedTopologies", std::move(terms));
  return object;
}

Json PriorityClassManifest(const std::string& name, int32_t value) {
  return Json{{"apiVersion", Json::String("scheduling.k8s.io/v1")},
              {"kind", Json::String("PriorityClass")},
              {"metadata", Json{{"name", Json::String(name)}}},
              {"value", Json::Int(value)}};
}

}  // namespace berth::explain
