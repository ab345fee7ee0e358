// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/pod_os.h"

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "server/kinds/pods/container_validation.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr std::array<std::string_view, 11> kPodSecurityOfLinux = {"appArmorProfile",     "seLinuxOptions",
                                                                  "seccompProfile",      "fsGroup",
                                                                  "fsGroupChangePolicy", "sysctls",
                                                                  "runAsUser",           "runAsGroup",
                                                                  "supplementalGroups",  "supplementalGroupsPolicy",
                                                                  "seLinuxChangePolicy"};
constexpr std::array<std::string_view, 4> kPodFieldsOfLinux = {"hostUsers", "hostPID", "hostIPC",
                                                               "shareProcessNamespace"};
constexpr std::array<std::string_view, 10> kContainerSecurityOfLinux = {
    "appArmorProfile", "seLinuxOptions",           "seccompProfile", "capabilities", "readOnlyRootFilesystem",
    "privileged",      "allowPrivilegeEscalation", "procMount",      "runAsUser",    "runAsGroup"};

void ForbidMembers(const Json& object, std::span<const std::string_view> names, const FieldPath& path,
                   FieldErrors& errors) {
  for (const std::string_view name : names) {
    if (object.Has(name)) errors.Forbidden(path / name, "cannot be set for a windows pod");
  }
}

void ValidateWindows(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  ForbidMembers(spec["securityContext"], kPodSecurityOfLinux, path / "securityContext", errors);
  ForbidMembers(spec, kPodFieldsOfLinux, path, errors);
  ForEachContainer(spec, path, [&](const Json& container, const FieldPath& at) {
    ForbidMembers(container["securityContext"], kContainerSecurityOfLinux, at / "securityContext", errors);
  });
}

void ValidateLinux(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kForbidden = "windows options cannot be set for a linux pod";
  if (spec["securityContext"].Has("windowsOptions")) {
    errors.Forbidden(path / "securityContext.windowsOptions", kForbidden);
  }
  ForEachContainer(spec, path, [&](const Json& container, const FieldPath& at) {
    if (container["securityContext"].Has("windowsOptions")) {
      errors.Forbidden(at / "securityContext.windowsOptions", kForbidden);
    }
  });
}

}  // namespace

void ValidateOs(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const Json* os = spec.Find("os");
  if (os == nullptr) return;
  const std::string& name = (*os)["name"].text();
  if (name.empty()) return errors.Required(path / "os.name");
  if (name == "linux") return ValidateLinux(spec, path, errors);
  if (name == "windows") return ValidateWindows(spec, path, errors);
  errors.NotSupported(path / "os", name, {"linux", "windows"});
}

void ValidateOwnUsers(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kForbidden = "when `hostUsers` is false";
  if (spec["hostNetwork"].AsBool()) errors.Forbidden(path / "hostNetwork", kForbidden);
  if (spec["hostPID"].AsBool()) errors.Forbidden(path / "HostPID", kForbidden);
  if (spec["hostIPC"].AsBool()) errors.Forbidden(path / "HostIPC", kForbidden);
  ForEachContainer(spec, path, [&](const Json& container, const FieldPath& at) {
    if (!container["volumeDevices"].empty()) errors.Forbidden(at / "volumeDevices", kForbidden);
  });
}

}  // namespace berth::server
