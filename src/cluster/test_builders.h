// SPDX-License-Identifier: Apache-2.0
// PodBuilder and NodeBuilder: API objects for tests, in one expression.
//
//   const api::Pod pod = PodBuilder("web-1").Node("n1").Label("app", "web").Request("cpu", "500m").Build();
//   const api::Node node = NodeBuilder("n1").Capacity("4", "8Gi").Zone("z1").Taint("gpu", "", "NoSchedule").Build();
//
// A new pod is in namespace "default", has the uid "uid-<name>" and one container without requests. A new node has no
// capacity and the label kubernetes.io/hostname. For tests only.

#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "api/objects/node.h"
#include "api/objects/pod.h"

namespace berth::cluster {

// {{"cpu", "1"}, {"memory", "1Gi"}} as a resource list. REQUIRES: the quantities parse.
inline api::ResourceList Amounts(std::initializer_list<std::pair<const char*, const char*>> amounts) {
  api::ResourceList list;
  for (const auto& [name, text] : amounts) list.Set(name, api::Quantity::Parse(text).value());
  return list;
}

// A selector of equal labels.
inline api::LabelSelector MatchLabels(api::Labels labels) {
  return {.match_labels = std::move(labels), .match_expressions = {}};
}

// A pod affinity term in the pod's own namespace.
inline api::PodAffinityTerm Term(std::string topology_key, api::Labels labels) {
  return {.label_selector = MatchLabels(std::move(labels)),
          .namespaces = {},
          .namespace_selector = std::nullopt,
          .topology_key = std::move(topology_key)};
}

class PodBuilder {
 public:
  explicit PodBuilder(std::string name) {
    pod_.meta.ns = "default";
    pod_.meta.uid = "uid-" + name;
    pod_.spec.containers.resize(1);
    pod_.spec.containers[0].name = "main";
    pod_.meta.name = std::move(name);
  }

  api::Pod Build() const { return pod_; }
  operator api::Pod() const { return pod_; }  // NOLINT: saves Build() in arguments.
  // For what has no call below.
  api::Pod& raw() { return pod_; }

  PodBuilder& Namespace(std::string ns) { return Set(pod_.meta.ns, std::move(ns)); }
  PodBuilder& Uid(std::string uid) { return Set(pod_.meta.uid, std::move(uid)); }
  PodBuilder& Node(std::string node) { return Set(pod_.node_name, std::move(node)); }
  PodBuilder& NominatedNode(std::string node) { return Set(pod_.status.nominated_node_name, std::move(node)); }
  PodBuilder& ResourceVersion(std::string version) { return Set(pod_.meta.resource_version, std::move(version)); }
  PodBuilder& Priority(int32_t priority) { return Set(pod_.spec.priority, priority); }
  PodBuilder& PreemptionPolicy(std::string policy) { return Set(pod_.spec.preemption_policy, std::move(policy)); }
  PodBuilder& SchedulerName(std::string name) { return Set(pod_.spec.scheduler_name, std::move(name)); }
  PodBuilder& CreatedAt(Time time) { return Set(pod_.meta.creation_timestamp, time); }
  PodBuilder& StartedAt(Time time) { return Set(pod_.status.start_time, time); }
  PodBuilder& Terminating(Time since = Time{1}) { return Set(pod_.meta.deletion_timestamp, since); }
  PodBuilder& HostNetwork() { return Set(pod_.spec.host_network, true); }
  PodBuilder& Phase(std::string phase) { return Set(pod_.status.phase, std::move(phase)); }
  PodBuilder& Label(std::string key, std::string value) {
    pod_.meta.labels.Set(std::move(key), std::move(value));
    return *this;
  }
  PodBuilder& Labels(api::Labels labels) { return Set(pod_.meta.labels, std::move(labels)); }
  PodBuilder& Owner(std::string kind, std::string name, std::string uid = "owner",
                    std::string api_version = "apps/v1") {
    return Push(pod_.meta.owner_references,
                {std::move(api_version), std::move(kind), std::move(name), std::move(uid), true});
  }

