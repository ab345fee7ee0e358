// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/image.h"

#include <algorithm>
#include <array>

namespace berth::server {
namespace {

constexpr std::array<std::string_view, 3> kMissingTags = {"404", "nonexistent", "non-existent"};

// The last part of the name with its tag.
std::string_view LastPart(std::string_view image) {
  image = image.substr(0, image.find('@'));
  const size_t slash = image.rfind('/');
  return slash == std::string_view::npos ? image : image.substr(slash + 1);
}

}  // namespace

std::string_view ImageName(std::string_view image) {
  const std::string_view part = LastPart(image);
  return part.substr(0, part.find(':'));
}

bool IsPullable(std::string_view image) {
  const std::string_view part = LastPart(image);
  const size_t colon = part.find(':');
  if (colon != std::string_view::npos && std::ranges::find(kMissingTags, part.substr(colon + 1)) != kMissingTags.end())
    return false;
  const std::string_view registry = image.substr(0, image.find('/'));
  return registry.size() == image.size() || !registry.substr(0, registry.find(':')).ends_with(".invalid");
}

}  // namespace berth::server
