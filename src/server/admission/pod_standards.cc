// SPDX-License-Identifier: Apache-2.0
#include "server/admission/pod_standards.h"

#include <algorithm>
#include <limits>

#include "server/admission/pod_standard_checks.h"

namespace berth::server {
namespace {

constexpr int kNever = std::numeric_limits<int>::max();

struct StandardCheck {
  Finding (*find)(const Json& pod, int minor);
  SecurityLevel level;
  int since;
  int until = kNever;  // From then on a restricted check does its work at that level.
};

// In the order in which violations are told.
constexpr StandardCheck kStandards[] = {
    {FindAppArmorProfiles, SecurityLevel::kBaseline, 0},
    {FindCapabilities, SecurityLevel::kBaseline, 0, 22},
    {FindHostNamespaces, SecurityLevel::kBaseline, 0},
    {FindHostPaths, SecurityLevel::kBaseline, 0, 0},
    {FindHostPorts, SecurityLevel::kBaseline, 0},
    {FindHandlerHosts, SecurityLevel::kBaseline, 34},
    {FindPrivileged, SecurityLevel::kBaseline, 0},
    {FindProcMounts, SecurityLevel::kBaseline, 0, 35},
    {FindSelinuxOptions, SecurityLevel::kBaseline, 0},
    {FindSeccompProfiles, SecurityLevel::kBaseline, 0, 19},
    {FindSysctls, SecurityLevel::kBaseline, 0},
    {FindHostProcesses, SecurityLevel::kBaseline, 0},
    {FindPrivilegeEscalation, SecurityLevel::kRestricted, 8},
    {FindUnrestrictedCapabilities, SecurityLevel::kRestricted, 22},
    {FindAnyProcMounts, SecurityLevel::kRestricted, 35},
    {FindRestrictedVolumes, SecurityLevel::kRestricted, 0},
    {FindRoot, SecurityLevel::kRestricted, 0},
    {FindRootUser, SecurityLevel::kRestricted, 23},
    {FindUnrestrictedSeccomp, SecurityLevel::kRestricted, 19},
};

}  // namespace

std::string ViolationsOf(SecurityLevel level, int minor, const Json& pod) {
  std::string text;
  minor = std::min(minor, kLatestStandards);
  for (const StandardCheck& check : kStandards) {
    const bool is_replaced = level == SecurityLevel::kRestricted && minor >= check.until;
    if (check.level > level || minor < check.since || is_replaced) continue;
    const Finding found = check.find(pod, minor);
    if (found.reason.empty()) continue;
    if (!text.empty()) text += ", ";
    text += found.reason + " (" + found.detail + ")";
  }
  return text;
}

}  // namespace berth::server
