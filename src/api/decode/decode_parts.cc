// SPDX-License-Identifier: Apache-2.0
#include "api/decode/decode_parts.h"

#include <fmt/format.h>

#include <array>

namespace berth::api {
namespace {

void ReadOwner(FieldReader& r, OwnerReference& owner) {
  r.Read("apiVersion", owner.api_version);
  r.Read("kind", owner.kind);
  r.Read("name", owner.name);
  r.Read("uid", owner.uid);
  r.Read("controller", owner.controller);
}

void ReadRequirement(FieldReader& r, SelectorRequirement& requirement) {
  r.Read("key", requirement.key);
  r.Read("operator", requirement.op);
  r.Read("values", requirement.values);
}

void ReadNodeSelectorTerm(FieldReader& r, NodeSelectorTerm& term) {
  r.Read("matchExpressions", term.match_expressions, ReadRequirement);
  r.Read("matchFields", term.match_fields, ReadRequirement);
}

void ReadPreferredTerm(FieldReader& r, PreferredSchedulingTerm& term) {
  r.Read("weight", term.weight);
  r.Read("preference", term.preference, ReadNodeSelectorTerm);
}

void ReadPodAffinityTerm(FieldReader& r, PodAffinityTerm& term) {
  r.Read("labelSelector", term.label_selector, ReadLabelSelector);
  r.Read("namespaces", term.namespaces);
  r.Read("namespaceSelector", term.namespace_selector, ReadLabelSelector);
  r.Read("topologyKey", term.topology_key);
}

void ReadWeightedTerm(FieldReader& r, WeightedPodAffinityTerm& term) {
  r.Read("weight", term.weight);
  r.Read("podAffinityTerm", term.term, ReadPodAffinityTerm);
}

void ReadPodAffinity(FieldReader& r, PodAffinity& affinity) {
  r.Read("requiredDuringSchedulingIgnoredDuringExecution", affinity.required, ReadPodAffinityTerm);
  r.Read("preferredDuringSchedulingIgnoredDuringExecution", affinity.preferred, ReadWeightedTerm);
}

// Which member of a volume names its source, and which fields of the source identify the volume.
struct SourceFields {
  std::string_view member;
  Volume::Source source;
  std::string_view id;
  std::string_view pool;
};

constexpr std::array<SourceFields, 13> kSources = {{
    {"persistentVolumeClaim", Volume::Source::kPersistentVolumeClaim, "claimName", ""},
    {"ephemeral", Volume::Source::kEphemeral, "", ""},
    {"gcePersistentDisk", Volume::Source::kGcePersistentDisk, "pdName", ""},
    {"awsElasticBlockStore", Volume::Source::kAwsElasticBlockStore, "volumeID", ""},
    {"iscsi", Volume::Source::kIscsi, "iqn", ""},
    {"rbd", Volume::Source::kRbd, "image", "pool"},
    {"csi", Volume::Source::kCsi, "driver", ""},
    {"azureDisk", Volume::Source::kAzureDisk, "diskName", "diskURI"},
    {"cinder", Volume::Source::kCinder, "volumeID", ""},
    {"portworxVolume", Volume::Source::kPortworx, "volumeID", ""},
    {"vsphereVolume", Volume::Source::kVsphere, "volumePath", ""},
    {"azureFile", Volume::Source::kAzureFile, "shareName", "secretName"},
    {"image", Volume::Source::kImage, "reference", ""},
}};

}  // namespace

std::string DescribeObject(std::string_view kind, Value value) {
  const std::string_view ns = value["metadata"]["namespace"].text();
  const std::string_view name = value["metadata"]["name"].text();
  if (name.empty()) return std::string(kind);
  return ns.empty() ? fmt::format("{} {}", kind, name) : fmt::format("{} {}/{}", kind, ns, name);
}

void ReadMeta(FieldReader& r, ObjectMeta& meta) {
  r.Read("namespace", meta.ns);
  r.Read("name", meta.name);
  r.Read("uid", meta.uid);
  r.Read("resourceVersion", meta.resource_version);
  r.Read("generation", meta.generation);
  r.Read("labels", meta.labels);
  r.Read("annotations", meta.annotations);
  r.Read("creationTimestamp", meta.creation_timestamp);
  r.Read("deletionTimestamp", meta.deletion_timestamp);
  r.Read("ownerReferences", meta.owner_references, ReadOwner);
}

void ReadLabelSelector(FieldReader& r, LabelSelector& selector) {
  r.Read("matchLabels", selector.match_labels);
  r.Read("matchExpressions", selector.match_expressions, ReadRequirement);
}

void ReadNodeSelector(FieldReader& r, NodeSelector& selector) {
  r.Read("nodeSelectorTerms", selector.terms, ReadNodeSelectorTerm);
}

void ReadNodeAffinity(FieldReader& r, NodeAffinity& affinity) {
  r.Read("requiredDuringSchedulingIgnoredDuringExecution", affinity.required, ReadNodeSelector);
  r.Read("preferredDuringSchedulingIgnoredDuringExecution", affinity.preferred, ReadPreferredTerm);
}

void ReadAffinity(FieldReader& r, Affinity& affinity) {
  r.Read("nodeAffinity", affinity.node_affinity, ReadNodeAffinity);
  r.Read("podAffinity", affinity.pod_affinity, ReadPodAffinity);
  r.Read("podAntiAffinity", affinity.pod_anti_affinity, ReadPodAffinity);
}

void ReadVolumeSource(FieldReader& r, Volume& volume) {
  for (const SourceFields& fields : kSources) {
    if (!r.Has(fields.member)) continue;
    volume.source = fields.source;
    FieldReader source = r.Child(fields.member);
    if (!fields.id.empty()) source.Read(fields.id, volume.id);
    if (!fields.pool.empty()) source.Read(fields.pool, volume.pool);
    if (fields.source == Volume::Source::kRbd) source.Read("monitors", volume.monitors);
    if (fields.source == Volume::Source::kAzureDisk) source.Read("kind", volume.disk_kind);
    if (fields.source == Volume::Source::kAzureDisk) source.Read("kind", volume.disk_kind);
    source.Read("readOnly", volume.read_only);
    return;
  }
}

void ReadPodResourceClaim(FieldReader& r, PodResourceClaim& claim) {
  r.Read("name", claim.name);
  r.Read("resourceClaimName", claim.claim_name);
  r.Read("resourceClaimTemplateName", claim.template_name);
}

void ReadResourceClaimStatus(FieldReader& r, PodResourceClaimStatus& status) {
  r.Read("name", status.name);
  r.Read("resourceClaimName", status.claim_name);
}

void ReadPodCondition(FieldReader& r, PodCondition& condition) {
  r.Read("type", condition.type);
  r.Read("status", condition.status);
  r.Read("reason", condition.reason);
  r.Read("message", condition.message);
  r.Read("observedGeneration", condition.observed_generation);
  r.Read("lastTransitionTime", condition.last_transition_time);
}

}  // namespace berth::api
