// SPDX-License-Identifier: Apache-2.0
#include "server/model/version_order.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <tuple>

namespace berth::server {
namespace {

struct KubeVersion {
  uint32_t major = 0;
  uint32_t stage = 0;  // 2: stable, 1: beta, 0: alpha.
  uint32_t minor = 0;

  auto operator<=>(const KubeVersion& other) const {
    return std::tie(stage, major, minor) <=> std::tie(other.stage, other.major, other.minor);
  }
};

// Takes a number without a leading zero from the front.
std::optional<uint32_t> TakeNumber(std::string_view& text) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || text.starts_with('0')) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

std::optional<KubeVersion> ParseKubeVersion(std::string_view text) {
  if (!text.starts_with('v')) return std::nullopt;
  text.remove_prefix(1);
  KubeVersion version;
  const std::optional<uint32_t> major = TakeNumber(text);
  if (!major) return std::nullopt;
  version.major = *major;
  version.stage = 2;
  if (text.empty()) return version;
  if (text.starts_with("beta")) {
    version.stage = 1;
    text.remove_prefix(4);
  } else if (text.starts_with("alpha")) {
    version.stage = 0;
    text.remove_prefix(5);
  } else {
    return std::nullopt;
  }
  const std::optional<uint32_t> minor = TakeNumber(text);
  if (!minor || !text.empty()) return std::nullopt;
  version.minor = *minor;
  return version;
}

}  // namespace

bool VersionGoesBefore(std::string_view left, std::string_view right) {
  const std::optional<KubeVersion> first = ParseKubeVersion(left);
  const std::optional<KubeVersion> second = ParseKubeVersion(right);
  if (first && second) return *first > *second;
  if (first || second) return first.has_value();
  return left < right;
}

}  // namespace berth::server
