// SPDX-License-Identifier: Apache-2.0
// Changes of a pod's status.
#include <algorithm>
#include <string>
#include <string_view>

#include "api/parts/selector.h"
#include "server/kinds/internal_value.h"
#include "server/kinds/pods/pod_spec.h"
#include "server/kinds/pods/pod_update.h"
#include "server/kinds/pods/restart_policy.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

void ValidatePodConditions(const Json& conditions, const FieldPath& path, FieldErrors& errors) {
  for (size_t i = 0; i < conditions.size(); ++i) {
    const FieldPath at = path[i];
    const Json& generation = conditions[i]["observedGeneration"];
    if (generation.IntOr(0) < 0) {
      errors.Invalid(at / "observedGeneration", generation, "must be a non-negative integer");
    }
    const std::string& type = conditions[i]["type"].text();
    if (type == "PodScheduled" || type == "Ready" || type == "Initialized") continue;
    CheckQualifiedName(errors, at / "Type", type);
  }
}

void ValidateNominatedNode(const Json& pod, const Json& old, const FieldPath& path, FieldErrors& errors) {
  const std::string& name = pod["status"]["nominatedNodeName"].text();
  if (name.empty() || name == old["status"]["nominatedNodeName"].text()) return;
  const FieldPath at = path / "nominatedNodeName";
  Report(errors, at, name, api::ValidateDnsSubdomain(name));
  if (!old["spec"]["nodeName"].text().empty()) {
    errors.Forbidden(at, "may not be set on pods that are already bound to a node");
  }
}

bool AllMayRestart(const Json& spec) {
  const auto has_rule = [](const Json& container) {
    return std::ranges::any_of(container["restartPolicyRules"].items(),
                               [](const Json& rule) { return rule["action"].text() == "RestartAllContainers"; });
  };
  return std::ranges::any_of(spec["containers"].items(), has_rule) ||
         std::ranges::any_of(spec["initContainers"].items(), has_rule);
}

// What has ended stays so, unless it may be started again. `containers` is null for those that never are.
void ValidateTransitions(const Json& statuses, const Json& old, const Json* containers, std::string_view pod_policy,
                         const FieldPath& path, FieldErrors& errors) {
  for (size_t i = 0; i < old.size(); ++i) {
    const Json* ended = old[i]["state"].Find("terminated");
    if (ended == nullptr) continue;
    const std::string& name = old[i]["name"].text();
    const auto has_name = [&](const Json& item) { return item["name"].text() == name; };
    const auto status = std::ranges::find_if(
        statuses.items(), [&](const Json& item) { return has_name(item) && !item["state"].Has("terminated"); });
    if (status == statuses.items().end()) continue;
    if (containers != nullptr) {
      const auto container = std::ranges::find_if(containers->items(), has_name);
      const int64_t code = (*ended)["exitCode"].IntOr(0);
      if (container != containers->items().end() && MayRestart(*container, pod_policy, code)) continue;
    }
    const FieldPath at = path[i];
    errors.Forbidden(at / "state", "may not be transitioned to non-terminated state");
  }
}

void ValidateAllTransitions(const Json& pod, const Json& old, const FieldPath& path, FieldErrors& errors) {
  const Json& spec = old["spec"];
  const std::string& policy = spec["restartPolicy"].text();
  const auto validate = [&](std::string_view statuses, const Json* containers) {
    ValidateTransitions(pod["status"][statuses], old["status"][statuses], containers, policy, path / statuses, errors);
  };
  if (!AllMayRestart(spec)) {
    validate("containerStatuses", &spec["containers"]);
    validate("initContainerStatuses", &spec["initContainers"]);
  }
  validate("ephemeralContainerStatuses", nullptr);
}

void ValidateClaimStatuses(const Json& pod, const FieldPath& path, FieldErrors& errors) {
  const Json& statuses = pod["status"]["resourceClaimStatuses"];
  const Json::List& claims = pod["spec"]["resourceClaims"].items();
  for (size_t i = 0; i < statuses.size(); ++i) {
    const FieldPath at = path[i];
    const std::string& name = statuses[i]["name"].text();
    const auto has_name = [&](const Json& item) { return item["name"].text() == name; };
    if (std::ranges::none_of(claims, has_name)) {
      errors.Invalid(at / "name", name, "must match the name of an entry in `spec.resourceClaims`");
    }
    const auto first = std::ranges::find_if(statuses.items(), has_name);
    if (first != statuses.items().begin() + static_cast<ptrdiff_t>(i)) errors.Duplicate(at / "name", name);
    if (const Json* claim = statuses[i].Find("resourceClaimName")) {
      Report(errors, at / "resourceClaimName", claim->text(), api::ValidateDnsSubdomain(claim->text()));
    }
  }
}

