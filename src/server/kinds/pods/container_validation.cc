// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/container_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "server/kinds/pods/container_env.h"
#include "server/kinds/pods/container_handlers.h"
#include "server/kinds/pods/container_resources.h"
#include "server/kinds/pods/pod_security.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr size_t kRestartRulesMax = 20;
constexpr size_t kExitCodesMax = 255;

using Names = std::vector<std::string_view>;

bool Has(const Names& names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

void ValidatePorts(const Json& ports, const FieldPath& path, FieldErrors& errors) {
  Names names;
  for (size_t i = 0; i < ports.size(); ++i) {
    const Json& port = ports[i];
    const FieldPath at = path[i];
    if (const std::string& name = port["name"].text(); !name.empty()) {
      const Problems problems = CheckPortName(name);
      Report(errors, at / "name", name, problems);
      if (problems.empty() && Has(names, name)) errors.Duplicate(at / "name", name);
      if (problems.empty()) names.push_back(name);
    }
    const Json& number = port["containerPort"];
    if (number.IntOr(0) == 0) {
      errors.Required(at / "containerPort");
    } else {
      Report(errors, at / "containerPort", number, CheckPortNumber(number.IntOr(0)));
    }
    const Json& host = port["hostPort"];
    if (host.IntOr(0) != 0) Report(errors, at / "hostPort", host, CheckPortNumber(host.IntOr(0)));
    CheckEnum(errors, at, port, "protocol", {"SCTP", "TCP", "UDP"});
  }
}

// A port of the host goes to one container port only.
void ValidateHostPorts(const Json& container, const FieldPath& path, FieldErrors& errors,
                       std::vector<std::string>& taken) {
  const Json& ports = container["ports"];
  const FieldPath ports_path = path / "ports";
  for (size_t i = 0; i < ports.size(); ++i) {
    const int64_t number = ports[i]["hostPort"].IntOr(0);
    if (number == 0) continue;
    std::string key = fmt::format("{}/{}/{}", ports[i]["protocol"].text(), ports[i]["hostIP"].text(), number);
    const FieldPath at = ports_path[i];
    if (std::ranges::find(taken, key) != taken.end()) {
      errors.Duplicate(at / "hostPort", key);
    } else {
      taken.push_back(std::move(key));
    }
  }
}

void ValidateResizePolicy(const Json& policies, std::string_view restart_policy, const FieldPath& path,
                          FieldErrors& errors) {
  Names resources;
  for (size_t i = 0; i < policies.size(); ++i) {
    const std::string& resource = policies[i]["resourceName"].text();
    const std::string& policy = policies[i]["restartPolicy"].text();
    if (Has(resources, resource)) errors.Duplicate(path[i], resource);
    resources.push_back(resource);
    // Upstream reports the rest under the list.
    if (resource.empty()) {
      errors.Required(path);
    } else {
      CheckOneOf(errors, path, resource, {"cpu", "memory"});
    }
    if (policy.empty()) {
      errors.Required(path);
    } else {
      CheckOneOf(errors, path, policy, {"NotRequired", "RestartContainer"});
    }
    if (restart_policy == "Never" && policy != "NotRequired") {
      errors.Invalid(path, policy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
    }
  }
}

void ValidateRestartPolicy(const Json& container, const FieldPath& path, FieldErrors& errors) {
  const Json* policy = container.Find("restartPolicy");
  const Json& rules = container["restartPolicyRules"];
  if (policy != nullptr) {
    CheckOneOf(errors, path / "restartPolicy", policy->text(), {"Always", "Never", "OnFailure"});
  } else if (!rules.empty()) {
    errors.Required(path / "restartPolicy", "must specify restartPolicy when restart rules are used");
  }
  const FieldPath rules_path = path / "restartPolicyRules";
  if (rules.size() > kRestartRulesMax) errors.TooMany(rules_path, rules.size(), kRestartRulesMax);
  for (size_t i = 0; i < rules.size(); ++i) {
    const FieldPath at = rules_path[i];
    CheckOneOf(errors, at / "action", rules[i]["action"].text(), {"Restart", "RestartAllContainers"});
    const Json* codes = rules[i].Find("exitCodes");
    const FieldPath codes_path = at / "exitCodes";
    if (codes == nullptr) {
      errors.Required(codes_path, "must be specified");
      continue;
    }
    CheckOneOf(errors, codes_path / "operator", (*codes)["operator"].text(), {"In", "NotIn"});
    const size_t count = (*codes)["values"].size();
    if (count > kExitCodesMax) errors.TooMany(codes_path / "values", count, kExitCodesMax);
  }
}

void ValidateCommon(const Json& container, const ContainerContext& context, const FieldPath& path,
                    FieldErrors& errors) {
  CheckRequiredDnsLabel(errors, path, container, "name");
  Require(errors, path, container, "image");
  CheckEnum(errors, path, container, "terminationMessagePolicy", {"File", "FallbackToLogsOnError"});
  ValidatePorts(container["ports"], path / "ports", errors);
  ValidateEnvironment(container, path, errors);
  ValidateMounts(container, context.volumes, path, errors);
  CheckEnum(errors, path, container, "imagePullPolicy", {"Always", "IfNotPresent", "Never"});
  ValidateResources(container["resources"], ResourceScope::kContainer, context.claims, path / "resources", errors);
  ValidateResizePolicy(container["resizePolicy"], context.restart_policy, path / "resizePolicy", errors);
  ValidateContainerSecurity(container["securityContext"], context.has_host_users, path / "securityContext", errors);
}

Names ValidateRegular(const Json& containers, const ContainerContext& context, const FieldPath& path,
                      FieldErrors& errors) {
  if (containers.empty()) errors.Required(path);
  Names names;
  for (size_t i = 0; i < containers.size(); ++i) {
    const Json& container = containers[i];
    const FieldPath at = path[i];
    ValidateCommon(container, context, at, errors);
    const std::string& name = container["name"].text();
    if (Has(names, name)) errors.Duplicate(at / "name", name);
    names.push_back(name);
    ValidateHandlers(container, context.grace_seconds, at, errors);
    ValidateRestartPolicy(container, at, errors);
  }
  std::vector<std::string> host_ports;
  for (size_t i = 0; i < containers.size(); ++i) ValidateHostPorts(containers[i], path[i], errors, host_ports);
  return names;
}

void ValidateInit(const Json& containers, const ContainerContext& context, const FieldPath& path, FieldErrors& errors,
                  Names& names) {
  for (size_t i = 0; i < containers.size(); ++i) {
    const Json& container = containers[i];
    const FieldPath at = path[i];
    ValidateCommon(container, context, at, errors);
    ValidateRestartPolicy(container, at, errors);
    const std::string& name = container["name"].text();
    if (Has(names, name)) {
      errors.Duplicate(at / "name", name);
    } else if (!name.empty()) {
      names.push_back(name);
    }
    // They run one after the other, so each may use the same ports. Upstream counts from zero for each of them.
    std::vector<std::string> host_ports;
    ValidateHostPorts(container, path[0], errors, host_ports);
    if (container["restartPolicy"].text() == "Always") {
      ValidateHandlers(container, context.grace_seconds, at, errors);
      continue;
    }
    ForbidHandlers(container, at, errors);
    const FieldPath resize_path = at / "resizePolicy";
    const Json& resize = container["resizePolicy"];
    for (size_t j = 0; j < resize.size(); ++j) {
      const FieldPath policy_path = resize_path[j];
      if (resize[j]["restartPolicy"].text() != "RestartContainer") continue;
      errors.Invalid(policy_path / "restartPolicy", "RestartContainer",
                     "must not be set to 'RestartContainer' for non-sidecar initContainers");
    }
  }
}

void ValidateEphemeral(const Json& containers, const ContainerContext& context, const FieldPath& path,
                       FieldErrors& errors, Names names) {
  const Names targets = names;
  for (size_t i = 0; i < containers.size(); ++i) {
    const Json& container = containers[i];
    const FieldPath at = path[i];
    ValidateCommon(container, context, at, errors);
    ValidateImageSpace(container, at, errors);
    const std::string& name = container["name"].text();
    if (Has(names, name)) errors.Duplicate(at / "name", name);
    names.push_back(name);
    const std::string& target = container["targetContainerName"].text();
    if (!target.empty() && !Has(targets, target)) errors.NotFound(at / "targetContainerName", target);
    for (const std::string_view field : {"ports", "resources", "resizePolicy", "restartPolicy", "restartPolicyRules",
                                         "livenessProbe", "readinessProbe", "startupProbe", "lifecycle"}) {
      const Json* member = container.Find(field);
      const bool is_set = member != nullptr && !(field == "resources" && member->empty());
      if (is_set) errors.Forbidden(at / field, "cannot be set for an Ephemeral Container");
    }
    const FieldPath mounts_path = at / "volumeMounts";
    const Json& mounts = container["volumeMounts"];
    for (size_t j = 0; j < mounts.size(); ++j) {
      const FieldPath mount_path = mounts_path[j];
      for (const std::string_view field : {"subPath", "subPathExpr"}) {
        if (mounts[j].Has(field)) errors.Forbidden(mount_path / field, "cannot be set for an Ephemeral Container");
      }
    }
  }
}

}  // namespace

void ValidateContainers(const Json& spec, const ContainerContext& context, const FieldPath& spec_path,
                        FieldErrors& errors) {
  Names names = ValidateRegular(spec["containers"], context, spec_path / "containers", errors);
  ValidateInit(spec["initContainers"], context, spec_path / "initContainers", errors, names);
  ValidateEphemeral(spec["ephemeralContainers"], context, spec_path / "ephemeralContainers", errors, std::move(names));
}

void ValidateImageSpace(const Json& container, const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const std::string& image = container["image"].text();
  if (image.empty()) return;
  if (kSpace.find(image.front()) == kSpace.npos && kSpace.find(image.back()) == kSpace.npos) return;
  errors.Invalid(path / "image", image, "must not have leading or trailing whitespace");
}

}  // namespace berth::server
