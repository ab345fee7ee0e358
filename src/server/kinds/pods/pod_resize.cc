// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/pod_resize.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "server/kinds/pods/pod_level_resources.h"

namespace berth::server {
namespace {

constexpr std::array<std::string_view, 2> kLists = {"containers", "initContainers"};
constexpr std::array<std::string_view, 2> kAmounts = {"requests", "limits"};

// Absent here if it is absent there.
void Take(Json& object, const Json& source, std::string_view name) {
  if (const Json* member = source.Find(name)) {
    object.Set(name, *member);
  } else {
    object.Erase(name);
  }
}

bool HasAmounts(const Json& spec) {
  const Json& resources = spec["resources"];
  return !resources["requests"].empty() || !resources["limits"].empty();
}

bool AreTheSame(const Json& containers, const Json& old) {
  return std::ranges::equal(
      containers.items(), old.items(), {}, [](const Json& each) { return each["name"].text(); },
      [](const Json& each) { return each["name"].text(); });
}

// The old ones with the new resources.
Json Resized(const Json& containers, const Json& old) {
  Json all = old;
  for (size_t i = 0; i < old.size(); ++i) {
    Json& container = all.mutable_items()[i];
    Take(container, containers[i], "resources");
    Take(container, containers[i], "resizePolicy");
  }
  return all;
}

// What a kubelet says of the first container that runs.
bool NodeCanResize(const Json& pod) {
  for (const Json& status : pod["status"]["containerStatuses"].items()) {
    if (status["state"].Has("running")) return status.Has("resources");
  }
  return true;
}

bool LosesAny(const Json& amounts, const Json& old) {
  return std::ranges::any_of(old.members(), [&](const Json::Member& amount) { return !amounts.Has(amount.name); });
}

void ValidateNothingLost(const Json& resources, const Json& old, const FieldPath& path, std::string_view whose,
                         FieldErrors& errors) {
  for (const std::string_view amounts : kAmounts) {
    if (!LosesAny(resources[amounts], old[amounts])) continue;
    errors.Forbidden(path / amounts, std::string(whose) + "resource " + std::string(amounts) + " cannot be removed");
  }
}

// The resources with the old cpu and memory.
Json WithOldCpuAndMemory(const Json& resources, const Json& old) {
  Json masked = resources;
  for (const std::string_view amounts : kAmounts) {
    if (!masked.Has(amounts) && !old.Has(amounts)) continue;
    Json& list = masked.Make(amounts);
    Take(list, old[amounts], "cpu");
    Take(list, old[amounts], "memory");
    if (list.empty() && !old.Has(amounts)) masked.Erase(amounts);
  }
  return masked;
}

bool ChangesMore(const Json& container, const Json& old) {
  Json masked = container;
  if (container.Has("resources") || old.Has("resources")) {
    masked.Set("resources", WithOldCpuAndMemory(container["resources"], old["resources"]));
    if (masked["resources"].empty() && !old.Has("resources")) masked.Erase("resources");
  }
  return masked != old;
}

void ValidatePodLevel(const Json& spec, const Json& old, FieldErrors& errors) {
  if (old.Has("resources") && !spec.Has("resources")) {
    return errors.Forbidden(kSpec / "resources", "pod-level resources cannot be removed");
  }
  if (old.Has("resources")) {
    const FieldPath path = kSpec / "resources";
    ValidateNothingLost(spec["resources"], old["resources"], path, "pod-level ", errors);
  }
  const Json masked = WithOldCpuAndMemory(spec["resources"], old["resources"]);
  if (masked != old["resources"] && !(masked.empty() && old["resources"].empty())) {
    errors.Forbidden(kSpec, "only cpu and memory resources are mutable at pod-level");
  }
}

// False: which is which cannot be told.
bool ValidateOrder(const Json& spec, const Json& old, FieldErrors& errors) {
  bool is_same = true;
  for (const std::string_view list : kLists) {
    const FieldPath path = kSpec / list;
    if (spec[list].size() != old[list].size()) {
      is_same = false;
      errors.Forbidden(path, std::string(list) + " may not be added or removed on resize");
      continue;
    }
    for (size_t i = 0; i < old[list].size(); ++i) {
      if (spec[list][i]["name"] == old[list][i]["name"]) continue;
      is_same = false;
      const FieldPath at = path[i];
      errors.Forbidden(at / "name", std::string(list) + " may not be renamed or reordered on resize");
    }
  }
  return is_same;
}

void ValidateInitContainer(const Json& container, const Json& old, const FieldPath& path, FieldErrors& errors) {
  if (ChangesMore(container, old)) {
    errors.Forbidden(path, "only cpu and memory resources for init or sidecar containers are mutable");
  }
  if (container == old || container["restartPolicy"].text() == "Always") return;
  for (const Json& policy : container["resizePolicy"].items()) {
    if (policy["restartPolicy"].text() != "RestartContainer") continue;
    errors.Forbidden(path, "non-sidecar init containers with a resize policy of RestartContainer cannot be resized");
  }
}

}  // namespace

void PreparePodResize(Json& pod, const Json& old) {
  Json spec = old["spec"];
  const Json& wanted = pod["spec"];
  const bool is_same =
      std::ranges::all_of(kLists, [&](std::string_view list) { return AreTheSame(wanted[list], old["spec"][list]); });
  if (is_same) {
    for (const std::string_view list : kLists) {
      if (spec.Has(list)) spec.Set(list, Resized(wanted[list], spec[list]));
    }
    if (wanted.Has("resources")) {
      spec.Set("resources", wanted["resources"]);
      DefaultPodLevelResources(spec);
    }
    pod.Set("spec", std::move(spec));
  }
  Take(pod, old, "status");
  Json& metadata = pod.Make("metadata");
  for (const std::string_view kept : {"labels", "annotations", "finalizers", "ownerReferences"}) {
    Take(metadata, old["metadata"], kept);
  }
}

void ValidatePodResize(const Json& pod, const Json& old_pod, FieldErrors& errors) {
  const Json& spec = pod["spec"];
  const Json& old = old_pod["spec"];
  const FieldPath whole("");
  if (old_pod["metadata"]["annotations"].Has("kubernetes.io/config.mirror")) {
    errors.Take();
    return errors.Forbidden(whole, "static pods cannot be resized");
  }
  if (old["os"]["name"].text() == "windows") {
    errors.Take();
    return errors.Forbidden(whole, "windows pods cannot be resized");
  }
  if (old_pod["status"]["qosClass"].text() != QosClass(spec)) {
    errors.Invalid(kSpec, pod["status"]["qosClass"], "Pod QOS Class may not change as a result of resizing");
  }
  if (!NodeCanResize(old_pod)) errors.Forbidden(kSpec, "Pod running on node without support for resize");
  if (HasAmounts(old) || HasAmounts(spec)) ValidatePodLevel(spec, old, errors);
  if (!ValidateOrder(spec, old, errors)) return;
  for (const std::string_view list : {"initContainers", "containers"}) {
    const FieldPath path = kSpec / list;
    for (size_t i = 0; i < old[list].size(); ++i) {
      const FieldPath at = path[i];
      ValidateNothingLost(spec[list][i]["resources"], old[list][i]["resources"], at / "resources", "", errors);
    }
  }
  for (size_t i = 0; i < old["containers"].size(); ++i) {
    if (ChangesMore(spec["containers"][i], old["containers"][i])) {
      errors.Forbidden(kSpec, "only cpu and memory resources are mutable");
    }
  }
  const FieldPath path = kSpec / "initContainers";
  for (size_t i = 0; i < old["initContainers"].size(); ++i) {
    ValidateInitContainer(spec["initContainers"][i], old["initContainers"][i], path[i], errors);
  }
}

}  // namespace berth::server
