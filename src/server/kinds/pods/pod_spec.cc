// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/pod_spec.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "api/parts/selector.h"
#include "server/kinds/internal_value.h"
#include "server/kinds/pods/container_resources.h"
#include "server/kinds/pods/container_validation.h"
#include "server/kinds/pods/pod_affinity.h"
#include "server/kinds/pods/pod_dns.h"
#include "server/kinds/pods/pod_level_resources.h"
#include "server/kinds/pods/pod_os.h"
#include "server/kinds/pods/pod_security.h"
#include "server/kinds/pods/pod_tolerations.h"
#include "server/kinds/pods/pod_volumes.h"
#include "server/model/checks.h"
#include "server/model/label_selector.h"

namespace berth::server {
namespace {

std::vector<std::string_view> ClaimNames(const Json& claims) {
  std::vector<std::string_view> names;
  for (const Json& claim : claims.items()) {
    if (!claim["name"].text().empty()) names.push_back(claim["name"].text());
  }
  return names;
}

void ValidateResourceClaim(const Json& claim, const FieldPath& path, FieldErrors& errors) {
  const Json* name = claim.Find("resourceClaimName");
  const Json* from = claim.Find("resourceClaimTemplateName");
  constexpr std::string_view kMessage = "core.v1.PodResourceClaim";
  if (name != nullptr && from != nullptr) {
    InvalidInternal(errors, path, claim, kMessage,
                    "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified");
  }
  if (name == nullptr && from == nullptr) {
    InvalidInternal(errors, path, claim, kMessage,
                    "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
  }
  for (const std::string_view member : {"resourceClaimName", "resourceClaimTemplateName"}) {
    if (const Json* text = claim.Find(member)) {
      Report(errors, path / member, text->text(), api::ValidateDnsSubdomain(text->text()));
    }
  }
}

void ValidateResourceClaims(const Json& claims, const FieldPath& path, FieldErrors& errors) {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < claims.size(); ++i) {
    const FieldPath at = path[i];
    const std::string& name = claims[i]["name"].text();
    if (std::ranges::find(names, name) != names.end()) {
      errors.Duplicate(at / "name", name);
    } else {
      CheckRequiredDnsLabel(errors, at, claims[i], "name");
      if (!name.empty()) names.push_back(name);
    }
    ValidateResourceClaim(claims[i], at, errors);
  }
}

// On the network of its host, a container's ports are the host's.
void ValidateHostNetwork(const Json& spec, SpecOf of, const FieldPath& path, FieldErrors& errors) {
  if (!spec["hostNetwork"].AsBool()) return;
  const FieldPath containers_path = path / "containers";
  for (size_t i = 0; i < spec["containers"].size(); ++i) {
    const FieldPath container_path = containers_path[i];
    const FieldPath ports_path = container_path / "ports";
    const Json& ports = spec["containers"][i]["ports"];
    for (size_t j = 0; j < ports.size(); ++j) {
      const int64_t host = ports[j]["hostPort"].IntOr(0);
      if (host == ports[j]["containerPort"].IntOr(0) || (of == SpecOf::kTemplate && host == 0)) continue;
      const FieldPath at = ports_path[j];
      errors.Invalid(at / "hostPort", Json::Int(host), "must match `containerPort` when `hostNetwork` is true");
    }
  }
}

void ValidateGates(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const FieldPath readiness_path = path / "readinessGates";
  for (size_t i = 0; i < spec["readinessGates"].size(); ++i) {
    const FieldPath at = readiness_path[i];
    CheckQualifiedName(errors, at / "conditionType", spec["readinessGates"][i]["conditionType"].text());
  }
  const FieldPath gates_path = path / "schedulingGates";
  const Json& gates = spec["schedulingGates"];
  for (size_t i = 0; i < gates.size(); ++i) {
    const std::string& name = gates[i]["name"].text();
    CheckQualifiedName(errors, gates_path[i], name);
    const auto earlier = gates.items().begin() + static_cast<ptrdiff_t>(i);
    const bool is_repeated =
        std::any_of(gates.items().begin(), earlier, [&](const Json& gate) { return gate["name"].text() == name; });
    if (is_repeated) errors.Duplicate(gates_path[i], name);
  }
}

void ValidateNames(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  constexpr int64_t kDeadlineMax = std::numeric_limits<int32_t>::max();
  const auto check = [&](std::string_view name, auto rule) {
    const std::string& text = spec[name].text();
    if (!text.empty()) Report(errors, path / name, text, rule(text));
  };
  check("serviceAccountName", api::ValidateDnsSubdomain);
  check("nodeName", api::ValidateDnsSubdomain);
  if (const Json* deadline = spec.Find("activeDeadlineSeconds")) {
    const int64_t seconds = deadline->IntOr(0);
    if (seconds < 1 || seconds > kDeadlineMax) {
      errors.Invalid(path / "activeDeadlineSeconds", *deadline, RangeText(1, kDeadlineMax));
    }
  }
  check("hostname", CheckDnsLabel);
  check("subdomain", CheckDnsLabel);
  ValidateTolerations(spec["tolerations"], path / "tolerations", errors);
  ValidateHostAliases(spec["hostAliases"], path / "hostAliases", errors);
  check("priorityClassName", api::ValidateDnsSubdomain);
  if (const Json* runtime = spec.Find("runtimeClassName")) {
    Report(errors, path / "runtimeClassName", runtime->text(), api::ValidateDnsSubdomain(runtime->text()));
  }
  if (spec.Has("preemptionPolicy")) {
    CheckEnum(errors, path, spec, "preemptionPolicy", {"PreemptLowerPriority", "Never"});
  }
}

void ValidateOverhead(const Json& overhead, const FieldPath& path, FieldErrors& errors) {
  if (overhead.empty()) return;
  ValidateResources(Json{{"limits", overhead}}, ResourceScope::kContainer, {}, path, errors);
}

void ValidateSchedulingGroup(const Json& group, const FieldPath& path, FieldErrors& errors) {
  if (group.is_null()) return;
  const FieldPath at = path / "podGroupName";
  const Json* name = group.Find("podGroupName");
  if (name == nullptr) return errors.Invalid(at, Json(), "must specify one of: `podGroupName`");
  Report(errors, at, name->text(), api::ValidateDnsSubdomain(name->text()));
}

// Files from which variables are read lie in a volume that the pod itself fills.
void ValidateFileVariables(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  ForEachContainer(spec, path, [&](const Json& container, const FieldPath& container_path) {
    const FieldPath variables_path = container_path / "env";
    const Json& variables = container["env"];
    for (size_t i = 0; i < variables.size(); ++i) {
      const Json* file = variables[i]["valueFrom"].Find("fileKeyRef");
      if (file == nullptr) continue;
      const FieldPath variable_path = variables_path[i];
      const FieldPath at = variable_path / "valueFrom.fileKeyRef.volumeName";
      const std::string& name = (*file)["volumeName"].text();
      const Json::List& volumes = spec["volumes"].items();
      const auto volume = std::ranges::find_if(volumes, [&](const Json& each) { return each["name"].text() == name; });
      if (volume == volumes.end()) {
        errors.NotFound(at, name);
      } else if (!volume->Has("emptyDir")) {
        errors.Invalid(at, name, "referenced volume must be of type emptyDir");
      }
    }
  });
}

}  // namespace

void ValidatePodSpec(const Json& spec, SpecOf of, std::string_view pod_name, const FieldPath& path,
                     FieldErrors& errors) {
  const Json* host_users = spec.Find("hostUsers");
  ContainerContext context{.volumes = ValidateVolumes(spec["volumes"], pod_name, path / "volumes", errors),
                           .claims = ClaimNames(spec["resourceClaims"]),
                           .grace_seconds = spec["terminationGracePeriodSeconds"].AsInt(),
                           .restart_policy = spec["restartPolicy"].text(),
                           .has_host_users = host_users == nullptr || host_users->AsBool()};
  ValidateResourceClaims(spec["resourceClaims"], path / "resourceClaims", errors);
  ValidateContainers(spec, context, path, errors);
  ValidatePodLevelResources(spec, context.claims, path, errors);
  ValidateHostNetwork(spec, of, path, errors);
  CheckEnum(errors, path, spec, "restartPolicy", {"Always", "OnFailure", "Never"});
  CheckEnum(errors, path, spec, "dnsPolicy", {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"});
  if (spec.Has("nodeSelector")) ValidateLabels(spec["nodeSelector"], path / "nodeSelector", errors);
  ValidatePodSecurity(spec, path, errors);
  if (spec["hostPID"].AsBool() && spec["shareProcessNamespace"].AsBool()) {
    errors.Invalid(path / "shareProcessNamespace", Json::Bool(true),
                   "ShareProcessNamespace and HostPID cannot both be enabled");
  }
  ValidateAffinity(spec["affinity"], path / "affinity", errors);
  ValidateDnsConfig(spec, path / "dnsConfig", errors);
  ValidateGates(spec, path, errors);
  ValidateTopologySpread(spec["topologySpreadConstraints"], path / "topologySpreadConstraints", errors);
  if (!context.has_host_users) ValidateOwnUsers(spec, path, errors);
  ValidateHostnameOverride(spec, path, errors);
  ValidateNames(spec, path, errors);
  ValidateOverhead(spec["overhead"], path / "overhead", errors);
  ValidateOs(spec, path, errors);
  ValidateSchedulingGroup(spec["schedulingGroup"], path / "schedulingGroup", errors);
  ValidateFileVariables(spec, path, errors);
}

}  // namespace berth::server
