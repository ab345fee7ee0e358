// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>
#include <string_view>

#include "app/simulate/field_checks.h"
#include "app/simulate/validate.h"

namespace berth::simulate {
namespace {

void CheckContainer(const api::Container& container, const std::string& path, FieldErrors& errors) {
  CheckAmounts(container.requests, path + ".resources.requests", errors);
  CheckAmounts(container.limits, path + ".resources.limits", errors);
  for (const auto& [name, limit] : container.limits) {
    const api::Quantity* request = container.requests.Find(name);
    if (request == nullptr || request->Cmp(limit) <= 0) continue;
    errors.push_back(fmt::format("{}.resources.requests.{}: {} is more than the limit of {}", path, name,
                                 request->String(), limit.String()));
  }
  for (const api::HostPort& port : container.host_ports) {
    if (port.port > 65535) errors.push_back(fmt::format("{}.ports: hostPort {} is above 65535", path, port.port));
    if (!port.protocol.empty()) CheckOneOf(port.protocol, kProtocols, path + ".ports.protocol", errors);
  }
}

void CheckContainers(const std::vector<api::Container>& containers, const std::string& path, FieldErrors& errors) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < containers.size(); ++i) {
    const std::string container_path = fmt::format("{}[{}]", path, i);
    CheckContainer(containers[i], container_path, errors);
    if (!containers[i].name.empty() && !names.insert(containers[i].name).second) {
      errors.push_back(fmt::format("{}.name: \"{}\" is used twice", container_path, containers[i].name));
    }
  }
}

void CheckToleration(const api::Toleration& toleration, const std::string& path, FieldErrors& errors) {
  if (!toleration.op.empty()) CheckOneOf(toleration.op, kTolerationOperators, path + ".operator", errors);
  if (!toleration.effect.empty()) CheckOneOf(toleration.effect, kTaintEffects, path + ".effect", errors);
  if (toleration.key.empty() && toleration.op != "Exists") {
    errors.push_back(path + ".operator: must be Exists when there is no key");
  }
}

void CheckPolicy(std::string_view policy, const std::string& path, FieldErrors& errors) {
  if (!policy.empty()) CheckOneOf(policy, kInclusionPolicies, path, errors);
}

void CheckSpread(const api::TopologySpreadConstraint& constraint, const std::string& path, FieldErrors& errors) {
  if (constraint.max_skew < 1) errors.push_back(path + ".maxSkew: must be at least 1");
  if (constraint.topology_key.empty()) errors.push_back(path + ".topologyKey: is missing");
  CheckOneOf(constraint.when_unsatisfiable, kUnsatisfiableActions, path + ".whenUnsatisfiable", errors);
  if (constraint.min_domains && *constraint.min_domains < 1) errors.push_back(path + ".minDomains: must be at least 1");
  CheckPolicy(constraint.node_affinity_policy, path + ".nodeAffinityPolicy", errors);
  CheckPolicy(constraint.node_taints_policy, path + ".nodeTaintsPolicy", errors);
  CheckSelector(constraint.label_selector, path + ".labelSelector", errors);
}

void CheckPodTerm(const api::PodAffinityTerm& term, const std::string& path, FieldErrors& errors) {
  if (term.topology_key.empty()) errors.push_back(path + ".topologyKey: is missing");
  CheckSelector(term.label_selector, path + ".labelSelector", errors);
  CheckSelector(term.namespace_selector, path + ".namespaceSelector", errors);
}

void CheckWeight(int32_t weight, const std::string& path, FieldErrors& errors) {
  if (weight < 1 || weight > 100) errors.push_back(fmt::format("{}.weight: {} is not from 1 to 100", path, weight));
}

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

void CheckPodAffinity(const api::PodAffinity& affinity, const std::string& path, FieldErrors& errors) {
  for (size_t i = 0; i < affinity.required.size(); ++i) {
    CheckPodTerm(affinity.required[i], fmt::format("{}.{}[{}]", path, kRequired, i), errors);
  }
  for (size_t i = 0; i < affinity.preferred.size(); ++i) {
    const std::string term_path = fmt::format("{}.{}[{}]", path, kPreferred, i);
    CheckWeight(affinity.preferred[i].weight, term_path, errors);
    CheckPodTerm(affinity.preferred[i].term, term_path + ".podAffinityTerm", errors);
  }
}

void CheckNodeAffinity(const api::NodeAffinity& affinity, const std::string& path, FieldErrors& errors) {
  if (affinity.required) {
    const std::string required_path = fmt::format("{}.{}", path, kRequired);
    if (affinity.required->terms.empty()) errors.push_back(required_path + ".nodeSelectorTerms: is missing");
    CheckNodeSelector(*affinity.required, required_path, errors);
  }
  if (!affinity.preferred) return;
  for (size_t i = 0; i < affinity.preferred->size(); ++i) {
    const api::PreferredSchedulingTerm& term = (*affinity.preferred)[i];
    const std::string term_path = fmt::format("{}.{}[{}]", path, kPreferred, i);
    CheckWeight(term.weight, term_path, errors);
    CheckNodeSelector({{term.preference}}, term_path + ".preference", errors);
  }
}

void CheckAffinity(const api::Affinity& affinity, const std::string& path, FieldErrors& errors) {
  if (affinity.node_affinity) CheckNodeAffinity(*affinity.node_affinity, path + ".nodeAffinity", errors);
  if (affinity.pod_affinity) CheckPodAffinity(*affinity.pod_affinity, path + ".podAffinity", errors);
  if (affinity.pod_anti_affinity) CheckPodAffinity(*affinity.pod_anti_affinity, path + ".podAntiAffinity", errors);
}

}  // namespace

void ValidatePod(const api::Pod& pod, const std::string& path, FieldErrors& errors) {
  const api::PodSpec& spec = pod.spec;
  const std::string spec_path = path + "spec";
  if (spec.containers.empty()) errors.push_back(spec_path + ".containers: at least one container is needed");
  CheckContainers(spec.init_containers, spec_path + ".initContainers", errors);
  CheckContainers(spec.containers, spec_path + ".containers", errors);
  CheckAmounts(spec.overhead, spec_path + ".overhead", errors);
  if (spec.pod_requests) CheckAmounts(*spec.pod_requests, spec_path + ".resources.requests", errors);
  CheckAmounts(spec.pod_limits, spec_path + ".resources.limits", errors);
  for (size_t i = 0; i < spec.tolerations.size(); ++i) {
    CheckToleration(spec.tolerations[i], fmt::format("{}.tolerations[{}]", spec_path, i), errors);
  }
  for (size_t i = 0; i < spec.topology_spread_constraints.size(); ++i) {
    CheckSpread(spec.topology_spread_constraints[i], fmt::format("{}.topologySpreadConstraints[{}]", spec_path, i),
                errors);
  }
  if (spec.affinity) CheckAffinity(*spec.affinity, spec_path + ".affinity", errors);
  CheckPreemptionPolicy(spec.preemption_policy, spec_path + ".preemptionPolicy", errors);
}

}  // namespace berth::simulate
