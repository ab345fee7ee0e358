// SPDX-License-Identifier: Apache-2.0
// Annotations that mean something to pods, most of them older forms of fields.
#include <algorithm>
#include <charconv>
#include <string>

#include "api/document/field_error.h"
#include "server/kinds/pods/container_validation.h"
#include "server/kinds/pods/life_annotations.h"
#include "server/kinds/pods/pod_spec.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr std::string_view kMirror = "kubernetes.io/config.mirror";
constexpr std::string_view kDeletionCost = "controller.kubernetes.io/pod-deletion-cost";
constexpr std::string_view kPodSeccomp = "seccomp.security.alpha.kubernetes.io/pod";
constexpr std::string_view kContainerSeccomp = "container.seccomp.security.alpha.kubernetes.io/";
constexpr std::string_view kAppArmor = "container.apparmor.security.beta.kubernetes.io/";
constexpr std::string_view kLocalhost = "localhost/";

bool IsInt32(std::string_view text) {
  int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool has_spare_zero = text.starts_with('0') && text.size() > 1;
  return error == std::errc() && end == text.data() + text.size() && !has_spare_zero;
}

void ValidateSeccompValue(std::string_view value, const FieldPath& path, FieldErrors& errors) {
  if (value == "runtime/default" || value == "docker/default" || value == "unconfined") return;
  if (value.starts_with(kLocalhost)) return CheckRelativePath(errors, path, value.substr(kLocalhost.size()));
  errors.Invalid(path, value, "must be a valid seccomp profile");
}

// What Berth's own annotations say to simulated kubelets.
void ValidateLife(const Json& annotations, const FieldPath& path, FieldErrors& errors) {
  for (const Json::Member& annotation : annotations.members()) {
    const std::string problem = LifeAnnotationProblem(annotation.name, annotation.value.text());
    if (!problem.empty()) errors.Invalid(path.Key(annotation.name), annotation.value, problem);
  }
}

bool HasContainer(const Json& spec, std::string_view name) {
  bool found = false;
  ForEachContainer(spec, FieldPath(""),
                   [&](const Json& container, const FieldPath&) { found |= container["name"].text() == name; });
  return found;
}

void ValidateAppArmorValue(const Json::Member& annotation, const Json& spec, const FieldPath& path,
                           FieldErrors& errors) {
  const std::string_view container = std::string_view(annotation.name).substr(kAppArmor.size());
  if (!HasContainer(spec, container)) errors.Invalid(path, container, "container not found");
  const std::string& value = annotation.value.text();
  if (value.empty() || value == "runtime/default" || value == "unconfined" || value.starts_with(kLocalhost)) return;
  errors.Invalid(path, value, "invalid AppArmor profile name: " + api::GoQuote(value));
}

// Null if the value is none.
Json AppArmorProfile(std::string_view value) {
  if (value == "unconfined") return Json{{"type", Json::String("Unconfined")}};
  if (value == "runtime/default") return Json{{"type", Json::String("RuntimeDefault")}};
  if (!value.starts_with(kLocalhost) || value.size() == kLocalhost.size()) return {};
  return Json{{"type", Json::String("Localhost")}, {"localhostProfile", Json::String(value.substr(kLocalhost.size()))}};
}

struct Profile {
  std::string_view kind;  // As errors call it.
  bool allows_docker_default = false;
};

// Whether an annotation says the same as the profile of a field.
void CompareProfile(const Json& field, const Json* annotation, const Profile& profile, const FieldPath& path,
                    FieldErrors& errors) {
  if (field.empty() || annotation == nullptr) return;
  const std::string& type = field["type"].text();
  std::string_view value = annotation->text();
  bool agrees = true;
  if (type == "Unconfined") agrees = value == "unconfined";
  if (type == "RuntimeDefault") {
    agrees = value == "runtime/default" || (profile.allows_docker_default && value == "docker/default");
  }
  if (type == "Localhost") agrees = value.starts_with(kLocalhost);
  if (!agrees) {
    return errors.Forbidden(path / "type", std::string(profile.kind) + " type in annotation and field must match");
  }
  if (type == "Localhost" && value.substr(kLocalhost.size()) != field["localhostProfile"].text()) {
    errors.Forbidden(path / "localhostProfile",
                     std::string(profile.kind) + " profile in annotation and field must match");
  }
}

}  // namespace

