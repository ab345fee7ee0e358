// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "config/config.h"
#include "config/decode.h"

namespace berth::config {

using framework::SourceFormat;

namespace {

bool IsKind(std::string_view kind, const framework::Registry& registry) {
  return kind == "KubeSchedulerConfiguration" ||
         std::ranges::any_of(registry.rows(), [&](const framework::PluginRow& row) {
           return row.args != nullptr && !row.args->kind.empty() && row.args->kind == kind;
         });
}

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

Result<void> CheckRegistered(const TypeIdentity& identity, const framework::Registry& registry) {
  const std::string api_version =
      identity.group.empty() ? identity.version : fmt::format("{}/{}", identity.group, identity.version);
  if (api_version == kApiVersion && IsKind(identity.kind, registry)) return {};
  // The place in upstream's source is part of the text that users see and search for.
  return Invalid(fmt::format("no kind \"{}\" is registered for version \"{}\" in scheme \"pkg/runtime/scheme.go:111\"",
                             identity.kind, api_version));
}

}  // namespace berth::config
