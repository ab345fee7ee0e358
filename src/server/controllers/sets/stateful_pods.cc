// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/sets/stateful_pods.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "server/controllers/owned_pods.h"

namespace berth::server {
namespace {

constexpr std::string_view kNameLabel = "statefulset.kubernetes.io/pod-name";
constexpr std::string_view kIndexLabel = "apps.kubernetes.io/pod-index";

}  // namespace

int64_t OrdinalOf(std::string_view pod, std::string_view set) {
  if (!pod.starts_with(set) || pod.size() <= set.size() + 1 || pod[set.size()] != '-') return -1;
  const std::string_view digits = pod.substr(set.size() + 1);
  int32_t ordinal = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  if (error != std::errc() || end != digits.data() + digits.size() || ordinal < 0) return -1;
  return digits == std::to_string(ordinal) ? ordinal : -1;
}

std::string StatefulPodName(const StoredObject& set, int64_t ordinal) {
  return std::string(set.name()) + "-" + std::to_string(ordinal);
}

std::string StatefulClaimName(const StoredObject& set, std::string_view volume, int64_t ordinal) {
  return std::string(volume) + "-" + StatefulPodName(set, ordinal);
}

Json MakeStatefulPod(const StoredObject& set, const Json& spec, int64_t ordinal, const SetRevision& revision) {
  Json pod = PodFromTemplate(revision.pod_template, set);
  const std::string name = StatefulPodName(set, ordinal);
  pod.Make("metadata").Set("name", name);
  Json& labels = pod.Make({"metadata", "labels"});
  SetIdentity(labels, name, ordinal);
  labels.Set(kVersionLabel, revision.name());
  Json& pod_spec = pod.Make("spec");
  pod_spec.Set("hostname", name);
  if (const std::string& service = spec["serviceName"].text(); !service.empty()) pod_spec.Set("subdomain", service);
  Json::List volumes = pod_spec["volumes"].items();
  for (const Json& claim : spec["volumeClaimTemplates"].items()) {
    const Json& volume = claim["metadata"]["name"];
    const Json source{{"claimName", Json::String(StatefulClaimName(set, volume.text(), ordinal))}};
    std::erase_if(volumes, [&](const Json& present) { return present["name"] == volume; });
    volumes.push_back(Json{{"name", volume}, {"persistentVolumeClaim", source}});
  }
  if (!volumes.empty()) pod_spec.Set("volumes", Json::MakeList(std::move(volumes)));
  return pod;
}

void SetIdentity(Json& labels, std::string_view name, int64_t ordinal) {
  labels.Set(kNameLabel, name);
  labels.Set(kIndexLabel, std::to_string(ordinal));
}

bool HasIdentity(const StoredObject& pod) { return pod.labels().Get(kNameLabel) == pod.name(); }

}  // namespace berth::server