void ValidatePodAnnotations(const Json& annotations, const Json& spec, const FieldPath& path, FieldErrors& errors) {
  if (annotations.empty()) return;
  if (const Json* mirror = annotations.Find(kMirror); mirror != nullptr && spec["nodeName"].text().empty()) {
    errors.Invalid(path.Key(kMirror), *mirror, "must set spec.nodeName if mirror pod annotation is set");
  }
  if (const Json* cost = annotations.Find(kDeletionCost); cost != nullptr && !IsInt32(cost->text())) {
    errors.Invalid(path.Key(kDeletionCost), *cost, "must be a 32bit integer");
  }
  ValidateLife(annotations, path, errors);
  if (const Json* seccomp = annotations.Find(kPodSeccomp)) {
    ValidateSeccompValue(seccomp->text(), path / kPodSeccomp, errors);
  }
  for (const Json::Member& annotation : annotations.members()) {
    if (!annotation.name.starts_with(kContainerSeccomp)) continue;
    ValidateSeccompValue(annotation.value.text(), path / annotation.name, errors);
  }
  for (const Json::Member& annotation : annotations.members()) {
    if (!annotation.name.starts_with(kAppArmor)) continue;
    ValidateAppArmorValue(annotation, spec, path.Key(annotation.name), errors);
  }
}

void ApplyAppArmorAnnotations(Json& pod) {
  const Json annotations = pod["metadata"]["annotations"];
  const bool has_any = std::ranges::any_of(
      annotations.members(), [](const Json::Member& annotation) { return annotation.name.starts_with(kAppArmor); });
  if (!has_any || pod["spec"]["os"]["name"].text() == "windows") return;
  Json& spec = pod.Make("spec");
  const Json own = spec["securityContext"]["appArmorProfile"];
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    Json* containers = spec.Find(list);
    for (size_t i = 0; containers != nullptr && i < containers->size(); ++i) {
      Json& container = containers->mutable_items()[i];
      const Json* annotation = annotations.Find(std::string(kAppArmor) + container["name"].text());
      if (annotation == nullptr || container["securityContext"].Has("appArmorProfile")) continue;
      Json profile = AppArmorProfile(annotation->text());
      if (!profile.is_null() && profile != own) {
        container.Make({"securityContext", "appArmorProfile"}) = std::move(profile);
      }
    }
  }
}

void ValidateProfileAnnotations(const Json& annotations, const Json& spec, const FieldPath& spec_path,
                                FieldErrors& errors) {
  if (annotations.empty()) return;
  const Profile seccomp{.kind = "seccomp", .allows_docker_default = true};
  const Profile app_armor{.kind = "apparmor"};
  const Json& own = spec["securityContext"];
  CompareProfile(own["seccompProfile"], annotations.Find(kPodSeccomp), seccomp,
                 spec_path / "securityContext.seccompProfile", errors);
  ForEachContainer(spec, spec_path, [&](const Json& container, const FieldPath& at) {
    const std::string key = std::string(kContainerSeccomp) + container["name"].text();
    CompareProfile(container["securityContext"]["seccompProfile"], annotations.Find(key), seccomp,
                   at / "securityContext.seccompProfile", errors);
  });
  if (spec["os"]["name"].text() == "windows") return;
  ForEachContainer(spec, spec_path, [&](const Json& container, const FieldPath& at) {
    const std::string key = std::string(kAppArmor) + container["name"].text();
    const Json* field = container["securityContext"].Find("appArmorProfile");
    CompareProfile(field != nullptr ? *field : own["appArmorProfile"], annotations.Find(key), app_armor,
                   at / "securityContext.appArmorProfile", errors);
  });
}

}  // namespace berth::server
