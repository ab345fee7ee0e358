// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/pod_security.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "server/kinds/internal_value.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr size_t kSysctlLengthMax = 253;
constexpr size_t kProfileLengthMax = 4095;  // One less than the longest path.

void ValidateSeccomp(const Json* profile, const FieldPath& path, FieldErrors& errors) {
  if (profile == nullptr) return;
  const std::string& type = (*profile)["type"].text();
  const Json* localhost = profile->Find("localhostProfile");
  const FieldPath at = path / "localhostProfile";
  if (type.empty()) {
    errors.Required(path / "type", "type is required when seccompProfile is set");
  } else {
    CheckOneOf(errors, path / "type", type, {"Localhost", "RuntimeDefault", "Unconfined"});
  }
  if (type == "Localhost") {
    if (localhost == nullptr) {
      errors.Required(at, "must be set when seccomp type is Localhost");
    } else {
      CheckRelativePath(errors, at, localhost->text());
    }
  } else if (localhost != nullptr) {
    InvalidInternal(errors, at, *profile, "core.v1.SeccompProfile", "can only be set when seccomp type is Localhost");
  }
}

bool IsPadded(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  return !text.empty() && (kSpace.find(text.front()) != kSpace.npos || kSpace.find(text.back()) != kSpace.npos);
}

void ValidateAppArmor(const Json* profile, const FieldPath& path, FieldErrors& errors) {
  if (profile == nullptr) return;
  const std::string& type = (*profile)["type"].text();
  const Json* localhost = profile->Find("localhostProfile");
  const FieldPath at = path / "localhostProfile";
  if (type.empty()) {
    errors.Required(path / "type", "type is required when appArmorProfile is set");
  } else if (type == "Localhost") {
    if (localhost == nullptr || localhost->text().empty()) {
      errors.Required(at, "must be set when AppArmor type is Localhost");
    } else {
      if (IsPadded(localhost->text())) errors.Invalid(at, *localhost, "must not be padded with whitespace");
      if (localhost->text().size() > kProfileLengthMax) errors.TooLong(at, kProfileLengthMax);
    }
  } else if (type == "RuntimeDefault" || type == "Unconfined") {
    if (localhost != nullptr) errors.Invalid(at, *localhost, "can only be set when AppArmor type is Localhost");
  } else {
    errors.NotSupported(path / "type", type, {"Localhost", "RuntimeDefault", "Unconfined"});
  }
}

// Segments of a-z, 0-9, '-' and '_' (not at the ends), separated by dots or slashes.
bool IsSysctlName(std::string_view name) {
  const auto is_end = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  if (name.empty() || name.size() > kSysctlLengthMax) return false;
  bool at_start = true;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool is_separator = name[i] == '.' || name[i] == '/';
    const bool at_end = i + 1 == name.size() || name[i + 1] == '.' || name[i + 1] == '/';
    if (is_separator) {
      if (at_start || i + 1 == name.size()) return false;
    } else if (!is_end(name[i]) && ((name[i] != '-' && name[i] != '_') || at_start || at_end)) {
      return false;
    }
    at_start = is_separator;
  }
  return true;
}

// In the namespace of the network or of processes that talk, which a pod may share with its host.
bool IsOfNetwork(std::string_view name) { return name.starts_with("net."); }
bool IsOfIpc(std::string_view name) {
  return name.starts_with("kernel.msg") || name.starts_with("kernel.shm") || name.starts_with("kernel.sem") ||
         name.starts_with("fs.mqueue.");
}

void ValidateSysctls(const Json& spec, const Json& sysctls, const FieldPath& path, FieldErrors& errors) {
  std::vector<std::string_view> seen;
  for (size_t i = 0; i < sysctls.size(); ++i) {
    const FieldPath item = path[i];
    const FieldPath at = item / "name";
    const std::string& name = sysctls[i]["name"].text();
    if (name.empty()) {
      errors.Required(at);
    } else if (!IsSysctlName(name)) {
      errors.Invalid(at, name,
                     "must have at most 253 characters and match regex "
                     "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$");
    } else if (std::ranges::find(seen, name) != seen.end()) {
      errors.Duplicate(at, name);
    }
    std::string dotted = name;
    std::ranges::replace(dotted, '/', '.');
    if (spec["hostNetwork"].AsBool() && IsOfNetwork(dotted)) {
      errors.Invalid(at, name, "may not be specified when 'hostNetwork' is true");
    } else if (spec["hostIPC"].AsBool() && IsOfIpc(dotted)) {
      errors.Invalid(at, name, "may not be specified when 'hostIPC' is true");
    }
    seen.push_back(name);
  }
}

}  // namespace

void ValidateContainerSecurity(const Json& context, bool has_host_users, const FieldPath& path, FieldErrors& errors) {
  if (context.empty()) return;
  CheckUnixIdMember(errors, path, context, "runAsUser");
  CheckUnixIdMember(errors, path, context, "runAsGroup");
  CheckMemberOneOf(errors, path, context, "procMount", {"Default", "Unmasked"});
  if (has_host_users && context["procMount"].text() == "Unmasked") {
    errors.Invalid(path / "procMount", context["procMount"], "`hostUsers` must be false to use `Unmasked`");
  }
  ValidateSeccomp(context.Find("seccompProfile"), path / "seccompProfile", errors);
  const Json* escalation = context.Find("allowPrivilegeEscalation");
  if (escalation != nullptr && !escalation->AsBool()) {
    if (context["privileged"].AsBool()) {
      InvalidInternal(errors, path, context, "core.v1.SecurityContext",
                      "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
    }
    for (const Json& capability : context["capabilities"]["add"].items()) {
      if (capability.text() != "CAP_SYS_ADMIN") continue;
      InvalidInternal(errors, path, context, "core.v1.SecurityContext",
                      "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN");
    }
  }
  ValidateAppArmor(context.Find("appArmorProfile"), path / "appArmorProfile", errors);
}

void ValidatePodSecurity(const Json& spec, const FieldPath& spec_path, FieldErrors& errors) {
  const Json& context = spec["securityContext"];
  if (context.empty()) return;
  const FieldPath path = spec_path / "securityContext";
  CheckUnixIdMember(errors, path, context, "fsGroup");
  CheckUnixIdMember(errors, path, context, "runAsUser");
  CheckUnixIdMember(errors, path, context, "runAsGroup");
  const FieldPath groups_path = path / "supplementalGroups";
  const Json& groups = context["supplementalGroups"];
  for (size_t i = 0; i < groups.size(); ++i) {
    Report(errors, groups_path[i], groups[i], CheckUnixId(groups[i].IntOr(-1)));
  }
  ValidateSysctls(spec, context["sysctls"], path / "sysctls", errors);
  CheckMemberOneOf(errors, path, context, "fsGroupChangePolicy", {"Always", "OnRootMismatch"});
  ValidateSeccomp(context.Find("seccompProfile"), path / "seccompProfile", errors);
  ValidateAppArmor(context.Find("appArmorProfile"), path / "appArmorProfile", errors);
  CheckMemberOneOf(errors, path, context, "supplementalGroupsPolicy", {"Merge", "Strict"});
  CheckMemberOneOf(errors, path, context, "seLinuxChangePolicy", {"MountOption", "Recursive"});
}

}  // namespace berth::server
