// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/container_image.h"

#include <algorithm>

#include "base/ascii.h"

namespace berth::server {
namespace {

constexpr size_t kImageNameLengthMax = 255;
constexpr size_t kTagLengthMax = 128;
constexpr size_t kIdentifierLength = 64;
constexpr size_t kDigestLengthMin = 32;

bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f'); }

// Lower case words, joined by one dot, one or two underscores or any number of hyphens.
bool IsPathPart(std::string_view part) {
  const auto is_word = [](char c) { return IsLower(c) || IsDigit(c); };
  if (part.empty() || !is_word(part.front()) || !is_word(part.back())) return false;
  for (size_t i = 0; i < part.size();) {
    if (is_word(part[i])) {
      ++i;
      continue;
    }
    const char joint = part[i];
    const size_t end = part.find_first_not_of(joint, i);
    const size_t length = end - i;
    const size_t length_max = joint == '.' ? 1 : joint == '_' ? 2 : joint == '-' ? part.size() : 0;
    if (length > length_max || !is_word(part[end])) return false;
    i = end;
  }
  return true;
}

bool IsPath(std::string_view path) {
  for (;;) {
    const size_t slash = path.find('/');
    if (!IsPathPart(path.substr(0, slash))) return false;
    if (slash == path.npos) return true;
    path.remove_prefix(slash + 1);
  }
}

bool IsRegistry(std::string_view registry) {
  const size_t colon = registry.find(':');
  if (colon != registry.npos) {
    const std::string_view port = registry.substr(colon + 1);
    if (port.empty() || !std::ranges::all_of(port, IsDigit)) return false;
    registry = registry.substr(0, colon);
  }
  for (;;) {
    const size_t dot = registry.find('.');
    const std::string_view part = registry.substr(0, dot);
    if (part.empty() || part.front() == '-' || part.back() == '-') return false;
    if (!std::ranges::all_of(part, [](char c) { return IsAlphanumeric(c) || c == '-'; })) return false;
    if (dot == registry.npos) return true;
    registry.remove_prefix(dot + 1);
  }
}

bool IsTag(std::string_view tag) {
  const auto is_word = [](char c) { return IsAlphanumeric(c) || c == '_'; };
  return !tag.empty() && tag.size() <= kTagLengthMax && is_word(tag.front()) &&
         std::ranges::all_of(tag, [&](char c) { return is_word(c) || c == '.' || c == '-'; });
}

bool IsDigest(std::string_view digest) {
  const size_t colon = digest.find(':');
  if (colon == digest.npos || colon == 0) return false;
  const std::string_view hex = digest.substr(colon + 1);
  return hex.size() >= kDigestLengthMin && std::ranges::all_of(hex, IsHex);
}

// What stands in front of the first slash is a registry only if it looks like a host.
size_t RegistryLength(std::string_view name) {
  const size_t slash = name.find('/');
  if (slash == name.npos) return 0;
  const std::string_view first = name.substr(0, slash);
  const bool is_host =
      first.find_first_of(".:") != first.npos || first == "localhost" || std::ranges::any_of(first, IsUpper);
  return is_host ? slash : 0;
}

}  // namespace

std::string_view DefaultPullPolicy(std::string_view image) {
  constexpr std::string_view kOther = "IfNotPresent";
  if (image.size() == kIdentifierLength && std::ranges::all_of(image, IsHex)) return kOther;

  const size_t at = image.find('@');
  const bool has_digest = at != image.npos;
  if (has_digest && !IsDigest(image.substr(at + 1))) return kOther;
  std::string_view path = image.substr(0, at);
  const size_t registry = RegistryLength(path);
  if (registry > 0) {
    if (!IsRegistry(path.substr(0, registry))) return kOther;
    path.remove_prefix(registry + 1);
  }
  const size_t colon = path.find(':');
  const bool has_tag = colon != path.npos;
  const std::string_view tag = has_tag ? path.substr(colon + 1) : std::string_view();
  path = path.substr(0, colon);
  if (!IsPath(path) || path.size() + registry > kImageNameLengthMax || (has_tag && !IsTag(tag))) return kOther;
  return tag == "latest" || (!has_tag && !has_digest) ? "Always" : kOther;
}

}  // namespace berth::server
