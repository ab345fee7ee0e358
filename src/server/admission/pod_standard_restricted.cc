// SPDX-License-Identifier: Apache-2.0
// The checks of the restricted level.
#include <algorithm>

#include "server/admission/pod_standard_checks.h"
#include "server/admission/pod_standard_text.h"

namespace berth::server {
namespace {

constexpr std::string_view kSecurity = "securityContext";

bool IsFalse(const Json& value) { return value.is_bool() && !value.AsBool(); }

}  // namespace

Finding FindPrivilegeEscalation(const Json& pod, int minor) {
  if (minor >= 25 && IsForWindows(pod)) return {};
  const TextList containers = ContainersThat(
      pod, [](const Json& container) { return !IsFalse(container[kSecurity]["allowPrivilegeEscalation"]); });
  if (containers.empty()) return {};
  return {"allowPrivilegeEscalation != false",
          NamesOf(containers) + " must set securityContext.allowPrivilegeEscalation=false"};
}

Finding FindUnrestrictedCapabilities(const Json& pod, int minor) {
  if (minor >= 25 && IsForWindows(pod)) return {};
  const TextList keeping = ContainersThat(pod, [](const Json& container) {
    return std::ranges::none_of(container[kSecurity]["capabilities"]["drop"].items(),
                                [](const Json& one) { return one.text() == "ALL"; });
  });
  TextSet added;
  const TextList adding = ContainersThat(pod, [&](const Json& container) {
    bool is_bad = false;
    for (const Json& one : container[kSecurity]["capabilities"]["add"].items()) {
      if (one.text() == "NET_BIND_SERVICE") continue;
      is_bad = true;
      added.insert(one.text());
    }
    return is_bad;
  });
  TextList details;
  if (!keeping.empty()) {
    details.push_back(NamesOf(keeping) + " must set securityContext.capabilities.drop=[\"ALL\"]");
  }
  if (!adding.empty()) {
    details.push_back(
        fmt::format("{} must not include {} in securityContext.capabilities.add", NamesOf(adding), InQuotes(added)));
  }
  if (details.empty()) return {};
  return {"unrestricted capabilities", fmt::format("{}", fmt::join(details, "; "))};
}

Finding FindRestrictedVolumes(const Json& pod, int /*minor*/) {
  constexpr std::string_view kAllowed[] = {"configMap", "csi",   "downwardAPI",           "emptyDir",
                                           "ephemeral", "image", "persistentVolumeClaim", "projected",
                                           "secret"};
  TextList volumes;
  TextSet types;
  for (const Json& volume : pod["spec"]["volumes"].items()) {
    if (std::ranges::any_of(kAllowed, [&](std::string_view type) { return volume.Has(type); })) continue;
    volumes.push_back(volume["name"].text());
    for (const Json::Member& member : volume.members()) {
      if (member.name.text() != "name") types.insert(member.name.text());
    }
  }
  if (volumes.empty()) return {};
  return {"restricted volume types",
          fmt::format("{} {} {} {} {}", Counted("volume", "volumes", volumes.size()), InQuotes(volumes),
                      Counted("uses", "use", volumes.size()),
                      Counted("restricted volume type", "restricted volume types", types.size()), InQuotes(types))};
}

Finding FindRoot(const Json& pod, int minor) {
  if (minor >= 35 && HasOwnUsers(pod)) return {};
  constexpr std::string_view kReason = "runAsNonRoot != true";
  const Json& of_pod = pod["spec"][kSecurity]["runAsNonRoot"];
  const auto says_no = [](const Json& container) { return IsFalse(container[kSecurity]["runAsNonRoot"]); };
  const std::string setters = Setters(IsFalse(of_pod), ContainersThat(pod, says_no));
  if (!setters.empty()) {
    return {std::string(kReason), setters + " must not set securityContext.runAsNonRoot=false"};
  }
  const TextList silent = ContainersThat(
      pod, [&](const Json& container) { return !of_pod.AsBool() && !container[kSecurity].Has("runAsNonRoot"); });
  if (silent.empty()) return {};
  return {std::string(kReason), fmt::format("pod or {} must set securityContext.runAsNonRoot=true", NamesOf(silent))};
}

Finding FindRootUser(const Json& pod, int minor) {
  if (minor >= 35 && HasOwnUsers(pod)) return {};
  const auto is_bad = [](const Json& owner) { return owner[kSecurity]["runAsUser"].IntOr(-1) == 0; };
  const std::string setters = Setters(is_bad(pod["spec"]), ContainersThat(pod, is_bad));
  if (setters.empty()) return {};
  return {"runAsUser=0", setters + " must not set runAsUser=0"};
}

Finding FindUnrestrictedSeccomp(const Json& pod, int minor) {
  if (minor >= 25 && IsForWindows(pod)) return {};
  if (Finding found = FindSeccompProfiles(pod, minor); !found.reason.empty()) return found;
  const bool is_set = pod["spec"][kSecurity].Has("seccompProfile");
  const TextList silent = ContainersThat(
      pod, [&](const Json& container) { return !is_set && !container[kSecurity].Has("seccompProfile"); });
  if (silent.empty()) return {};
  return {"seccompProfile",
          fmt::format("pod or {} must set securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\"",
                      NamesOf(silent))};
}

}  // namespace berth::server
