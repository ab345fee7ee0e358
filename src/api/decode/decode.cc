// SPDX-License-Identifier: Apache-2.0
#include "api/decode/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "api/decode/decode_kinds.h"
#include "api/decode/decode_parts.h"
#include "api/decode/field_reader.h"

namespace berth::api {

#define BERTH_DECODE_KIND(type, ...)                              \
  template <>                                                     \
  Result<type> DecodeKind<type>(Value value) {                    \
    return DecodeAs<type>(RowOf<type>().kind, value, Read##type); \
  }
BERTH_KINDS(BERTH_DECODE_KIND)
#undef BERTH_DECODE_KIND

namespace {

using Decoder = Result<Object> (*)(Value);

// In the order of kKindRows.
#define BERTH_DECODER(type, ...) [](Value value) -> Result<Object> { return BERTH_TRY(DecodeKind<type>(value)); },
constexpr std::array<Decoder, kKindRows.size()> kDecoders = {BERTH_KINDS(BERTH_DECODER)};
#undef BERTH_DECODER

std::string_view GroupOf(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == api_version.npos ? std::string_view() : api_version.substr(0, slash);
}

}  // namespace

Result<Object> DecodeObject(Value value) {
  FieldReader r(value);
  std::string kind;
  std::string api_version;
  r.Read("kind", kind);
  r.Read("apiVersion", api_version);
  if (kind.empty()) r.Fail("kind is missing");
  if (!r.ok()) return std::unexpected(r.error());
  return DecodeObjectAs(kind, api_version, value);
}

Result<Object> DecodeObjectAs(std::string_view kind, std::string_view api_version, Value value) {
  if (api_version.empty()) {
    FieldReader r(value);
    r.Fail("apiVersion is missing");
    return std::unexpected(r.error(kind));
  }
  const auto row = std::ranges::find_if(kKindRows, [&](const KindRow& candidate) {
    return ManifestKind(candidate.kind) == ManifestKind(kind) && candidate.group == GroupOf(api_version);
  });
  if (row == kKindRows.end()) {
    return Fail(Code::kNotFound, fmt::format("kind {} of {} is not read by the scheduler", kind, api_version));
  }
  return kDecoders[static_cast<size_t>(row - kKindRows.begin())](value);
}

}  // namespace berth::api
