// SPDX-License-Identifier: Apache-2.0
// Pod security: a namespace says by labels which standard its pods must keep to.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "server/admission/pod_standards.h"
#include "server/admission/rules.h"

namespace berth::server {
namespace {

constexpr std::string_view kPolicyLabel = "pod-security.kubernetes.io/";
constexpr std::string_view kEnforce = "pod-security.kubernetes.io/enforce";
constexpr std::string_view kEnforceVersion = "pod-security.kubernetes.io/enforce-version";

std::optional<SecurityLevel> ParseLevel(std::string_view text) {
  if (text == "privileged") return SecurityLevel::kPrivileged;
  if (text == "baseline") return SecurityLevel::kBaseline;
  if (text == "restricted") return SecurityLevel::kRestricted;
  return std::nullopt;
}

// The minor version; beyond all for `latest`.
std::optional<int> ParseStandardVersion(std::string_view text) {
  if (text == "latest") return std::numeric_limits<int>::max();
  if (!text.starts_with("v1.")) return std::nullopt;
  text.remove_prefix(3);
  int minor = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), minor);
  const bool has_zeros = text.size() > 1 && text.front() == '0';
  if (error != std::errc() || end != text.data() + text.size() || minor < 0 || has_zeros) return std::nullopt;
  return minor;
}

FieldErrors PolicyErrors(const Json& labels) {
  FieldErrors errors;
  for (const std::string_view mode : {"enforce", "audit", "warn"}) {
    const std::string name = fmt::format("{}{}", kPolicyLabel, mode);
    if (const Json* level = labels.Find(name); level != nullptr && !ParseLevel(level->text())) {
      errors.Invalid(fmt::format("metadata.labels[{}]", name), *level,
                     "must be one of privileged, baseline, restricted");
    }
    const std::string version_name = name + "-version";
    if (const Json* version = labels.Find(version_name); version != nullptr && !ParseStandardVersion(version->text())) {
      errors.Invalid(fmt::format("metadata.labels[{}]", version_name), *version, R"(must be "latest" or "v1.x")");
    }
  }
  return errors;
}

// Whether containers come or get another image.
bool ChangesContainers(const Json& spec, const Json& old) {
  for (const std::string_view list : {"containers", "initContainers"}) {
    const Json::List& now = spec[list].items();
    const Json::List& before = old[list].items();
    const auto same_image = [](const Json& left, const Json& right) { return left["image"] == right["image"]; };
    if (!std::ranges::equal(now, before, same_image)) return true;
  }
  const Json::List& before = old["ephemeralContainers"].items();
  return std::ranges::any_of(spec["ephemeralContainers"].items(), [&](const Json& container) {
    const auto is_same = [&](const Json& other) { return other["name"] == container["name"]; };
    const auto present = std::ranges::find_if(before, is_same);
    return present == before.end() || (*present)["image"] != container["image"];
  });
}

}  // namespace

Outcome<void> CheckSecurityLabels(const AdmissionRequest& request, const ClusterView& /*cluster*/) {
  if (request.resource.plural != "namespaces" || !request.resource.group.empty() || request.object == nullptr ||
      !request.subresource.empty()) {
    return {};
  }
  const Json& labels = (*request.object)["metadata"]["labels"];
  FieldErrors errors = PolicyErrors(labels);
  if (errors.empty()) return {};
  // What was wrong before may stay so.
  const Json& old = request.old == nullptr ? labels : (*request.old)["metadata"]["labels"];
  const auto is_about_policy = [](const Json::Member& label) { return label.name.starts_with(kPolicyLabel); };
  const auto differs = [&](const Json::Member& label) {
    return is_about_policy(label) && labels[label.name] != label.value;
  };
  const auto is_new = [&](const Json::Member& label) {
    return is_about_policy(label) && old[label.name] != label.value;
  };
  if (request.old != nullptr && std::ranges::none_of(old.members(), differs) &&
      std::ranges::none_of(labels.members(), is_new)) {
    return {};
  }
  return Invalid(request.resource, request.name, std::move(errors));
}

Outcome<void> CheckPodSecurity(const AdmissionRequest& request, const ClusterView& cluster) {
  // The status says nothing of what containers may do; whatever else is written may be a container.
  if (request.resource.plural != "pods" || !request.resource.group.empty() || request.object == nullptr ||
      request.subresource == "status") {
    return {};
  }
  const ObjectPtr space = cluster.store.Find(cluster.catalog.Get("", "namespaces"), "", request.ns);
  if (space == nullptr) return {};
  const std::string* level_text = space->labels().Find(kEnforce);
  if (level_text == nullptr) return {};
  const SecurityLevel level = ParseLevel(*level_text).value_or(SecurityLevel::kRestricted);
  if (level == SecurityLevel::kPrivileged) return {};
  if (request.old != nullptr && !ChangesContainers((*request.object)["spec"], (*request.old)["spec"])) return {};
  const std::string* version_text = space->labels().Find(kEnforceVersion);
  const std::optional<int> version = version_text == nullptr ? std::nullopt : ParseStandardVersion(*version_text);
  const std::string violations = ViolationsOf(level, version.value_or(kLatestStandards), *request.object);
  if (violations.empty()) return {};
  return Forbidden(
      request.resource, request.name,
      fmt::format("violates PodSecurity \"{}:{}\": {}", level == SecurityLevel::kBaseline ? "baseline" : "restricted",
                  version ? *version_text : "latest", violations));
}

}  // namespace berth::server
