// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "config/config.h"
#include "config/decode.h"

namespace berth::config {
namespace {

constexpr std::array<std::string_view, 9> kKinds = {
    "DefaultPreemptionArgs",      "DynamicResourcesArgs",  "InterPodAffinityArgs",
    "KubeSchedulerConfiguration", "NodeAffinityArgs",      "NodeResourcesBalancedAllocationArgs",
    "NodeResourcesFitArgs",       "PodTopologySpreadArgs", "VolumeBindingArgs",
};

// Upstream finds these two members whatever their case; the strict pass then refuses the wrong one as unknown.
Result<std::string> ReadMember(api::Value object, std::string_view name, SourceFormat format) {
  std::string text;
  for (const size_t i : ReadingOrder(object, format)) {
    if (!EqualsIgnoringCase(object.key(i), name) || object[i].is_null()) continue;
    if (!object[i].is_string()) {
      return Invalid(fmt::format("couldn't get version/kind; json parse error: {} is not a string", name));
    }
    text = object[i].text();
  }
  return text;
}

}  // namespace

Result<TypeIdentity> ReadTypeIdentity(api::Value object, SourceFormat format, const TypeIdentity& fallback) {
  if (!object.is_null() && !object.is_map()) {
    return Invalid("couldn't get version/kind; json parse error: not an object");
  }
  TypeIdentity identity;
  const std::string api_version = BERTH_TRY(ReadMember(object, "apiVersion", format));
  const size_t slash = api_version.find('/');
  if (slash != std::string::npos && api_version.find('/', slash + 1) != std::string::npos) {
    return Invalid("unexpected GroupVersion string: " + api_version);
  }
  if (slash == std::string::npos) {
    identity.version = api_version;
  } else {
    identity.group = api_version.substr(0, slash);
    identity.version = api_version.substr(slash + 1);
  }
  identity.kind = BERTH_TRY(ReadMember(object, "kind", format));

  if (identity.kind.empty()) identity.kind = fallback.kind;
  if (identity.version.empty() && identity.group.empty()) identity.group = fallback.group;
  if (identity.version.empty() && identity.group == fallback.group) identity.version = fallback.version;
  return identity;
}

Result<void> CheckRegistered(const TypeIdentity& identity) {
  const std::string api_version =
      identity.group.empty() ? identity.version : fmt::format("{}/{}", identity.group, identity.version);
  if (api_version == kApiVersion && std::ranges::find(kKinds, identity.kind) != kKinds.end()) return {};
  // The place in upstream's source is part of the text that users see and search for.
  return Invalid(fmt::format("no kind \"{}\" is registered for version \"{}\" in scheme \"pkg/runtime/scheme.go:111\"",
                             identity.kind, api_version));
}

}  // namespace berth::config
