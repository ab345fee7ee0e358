// SPDX-License-Identifier: Apache-2.0
// Versions: which release of Kubernetes the scheduler says it is, and which one it emulates.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth::scheduler_app {

// The release whose decisions Berth makes.
inline constexpr std::string_view kKubernetesVersion = "v1.37.1";

struct MinorVersion {
  uint64_t major = 0;
  uint64_t minor = 0;

  auto operator<=>(const MinorVersion&) const = default;
};

struct EffectiveVersion {
  MinorVersion emulation{1, 37};
  MinorVersion min_compatibility{1, 36};
};

// `1.37`.
std::string ToText(MinorVersion version);

// What --emulated-version and --min-compatibility-version say: `1.36` or `kube=1.36`, at most one each.
Result<EffectiveVersion> ResolveVersions(const std::vector<std::string>& emulated,
                                         const std::vector<std::string>& min_compatibility);

// What is wrong with the ranges; empty if nothing.
std::vector<std::string> CheckRanges(const EffectiveVersion& version);

// Whether --version may be told to report `version`: a semantic version with our major, minor and patch number.
Result<void> CheckReportedVersion(std::string_view version);

// What --version and --version=raw print, without line end. The first begins as upstream's does, for programs that read
// it: "Kubernetes v1.37.1 (Berth 0.1.0)".
std::string VersionLine(std::string_view reported);
std::string RawVersionLine(std::string_view reported);

}  // namespace berth::scheduler_app
