// SPDX-License-Identifier: Apache-2.0

#include "cluster/tables/content_hash.h"

#include <concepts>
#include <functional>

namespace berth::cluster {
namespace {

// Mixes values in order. Lists and optional values mix their size, so that neighbours cannot trade elements.
class Hasher {
 public:
  uint64_t value() const { return state_; }

  template <class... Fields>
  void Mix(const Fields&... fields) {
    (One(fields), ...);
  }

 private:
  void Bits(uint64_t bits) {
    state_ = (state_ ^ bits) * 0x9E3779B97F4A7C15U;
    state_ ^= state_ >> 32;
  }

  template <std::integral T>
  void One(T number) {
    Bits(static_cast<uint64_t>(number));
  }
  void One(api::Volume::Source source) { Bits(static_cast<uint64_t>(source)); }
  void One(const std::string& text) { Bits(std::hash<std::string_view>{}(text)); }
  void One(std::string_view text) { Bits(std::hash<std::string_view>{}(text)); }
  template <class T>
  void One(const std::vector<T>& list) {
    Bits(list.size());
    for (const T& element : list) One(element);
  }
  template <class T>
  void One(const std::optional<T>& optional) {
    Bits(optional ? 1 : 0);
    if (optional) One(*optional);
  }
  template <class A, class B>
  void One(const std::pair<A, B>& pair) {
    Mix(pair.first, pair.second);
  }

  void One(const api::Quantity& quantity) { Bits(static_cast<uint64_t>(quantity.MilliValue())); }
  void One(const api::Labels& labels) {
    Bits(labels.size());
    for (const auto& entry : labels) One(entry);
  }
  void One(const api::ResourceList& list) {
    Bits(list.size());
    for (const auto& entry : list) One(entry);
  }
  void One(const api::OwnerReference& owner) {
    Mix(owner.api_version, owner.kind, owner.name, owner.uid, owner.controller);
  }
  void One(const api::HostPort& port) { Mix(port.ip, port.protocol, port.port); }
  void One(const api::Container& c) {
    Mix(c.name, c.image, c.requests, c.limits, c.host_ports, c.restart_always, c.restarts_all_containers,
        c.has_bind_mount_options, c.claims);
  }
  void One(const api::Volume& v) { Mix(v.name, v.source, v.id, v.pool, v.monitors, v.disk_kind, v.read_only); }
  void One(const api::SelectorRequirement& r) { Mix(r.key, r.op, r.values); }
  void One(const api::LabelSelector& s) { Mix(s.match_labels, s.match_expressions); }
  void One(const api::NodeSelectorTerm& t) { Mix(t.match_expressions, t.match_fields); }
  void One(const api::NodeSelector& s) { Mix(s.terms); }
  void One(const api::PreferredSchedulingTerm& t) { Mix(t.weight, t.preference); }
  void One(const api::NodeAffinity& a) { Mix(a.required, a.preferred); }
  void One(const api::PodAffinityTerm& t) { Mix(t.label_selector, t.namespaces, t.namespace_selector, t.topology_key); }
  void One(const api::WeightedPodAffinityTerm& t) { Mix(t.weight, t.term); }
  void One(const api::PodAffinity& a) { Mix(a.required, a.preferred); }
  void One(const api::Affinity& a) { Mix(a.node_affinity, a.pod_affinity, a.pod_anti_affinity); }
  void One(const api::Toleration& t) { Mix(t.key, t.op, t.value, t.effect); }
  void One(const api::TopologySpreadConstraint& c) {
    Mix(c.max_skew, c.topology_key, c.when_unsatisfiable, c.label_selector, c.min_domains, c.node_affinity_policy,
        c.node_taints_policy, c.match_label_keys);
  }
  void One(const api::PodResourceClaim& c) { Mix(c.name, c.claim_name, c.template_name); }
  void One(const api::PodSpec& s) {
    Mix(s.init_containers, s.containers, s.ephemeral_containers, s.volumes, s.node_selector, s.affinity, s.tolerations,
        s.topology_spread_constraints, s.priority, s.priority_class_name, s.preemption_policy, s.scheduler_name,
        s.scheduling_gates, s.overhead, s.pod_requests, s.pod_limits, s.host_network, s.host_users, s.resource_claims,
        s.scheduling_group);
  }

  uint64_t state_ = 0x243F6A8885A308D3U;
};

}  // namespace

uint64_t HashLabels(const api::Labels& labels) {
  Hasher hasher;
  hasher.Mix(labels);
  return hasher.value();
}

uint64_t HashTemplate(std::string_view ns, const api::OwnerReference& controller, const api::PodSpec& spec) {
  Hasher hasher;
  hasher.Mix(ns, controller, spec);
  return hasher.value();
}

}  // namespace berth::cluster