  // Sets a request of the last container.
  PodBuilder& Request(std::string name, const char* amount) {
    pod_.spec.containers.back().requests.Set(std::move(name), api::Quantity::Parse(amount).value());
    return *this;
  }
  PodBuilder& Image(std::string image) { return Set(pod_.spec.containers.back().image, std::move(image)); }
  PodBuilder& HostPort(int32_t port, std::string protocol = "", std::string ip = "") {
    return Push(pod_.spec.containers.back().host_ports, {std::move(ip), std::move(protocol), port});
  }
  // Another container.
  PodBuilder& Container(std::string name, api::ResourceList requests = {}) {
    return AddContainer(pod_.spec.containers, std::move(name), std::move(requests), false);
  }
  PodBuilder& InitContainer(std::string name, api::ResourceList requests = {}) {
    return AddContainer(pod_.spec.init_containers, std::move(name), std::move(requests), false);
  }
  PodBuilder& Sidecar(std::string name, api::ResourceList requests = {}) {
    return AddContainer(pod_.spec.init_containers, std::move(name), std::move(requests), true);
  }
  PodBuilder& Overhead(api::ResourceList overhead) { return Set(pod_.spec.overhead, std::move(overhead)); }
  PodBuilder& PodRequests(api::ResourceList requests) { return Set(pod_.spec.pod_requests, std::move(requests)); }

  PodBuilder& Claim(std::string claim, bool read_only = false) {
    return AddVolume(api::Volume::Source::kPersistentVolumeClaim, std::move(claim), read_only);
  }
  PodBuilder& AddVolume(api::Volume::Source source, std::string id, bool read_only = false) {
    api::Volume volume;
    volume.name = "volume-" + std::to_string(pod_.spec.volumes.size());
    volume.source = source;
    volume.id = std::move(id);
    volume.read_only = read_only;
    return Push(pod_.spec.volumes, std::move(volume));
  }

  PodBuilder& Toleration(std::string key, std::string op = "Exists", std::string value = "", std::string effect = "") {
    return Push(pod_.spec.tolerations, {std::move(key), std::move(op), std::move(value), std::move(effect)});
  }
  PodBuilder& NodeSelector(std::string key, std::string value) {
    if (!pod_.spec.node_selector) pod_.spec.node_selector.emplace();
    pod_.spec.node_selector->Set(std::move(key), std::move(value));
    return *this;
  }
  // Adds a required term with one expression; terms are ORed.
  PodBuilder& NodeAffinity(std::string key, std::string op, std::vector<std::string> values) {
    if (!node_affinity().required) node_affinity().required.emplace();
    return Push(node_affinity().required->terms, NodeTerm(std::move(key), std::move(op), std::move(values)));
  }
  PodBuilder& PreferredNodeAffinity(int32_t weight, std::string key, std::string op, std::vector<std::string> values) {
    if (!node_affinity().preferred) node_affinity().preferred.emplace();
    return Push(*node_affinity().preferred, {weight, NodeTerm(std::move(key), std::move(op), std::move(values))});
  }
  PodBuilder& Affinity(api::PodAffinityTerm term) { return Push(pod_affinity().required, std::move(term)); }
  PodBuilder& AntiAffinity(api::PodAffinityTerm term) { return Push(pod_anti_affinity().required, std::move(term)); }
  PodBuilder& PreferredAffinity(int32_t weight, api::PodAffinityTerm term) {
    return Push(pod_affinity().preferred, {weight, std::move(term)});
  }
  PodBuilder& PreferredAntiAffinity(int32_t weight, api::PodAffinityTerm term) {
    return Push(pod_anti_affinity().preferred, {weight, std::move(term)});
  }
  PodBuilder& Spread(int32_t max_skew, std::string topology_key, std::string when_unsatisfiable, api::Labels labels) {
    api::TopologySpreadConstraint constraint;
    constraint.max_skew = max_skew;
    constraint.topology_key = std::move(topology_key);
    constraint.when_unsatisfiable = std::move(when_unsatisfiable);
    constraint.label_selector = MatchLabels(std::move(labels));
    return Spread(std::move(constraint));
  }
  PodBuilder& Spread(api::TopologySpreadConstraint constraint) {
    return Push(pod_.spec.topology_spread_constraints, std::move(constraint));
  }
  PodBuilder& Gate(std::string name) { return Push(pod_.spec.scheduling_gates, std::move(name)); }

