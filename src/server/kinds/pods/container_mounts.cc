// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/container_mounts.h"

#include <algorithm>

#include "server/model/checks.h"

namespace berth::server {
namespace {

bool Uses(const Json& list, std::string_view member, std::string_view text) {
  return std::ranges::any_of(list.items(), [&](const Json& item) { return item[member].text() == text; });
}

// Upstream keeps the paths by name of the volume, so of several with one name the last counts.
bool UsesPath(const Json& list, std::string_view member, std::string_view text) {
  const Json::List& all = list.items();
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i][member].text() != text) continue;
    const std::string& name = all[i]["name"].text();
    const bool is_last = std::none_of(all.begin() + static_cast<ptrdiff_t>(i) + 1, all.end(),
                                      [&](const Json& later) { return later["name"].text() == name; });
    if (is_last) return true;
  }
  return false;
}

// Whether one of the first `end` items has the text.
bool CameBefore(const Json& list, size_t end, std::string_view member, std::string_view text) {
  for (size_t i = 0; i < end; ++i) {
    if (list[i][member].text() == text) return true;
  }
  return false;
}

void ValidatePropagation(const Json& mount, const Json& container, const FieldPath& path, FieldErrors& errors) {
  const Json* propagation = mount.Find("mountPropagation");
  if (propagation == nullptr) return;
  const FieldPath at = path / "mountPropagation";
  CheckOneOf(errors, at, propagation->text(), {"Bidirectional", "HostToContainer", "None"});
  if (propagation->text() == "Bidirectional" && !container["securityContext"]["privileged"].AsBool()) {
    errors.Forbidden(at, "Bidirectional mount propagation is available only to privileged containers");
  }
}

void ValidateRecursiveReadOnly(const Json& mount, const FieldPath& path, FieldErrors& errors) {
  const Json* recursive = mount.Find("recursiveReadOnly");
  if (recursive == nullptr || recursive->text() == "Disabled") return;
  const FieldPath at = path / "recursiveReadOnly";
  if (recursive->text() != "Enabled" && recursive->text() != "IfPossible") {
    return errors.NotSupported(at, recursive->text(), {"Disabled", "Enabled", "IfPossible"});
  }
  if (!mount["readOnly"].AsBool()) errors.Forbidden(at, "may only be specified when readOnly is true");
  const Json* propagation = mount.Find("mountPropagation");
  if (propagation != nullptr && propagation->text() != "None") {
    errors.Forbidden(at, "may only be specified when mountPropagation is None or not specified");
  }
}

void ValidateMount(const Json& container, size_t index, const Volumes& volumes, const FieldPath& path,
                   FieldErrors& errors) {
  const Json& mounts = container["volumeMounts"];
  const Json& devices = container["volumeDevices"];
  const Json& mount = mounts[index];
  const FieldPath at = path[index];
  const std::string& name = mount["name"].text();
  const std::string& target = mount["mountPath"].text();

  Require(errors, at, mount, "name");
  if (FindVolume(volumes, name) == nullptr) errors.NotFound(at / "name", name);
  Require(errors, at, mount, "mountPath");
  if (CameBefore(mounts, index, "mountPath", target)) errors.Invalid(at / "mountPath", target, "must be unique");
  if (Uses(devices, "name", name)) errors.Invalid(at / "name", name, "must not already exist in volumeDevices");
  if (UsesPath(devices, "devicePath", target)) {
    errors.Invalid(at / "mountPath", target, "must not already exist as a path in volumeDevices");
  }
  // Upstream reports these under the list instead of the mount.
  const std::string& sub_path = mount["subPath"].text();
  if (!sub_path.empty()) CheckRelativePath(errors, path / "subPath", sub_path);
  const std::string& expression = mount["subPathExpr"].text();
  if (!expression.empty()) {
    if (!sub_path.empty()) {
      errors.Invalid(at / "subPathExpr", expression, "subPathExpr and subPath are mutually exclusive");
    }
    CheckRelativePath(errors, path / "subPathExpr", expression);
  }
  ValidatePropagation(mount, container, path, errors);
  ValidateRecursiveReadOnly(mount, path, errors);
}

bool HasBackstep(std::string_view target) {
  FieldErrors found;
  CheckNoBacksteps(found, FieldPath(""), target);
  return !found.empty();
}

void ValidateDevice(const Json& container, size_t index, const Volumes& volumes, const FieldPath& path,
                    FieldErrors& errors) {
  const Json& devices = container["volumeDevices"];
  const Json& mounts = container["volumeMounts"];
  const FieldPath at = path[index];
  const std::string& name = devices[index]["name"].text();
  const std::string& target = devices[index]["devicePath"].text();

  Require(errors, at, devices[index], "name");
  if (!name.empty() && CameBefore(devices, index, "name", name)) errors.Invalid(at / "name", name, "must be unique");
  const Json* volume = FindVolume(volumes, name);
  if (volume == nullptr) {
    errors.NotFound(at / "name", name);
  } else if (!volume->Has("persistentVolumeClaim") && !volume->Has("ephemeral")) {
    errors.Invalid(at / "name", name,
                   "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode");
  }
  Require(errors, at, devices[index], "devicePath");
  const bool steps_back = HasBackstep(target);
  if (!steps_back && CameBefore(devices, index, "devicePath", target)) {
    errors.Invalid(at / "devicePath", target, "must be unique");
  }
  if (steps_back) errors.Invalid(at / "devicePath", target, "can not contain backsteps ('..')");
  if (Uses(mounts, "name", name)) errors.Invalid(at / "name", name, "must not already exist in volumeMounts");
  if (UsesPath(mounts, "mountPath", target)) {
    errors.Invalid(at / "devicePath", target, "must not already exist as a path in volumeMounts");
  }
}

}  // namespace

const Json* FindVolume(const Volumes& volumes, std::string_view name) {
  const auto at = std::ranges::find_if(volumes, [&](const Json* volume) { return (*volume)["name"].text() == name; });
  return at == volumes.end() ? nullptr : *at;
}

void ValidateMounts(const Json& container, const Volumes& volumes, const FieldPath& path, FieldErrors& errors) {
  const FieldPath mounts_path = path / "volumeMounts";
  for (size_t i = 0; i < container["volumeMounts"].size(); ++i) {
    ValidateMount(container, i, volumes, mounts_path, errors);
  }
  const FieldPath devices_path = path / "volumeDevices";
  for (size_t i = 0; i < container["volumeDevices"].size(); ++i) {
    ValidateDevice(container, i, volumes, devices_path, errors);
  }
}

}  // namespace berth::server
