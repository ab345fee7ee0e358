// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "config/config.h"
#include "config/decode.h"

namespace berth::config {

using framework::PluginArgs;
using framework::SourceFormat;
using framework::StrictDecoder;

namespace {

Result<void> CheckKind(std::string_view name, std::string_view kind, api::Value args, SourceFormat format,
                       const framework::Registry& registry) {
  const TypeIdentity expected{std::string(kGroup), "v1", std::string(kind)};
  Result<TypeIdentity> identity = ReadTypeIdentity(args, format, expected);
  if (identity) {
    const Result<void> registered = CheckRegistered(*identity, registry);
    if (!registered) identity = std::unexpected(registered.error());
  }
  if (!identity) return Invalid(fmt::format("decoding args for plugin {}: {}", name, identity.error().message));
  if (identity->kind != kind) {
    return Invalid(fmt::format("args for plugin {} were not of type {}.{}, got {}.{}", name, kind, kGroup,
                               identity->kind, kGroup));
  }
  return {};
}

}  // namespace

Result<PluginArgs> DecodeArgs(std::string_view name, api::Value args, SourceFormat format,
                              const framework::Registry& registry, std::vector<std::string>& strict_errors) {
  const framework::PluginRow* row = registry.Find(name);
  if (row == nullptr || row->args == nullptr) {
    if (args.is_null()) return PluginArgs{};
    return framework::OpaqueArgs{NestedJson(args, format)};
  }
  if (!row->args->kind.empty()) BERTH_CHECK_OK(CheckKind(name, row->args->kind, args, format, registry));
  StrictDecoder decoder(format);
  PluginArgs decoded(*row->args);
  decoded.Decode(decoder, args);
  if (decoder.mismatch()) return Invalid(fmt::format("decoding args for plugin {}: {}", name, *decoder.mismatch()));
  strict_errors = decoder.strict_errors();
  return decoded;
}

}  // namespace berth::config