  PodBuilder& Condition(std::string type, std::string status, std::string reason = "", std::string message = "") {
    api::PodCondition condition;
    condition.type = std::move(type);
    condition.status = std::move(status);
    condition.reason = std::move(reason);
    condition.message = std::move(message);
    return Push(pod_.status.conditions, std::move(condition));
  }
  // What the status says of a container's resources.
  PodBuilder& ContainerStatus(std::string name, std::optional<api::ResourceList> allocated,
                              std::optional<api::ResourceList> actuated) {
    return Push(pod_.status.container_statuses, {std::move(name), std::move(allocated), std::move(actuated)});
  }
  PodBuilder& PodStatusResources(std::optional<api::ResourceList> allocated,
                                 std::optional<api::ResourceList> actuated) {
    pod_.status.allocated_resources = std::move(allocated);
    return Set(pod_.status.resource_requests, std::move(actuated));
  }

 private:
  template <class T, class V>
  PodBuilder& Set(T& field, V value) {
    field = std::move(value);
    return *this;
  }
  template <class T>
  PodBuilder& Push(std::vector<T>& list, T value) {
    list.push_back(std::move(value));
    return *this;
  }
  PodBuilder& AddContainer(std::vector<api::Container>& list, std::string name, api::ResourceList requests,
                           bool sidecar) {
    api::Container container;
    container.name = std::move(name);
    container.requests = std::move(requests);
    container.restart_always = sidecar;
    return Push(list, std::move(container));
  }
  static api::NodeSelectorTerm NodeTerm(std::string key, std::string op, std::vector<std::string> values) {
    return {.match_expressions = {{std::move(key), std::move(op), std::move(values)}}, .match_fields = {}};
  }
  template <class T>
  static T& Ensure(std::optional<T>& optional) {
    return optional ? *optional : optional.emplace();
  }
  api::NodeAffinity& node_affinity() { return Ensure(Ensure(pod_.spec.affinity).node_affinity); }
  api::PodAffinity& pod_affinity() { return Ensure(Ensure(pod_.spec.affinity).pod_affinity); }
  api::PodAffinity& pod_anti_affinity() { return Ensure(Ensure(pod_.spec.affinity).pod_anti_affinity); }

  api::Pod pod_;
};

class NodeBuilder {
 public:
  explicit NodeBuilder(std::string name) {
    node_.meta.uid = "uid-" + name;
    node_.meta.labels.Set("kubernetes.io/hostname", name);
    node_.meta.name = std::move(name);
  }

  api::Node Build() const { return node_; }
  operator api::Node() const { return node_; }  // NOLINT: saves Build() in arguments.
  api::Node& raw() { return node_; }

  NodeBuilder& Capacity(const char* cpu, const char* memory, const char* pods = "110") {
    return Allocatable("cpu", cpu).Allocatable("memory", memory).Allocatable("pods", pods);
  }
  NodeBuilder& Allocatable(std::string name, const char* amount) {
    node_.allocatable.Set(std::move(name), api::Quantity::Parse(amount).value());
    return *this;
  }
  NodeBuilder& Label(std::string key, std::string value) {
    node_.meta.labels.Set(std::move(key), std::move(value));
    return *this;
  }
  NodeBuilder& Annotation(std::string key, std::string value) {
    node_.meta.annotations.Set(std::move(key), std::move(value));
    return *this;
  }
  NodeBuilder& Zone(std::string zone) { return Label("topology.kubernetes.io/zone", std::move(zone)); }
  NodeBuilder& Region(std::string region) { return Label("topology.kubernetes.io/region", std::move(region)); }
  NodeBuilder& Taint(std::string key, std::string value, std::string effect) {
    node_.taints.push_back({std::move(key), std::move(value), std::move(effect)});
    return *this;
  }
  NodeBuilder& Unschedulable() {
    node_.unschedulable = true;
    return *this;
  }
  NodeBuilder& Image(std::string name, int64_t size_bytes) {
    node_.images.push_back({{std::move(name)}, size_bytes});
    return *this;
  }
  NodeBuilder& Feature(std::string name) {
    node_.declared_features.push_back(std::move(name));
    return *this;
  }

 private:
  api::Node node_;
};

}  // namespace berth::cluster
