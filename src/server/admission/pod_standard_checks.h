// SPDX-License-Identifier: Apache-2.0
// The checks of the pod security standards, one by one.

#pragma once

#include <string>

#include "server/model/json.h"

namespace berth::server {

// Empty: there is nothing to find.
struct Finding {
  std::string reason{};
  std::string detail{};
};

// Of the baseline. `minor`: the release as of which the rules are.
Finding FindAppArmorProfiles(const Json& pod, int minor);
Finding FindCapabilities(const Json& pod, int minor);
Finding FindHostNamespaces(const Json& pod, int minor);
Finding FindHostPaths(const Json& pod, int minor);
Finding FindHostPorts(const Json& pod, int minor);
Finding FindHandlerHosts(const Json& pod, int minor);
Finding FindPrivileged(const Json& pod, int minor);
Finding FindProcMounts(const Json& pod, int minor);
Finding FindSelinuxOptions(const Json& pod, int minor);
Finding FindSeccompProfiles(const Json& pod, int minor);
Finding FindSysctls(const Json& pod, int minor);
Finding FindHostProcesses(const Json& pod, int minor);

// Of the restricted level.
Finding FindPrivilegeEscalation(const Json& pod, int minor);
Finding FindUnrestrictedCapabilities(const Json& pod, int minor);
Finding FindAnyProcMounts(const Json& pod, int minor);
Finding FindRestrictedVolumes(const Json& pod, int minor);
Finding FindRoot(const Json& pod, int minor);
Finding FindRootUser(const Json& pod, int minor);
Finding FindUnrestrictedSeccomp(const Json& pod, int minor);

}  // namespace berth::server
