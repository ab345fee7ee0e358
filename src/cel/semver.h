// SPDX-License-Identifier: Apache-2.0
// Semver: a semantic version, read and ordered as github.com/blang/semver v4 does.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth::cel {

struct Semver {
  struct Prerelease {
    std::string text;
    uint64_t number = 0;
    bool is_number = false;
  };

  std::string text;  // As it is printed.
  uint64_t major = 0;
  uint64_t minor = 0;
  uint64_t patch = 0;
  std::vector<Prerelease> prerelease;

  // The library's own error texts.
  static Result<Semver> Parse(std::string_view text);
  // Takes v1.2 for 1.2.0, and drops leading zeros.
  static Result<Semver> ParseNormalized(std::string_view text);

  // -1, 0 or 1; build metadata does not count.
  int Compare(const Semver& other) const;
};

}  // namespace berth::cel
