// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/document/field_error.h"
#include "api/document/repeated_keys.h"
#include "config/config.h"
#include "config/decode.h"
#include "config/policy/policy.h"
#include "config/policy/policy_fields.h"

namespace berth::config {
namespace {

constexpr std::string_view kInternalVersion = "__internal";

// How the fields are spelled in a document of this kind and version, or why no policy can be read from it.
Result<PolicySpelling> SpellingOf(const TypeIdentity& identity, PolicyCompat compat) {
  const bool is_group = identity.group.empty() || (identity.group == kGroup && compat != PolicyCompat::kV116);
  if (is_group && identity.kind == "Policy") {
    if (identity.version == "v1") return PolicySpelling::kV1;
    if (identity.version == kInternalVersion) return PolicySpelling::kInternal;
  }
  const std::string api_version =
      identity.group.empty() ? identity.version : fmt::format("{}/{}", identity.group, identity.version);
  // The place in upstream's source is part of the text that users see and search for.
  return Invalid(fmt::format("no kind \"{}\" is registered for version \"{}\" in scheme \"pkg/runtime/scheme.go:{}\"",
                             identity.kind, api_version, compat == PolicyCompat::kV116 ? 101 : 100));
}

Result<Policy> ReadPolicy(std::string_view text, PolicyCompat compat) {
  const Source source = BERTH_TRY(ParseSource(text));
  const api::Value root = source.document.root();
  const bool is_strict = compat != PolicyCompat::kV116;
  const TypeIdentity fallback = {is_strict ? std::string(kGroup) : "", std::string(kInternalVersion), "Policy"};
  const TypeIdentity identity = BERTH_TRY(ReadTypeIdentity(root, source.format, fallback));

  PolicyDecoder decoder(source.format, compat, BERTH_TRY(SpellingOf(identity, compat)));
  Policy policy;
  DecodePolicyFields(decoder, root, policy);
  if (decoder.mismatch()) return Invalid(*decoder.mismatch());
  if (!is_strict) return policy;

  std::vector<std::string> errors;
  api::FindRepeatedKeys(root, errors);
  errors.insert(errors.end(), decoder.strict_errors().begin(), decoder.strict_errors().end());
  if (!errors.empty()) return Invalid(fmt::format("strict decoder error: {}", fmt::join(errors, ", ")));
  return policy;
}

}  // namespace

Result<PolicyCompat> ParsePolicyCompat(std::string_view text) {
  if (text == "v1.16") return PolicyCompat::kV116;
  if (text == "v1.21") return PolicyCompat::kV121;
  if (text == "v1.22") return PolicyCompat::kV122;
  return Invalid(fmt::format("unknown release {}, known are v1.16, v1.21 and v1.22", api::GoQuote(text)));
}

Result<Policy> DecodePolicy(std::string_view text, PolicyCompat compat) {
  Result<Policy> policy = ReadPolicy(text, compat);
  if (!policy) return Invalid("invalid policy: " + policy.error().message);
  return policy;
}

}  // namespace berth::config