const Json* FindContainer(const Json& spec, const std::string& name) {
  for (const std::string_view list : {"containers", "initContainers"}) {
    for (const Json& container : spec[list].items()) {
      if (container["name"].text() == name) return &container;
    }
  }
  return nullptr;
}

// Which devices stand for which extended resources of which containers.
void ValidateExtendedClaim(const Json& pod, const FieldPath& path, FieldErrors& errors) {
  const Json* status = pod["status"].Find("extendedResourceClaimStatus");
  if (status == nullptr) return;
  const FieldPath mappings_path = path / "requestMappings";
  const Json& mappings = (*status)["requestMappings"];
  if (mappings.empty()) errors.Required(mappings_path, "at least one request mapping is required");
  for (size_t i = 0; i < mappings.size(); ++i) {
    const FieldPath at = mappings_path[i];
    const Json& mapping = mappings[i];
    const Json* container = FindContainer(pod["spec"], mapping["containerName"].text());
    if (container == nullptr) {
      errors.Invalid(at / "containerName", mapping["containerName"],
                     "must match the name of an entry in spec.initContainers.name or spec.containers.name");
    } else if (!(*container)["resources"]["requests"].Has(mapping["resourceName"].text())) {
      errors.Invalid(at / "resourceName", mapping["resourceName"],
                     "must match the extended resource name of an entry in spec.initContainers.resources.requests or "
                     "spec.containers.resources.requests");
    }
    const std::string& request = mapping["requestName"].text();
    Report(errors, path / "requestName", request, CheckDnsLabel(request));
    if (std::ranges::find(mappings.items(), mapping) == mappings.items().begin() + static_cast<ptrdiff_t>(i)) continue;
    for (const std::string_view name : {"containerName", "resourceName", "requestName"}) {
      errors.Duplicate(at / name, mapping[name]);
    }
  }
  if (!Require(errors, path, *status, "resourceClaimName")) return;
  const std::string& claim = (*status)["resourceClaimName"].text();
  Report(errors, path / "resourceClaimName", claim, api::ValidateDnsSubdomain(claim));
}

// Lists of addresses: valid, and one of each family at most.
void ValidateIps(const Json& ips, const Json& old, std::string_view message, const FieldPath& path,
                 FieldErrors& errors) {
  for (size_t i = 0; i < ips.size(); ++i) {
    const std::string& ip = ips[i]["ip"].text();
    const bool is_old = std::ranges::any_of(old.items(), [&](const Json& each) { return each["ip"].text() == ip; });
    if (!is_old) Report(errors, path[i], ip, CheckIp(ip));
  }
  if (ips.size() < 2) return;
  const int first = IpFamily(ips[size_t{0}]["ip"].text());
  const int second = IpFamily(ips[size_t{1}]["ip"].text());
  if (ips.size() > 2 || first == second) {
    InvalidInternal(errors, path, ips, message, "may specify no more than one IP for each IP family");
  }
}

void ValidateHostIps(const Json& status, const Json& old, const FieldPath& path, FieldErrors& errors) {
  const Json& ips = status["hostIPs"];
  if (ips.empty()) return;
  const FieldPath at = path / "hostIPs";
  const FieldPath first = at[0];
  if (status["hostIP"].text() != ips[size_t{0}]["ip"].text()) {
    errors.Invalid(first / "ip", ips[size_t{0}]["ip"], "must be equal to `hostIP`");
  }
  ValidateIps(ips, old["hostIPs"], "core.v1.HostIP", at, errors);
}

}  // namespace

void ValidatePodStatusUpdate(const Json& pod, const Json& old, FieldErrors& errors) {
  const FieldPath path("status");
  const Json& status = pod["status"];
  ValidatePodConditions(status["conditions"], path / "conditions", errors);
  ValidateNominatedNode(pod, old, path, errors);
  if (status["observedGeneration"].IntOr(0) < 0) {
    errors.Invalid(path / "observedGeneration", status["observedGeneration"], "must be a non-negative integer");
  }
  CheckImmutable(errors, path / "qosClass", status["qosClass"], old["status"]["qosClass"]);
  ValidateAllTransitions(pod, old, path, errors);
  ValidateClaimStatuses(pod, path / "resourceClaimStatuses", errors);
  ValidateExtendedClaim(pod, path / "extendedResourceClaimStatus", errors);
  ValidateIps(status["podIPs"], old["status"]["podIPs"], "core.v1.PodIP", path / "podIPs", errors);
  ValidateHostIps(status, old["status"], path, errors);
}

}  // namespace berth::server
