// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/pod_update.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

#include "api/document/field_error.h"
#include "server/kinds/internal_value.h"
#include "server/kinds/pods/container_validation.h"
#include "server/kinds/pods/pod_spec.h"
#include "server/kinds/pods/pod_tolerations.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr std::string_view kRequiredAffinity = "requiredDuringSchedulingIgnoredDuringExecution";

void ValidateImages(const Json& containers, const FieldPath& path, FieldErrors& errors) {
  for (size_t i = 0; i < containers.size(); ++i) {
    const FieldPath at = path[i];
    Require(errors, at, containers[i], "image");
    ValidateImageSpace(containers[i], at, errors);
  }
}

// False: the rest need not be looked at.
bool ValidateContainerLists(const Json& spec, const Json& old, const FieldPath& path, FieldErrors& errors) {
  for (const std::string_view list : {"containers", "initContainers"}) {
    const FieldPath at = path / list;
    if (spec[list].size() != old[list].size()) {
      errors.Forbidden(at, "pod updates may not add or remove containers");
      return false;
    }
    ValidateImages(spec[list], at, errors);
  }
  return true;
}

// It may only become shorter. False as above.
bool ValidateDeadline(const Json& spec, const Json& old, const FieldPath& path, FieldErrors& errors) {
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  const FieldPath at = path / "activeDeadlineSeconds";
  const Json* deadline = spec.Find("activeDeadlineSeconds");
  const Json* before = old.Find("activeDeadlineSeconds");
  if (deadline == nullptr) {
    if (before != nullptr) errors.Invalid(at, Json(), "must not update from a positive integer to nil value");
    return true;
  }
  const int64_t seconds = deadline->IntOr(0);
  if (seconds < 0 || seconds > kMax) {
    errors.Invalid(at, *deadline, RangeText(0, kMax));
    return false;
  }
  if (before != nullptr && before->IntOr(0) < seconds) {
    errors.Invalid(at, *deadline, "must be less than or equal to previous value");
    return false;
  }
  return true;
}

void ValidateRemovedGates(const Json& gates, const Json& old, const FieldPath& path, FieldErrors& errors) {
  for (size_t i = 0; i < gates.size(); ++i) {
    const std::string& name = gates[i]["name"].text();
    const bool is_old = std::ranges::any_of(old.items(), [&](const Json& gate) { return gate["name"].text() == name; });
    if (is_old) continue;
    const FieldPath at = path[i];
    errors.Forbidden(at / "name", fmt::format("only deletion is allowed, but found new scheduling gate '{}'", name));
  }
}

bool BeginsWith(const Json& list, const Json& old) {
  return list.size() >= old.size() && std::equal(old.items().begin(), old.items().end(), list.items().begin());
}

bool OnlyAdds(const Json& term, const Json& old) {
  if (old.empty() && !term.empty()) return false;
  return BeginsWith(term["matchExpressions"], old["matchExpressions"]) &&
         BeginsWith(term["matchFields"], old["matchFields"]);
}

void ValidateNodeAffinityChange(const Json& affinity, const Json& old, const FieldPath& path, FieldErrors& errors) {
  const Json& terms = affinity[kRequiredAffinity]["nodeSelectorTerms"];
  const Json& old_terms = old[kRequiredAffinity]["nodeSelectorTerms"];
  if (old_terms.empty()) return;
  const FieldPath required_path = path / kRequiredAffinity;
  const FieldPath at = required_path / "nodeSelectorTerms";
  if (terms.size() != old_terms.size()) {
    return InvalidInternal(errors, at, terms, "core.v1.NodeSelectorTerm",
                           "no additions/deletions to non-empty NodeSelectorTerms list are allowed");
  }
  for (size_t i = 0; i < terms.size(); ++i) {
    if (!OnlyAdds(terms[i], old_terms[i])) {
      InvalidInternal(errors, at[i], terms[i], "core.v1.NodeSelectorTerm",
                      "only additions are allowed (no mutations or deletions)");
    }
  }
}

// A pod that is still gated may become more particular about its node. What may change is made equal in `spec`.
void ValidateGatedChange(Json& spec, const Json& old, const FieldPath& path, FieldErrors& errors) {
  if (spec["nodeSelector"] != old["nodeSelector"]) {
    const bool only_adds = std::ranges::all_of(old["nodeSelector"].members(), [&](const Json::Member& label) {
      return spec["nodeSelector"][label.name] == label.value;
    });
    if (!only_adds) {
      errors.Invalid(path / "nodeSelector", spec["nodeSelector"],
                     "only additions to spec.nodeSelector are allowed (no mutations or deletions)");
    }
    spec.Set("nodeSelector", old["nodeSelector"]);
  }
  const Json& old_affinity = old["affinity"]["nodeAffinity"];
  if (spec["affinity"]["nodeAffinity"] == old_affinity) return;
  ValidateNodeAffinityChange(spec["affinity"]["nodeAffinity"], old_affinity, path / "affinity.nodeAffinity", errors);
  Json& affinity = spec.Make("affinity");
  affinity.Set("nodeAffinity", old_affinity);
  if (!old.Has("affinity") && !affinity.Has("podAffinity") && !affinity.Has("podAntiAffinity")) spec.Erase("affinity");
}

void TakeMember(Json& object, const Json& old, std::string_view name) {
  if (const Json* member = old.Find(name)) {
    object.Set(name, *member);
  } else {
    object.Erase(name);
  }
}

void DropNulls(Json& object) {
  std::erase_if(object.mutable_members(), [](const Json::Member& member) { return member.value.is_null(); });
}

// The new spec, with all that may change as it was.
Json WithoutAllowedChanges(const Json& spec, const Json& old, const FieldPath& path, FieldErrors& errors) {
  Json masked = spec;
  for (const std::string_view list : {"containers", "initContainers"}) {
    Json* containers = masked.Find(list);
    for (size_t i = 0; containers != nullptr && i < containers->size(); ++i) {
      TakeMember(containers->mutable_items()[i], old[list][i], "image");
    }
  }
  TakeMember(masked, old, "activeDeadlineSeconds");
  TakeMember(masked, old, "schedulingGates");
  TakeMember(masked, old, "tolerations");
  if (old["terminationGracePeriodSeconds"].IntOr(0) < 0 && masked["terminationGracePeriodSeconds"].IntOr(0) == 1) {
    TakeMember(masked, old, "terminationGracePeriodSeconds");
  }
  if (!old["schedulingGates"].empty()) ValidateGatedChange(masked, old, path, errors);
  DropNulls(masked);
  return masked;
}

std::string Difference(const Json& spec, const Json& old) {
  std::string text = "@@ what would change @@\n";
  const auto line = [&](char sign, std::string_view name, const Json& value) {
    if (!value.is_null()) fmt::format_to(std::back_inserter(text), "{} {}: {}\n", sign, name, value.ToText());
  };
  for (const Json::Member& member : old.members()) {
    if (spec[member.name] == member.value) continue;
    line('-', member.name, member.value);
    line('+', member.name, spec[member.name]);
  }
  for (const Json::Member& member : spec.members()) {
    if (!old.Has(member.name)) line('+', member.name, member.value);
  }
  return text;
}

void ValidateAnnotationUpdate(const Json& annotations, const Json& old, const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kAppArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";
  constexpr std::string_view kMirrorAnnotation = "kubernetes.io/config.mirror";
  const auto forbid = [&](const std::string& key, std::string_view verb) {
    if (key.starts_with(kAppArmorPrefix)) {
      errors.Forbidden(path.Key(key), fmt::format("may not {} AppArmor annotations", verb));
    }
    if (key == kMirrorAnnotation)
      errors.Forbidden(path.Key(key), fmt::format("may not {} mirror pod annotation", verb));
  };
  for (const Json::Member& annotation : old.members()) {
    if (annotations[annotation.name] != annotation.value) forbid(annotation.name, "remove or update");
  }
  for (const Json::Member& annotation : annotations.members()) {
    if (!old.Has(annotation.name)) forbid(annotation.name, "add");
  }
}

void ValidateAnnotations(const Json& pod, const Json& old, FieldErrors& errors) {
  const FieldPath path("metadata.annotations");
  const Json& annotations = pod["metadata"]["annotations"];
  ValidateAnnotationUpdate(annotations, old["metadata"]["annotations"], path, errors);
  ValidatePodAnnotations(annotations, pod["spec"], path, errors);
}

}  // namespace

void ValidatePodUpdate(const Json& pod, const Json& old_pod, FieldErrors& errors) {
  ValidateAnnotations(pod, old_pod, errors);
  const FieldPath path("spec");
  const Json& spec = pod["spec"];
  const Json& old = old_pod["spec"];
  if (!ValidateContainerLists(spec, old, path, errors) || !ValidateDeadline(spec, old, path, errors)) return;
  ValidateAddedTolerations(spec["tolerations"], old["tolerations"], path / "tolerations", errors);
  ValidateRemovedGates(spec["schedulingGates"], old["schedulingGates"], path / "schedulingGates", errors);
  if (spec == old) return;
  const Json masked = WithoutAllowedChanges(spec, old, path, errors);
  if (masked == old) return;
  errors.Forbidden(path,
                   "pod updates may not change fields other than "
                   "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
                   "`spec.tolerations` (only additions to existing tolerations),"
                   "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
                   "\n" +
                       Difference(masked, old));
}

}  // namespace berth::server
