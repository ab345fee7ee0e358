// SPDX-License-Identifier: Apache-2.0
// The checks of the baseline.
#include <algorithm>

#include "api/document/field_error.h"
#include "server/admission/pod_standard_checks.h"
#include "server/admission/pod_standard_text.h"

namespace berth::server {
namespace {

constexpr std::string_view kContext = "securityContext";

bool IsAmong(std::string_view text, std::initializer_list<std::string_view> texts) {
  return std::ranges::find(texts, text) != texts.end();
}

// Annotations came before fields.
Finding FindSeccompAnnotations(const Json& pod) {
  TextSet forbidden;
  const Json& annotations = pod["metadata"]["annotations"];
  const auto look_at = [&](const std::string& name) {
    const Json* value = annotations.Find(name);
    if (value == nullptr || IsAmong(value->text(), {"runtime/default", "docker/default"}) ||
        value->text().starts_with("localhost/")) {
      return;
    }
    forbidden.insert(name + "=" + api::GoQuote(value->text()));
  };
  look_at("seccomp.security.alpha.kubernetes.io/pod");
  VisitContainers(pod, [&](const Json& container) {
    look_at("container.seccomp.security.alpha.kubernetes.io/" + container["name"].text());
  });
  if (forbidden.empty()) return {};
  return {"seccompProfile", fmt::format("forbidden {} {}", Counted("annotation", "annotations", forbidden.size()),
                                        fmt::join(forbidden, ", "))};
}

bool IsAllowedSysctl(std::string_view name, int minor) {
  if (IsAmong(name, {"kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_syncookies",
                     "net.ipv4.ping_group_range", "net.ipv4.ip_unprivileged_port_start"})) {
    return true;
  }
  if (name == "net.ipv4.ip_local_reserved_ports") return minor >= 27;
  if (IsAmong(name, {"net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl",
                     "net.ipv4.tcp_keepalive_probes"})) {
    return minor >= 29;
  }
  if (IsAmong(name, {"net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"})) return minor >= 32;
  return minor >= 37 && IsAmong(name, {"net.ipv4.tcp_slow_start_after_idle", "net.ipv4.tcp_notsent_lowat"});
}

}  // namespace

Finding FindAppArmorProfiles(const Json& pod, int /*minor*/) {
  TextSet values;
  const auto is_bad = [&](const Json& owner) {
    const Json* profile = owner[kContext].Find("appArmorProfile");
    if (profile == nullptr || IsAmong((*profile)["type"].text(), {"RuntimeDefault", "Localhost"})) return false;
    values.insert((*profile)["type"].text());
    return true;
  };
  const bool is_pod = is_bad(pod["spec"]);
  std::string setters = Setters(is_pod, ContainersThat(pod, is_bad));
  TextList told(values.begin(), values.end());
  const size_t fields = told.size();
  for (const Json::Member& annotation : pod["metadata"]["annotations"].members()) {
    const std::string& value = annotation.value.text();
    if (!annotation.name.starts_with("container.apparmor.security.beta.kubernetes.io/") || value.empty() ||
        value == "runtime/default" || value.starts_with("localhost/")) {
      continue;
    }
    told.push_back(annotation.name.text() + "=" + api::GoQuote(value));
  }
  if (const size_t annotations = told.size() - fields; annotations > 0) {
    if (!setters.empty()) setters += " and ";
    setters += Counted("annotation", "annotations", annotations);
  }
  if (setters.empty()) return {};
  return {std::string(Counted("forbidden AppArmor profile", "forbidden AppArmor profiles", told.size())),
          fmt::format("{} must not set AppArmor profile type to {}", setters, InQuotes(told))};
}

Finding FindCapabilities(const Json& pod, int /*minor*/) {
  TextSet added;
  const TextList containers = ContainersThat(pod, [&](const Json& container) {
    bool is_bad = false;
    for (const Json& one : container[kContext]["capabilities"]["add"].items()) {
      if (IsAmong(one.text(), {"AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD",
                               "NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"})) {
        continue;
      }
      is_bad = true;
      added.insert(one.text());
    }
    return is_bad;
  });
  if (containers.empty()) return {};
  return {"non-default capabilities", fmt::format("{} must not include {} in securityContext.capabilities.add",
                                                  NamesOf(containers), InQuotes(added))};
}

Finding FindHostNamespaces(const Json& pod, int /*minor*/) {
  TextList shared;
  for (const std::string_view name : {"hostNetwork", "hostPID", "hostIPC"}) {
    if (pod["spec"][name].AsBool()) shared.push_back(std::string(name) + "=true");
  }
  if (shared.empty()) return {};
  return {"host namespaces", fmt::format("{}", fmt::join(shared, ", "))};
}

Finding FindHostPaths(const Json& pod, int /*minor*/) {
  TextList volumes;
  for (const Json& volume : pod["spec"]["volumes"].items()) {
    if (volume.Has("hostPath")) volumes.push_back(volume["name"].text());
  }
  if (volumes.empty()) return {};
  return {"hostPath volumes", fmt::format("{} {}", Counted("volume", "volumes", volumes.size()), InQuotes(volumes))};
}

Finding FindHostPorts(const Json& pod, int /*minor*/) {
  TextSet ports;
  const TextList containers = ContainersThat(pod, [&](const Json& container) {
    bool is_bad = false;
    for (const Json& port : container["ports"].items()) {
      if (port["hostPort"].IntOr(0) == 0) continue;
      is_bad = true;
      ports.insert(port["hostPort"].text());
    }
    return is_bad;
  });
  if (containers.empty()) return {};
  return {"hostPort", fmt::format("{} {} {} {}", NamesOf(containers), Counted("uses", "use", containers.size()),
                                  Counted("hostPort", "hostPorts", ports.size()), fmt::join(ports, ", "))};
}

Finding FindHandlerHosts(const Json& pod, int /*minor*/) {
  TextSet hosts;
  TextSet containers;
  VisitContainers(pod, [&](const Json& container) {
    const Json& life = container["lifecycle"];
    for (const Json* handler : {&container["livenessProbe"], &container["readinessProbe"], &container["startupProbe"],
                                &life["postStart"], &life["preStop"]}) {
      for (const std::string_view action : {"httpGet", "tcpSocket"}) {
        const std::string& host = (*handler)[action]["host"].text();
        if (host.empty()) continue;
        hosts.insert(host);
        containers.insert(container["name"].text());
      }
    }
  });
  if (containers.empty()) return {};
  const TextList names(containers.begin(), containers.end());
  return {"probe or lifecycle host",
          fmt::format("{} {} {} {}", NamesOf(names), Counted("uses", "use", names.size()),
                      Counted("probe or lifecycle host", "probe or lifecycle hosts", hosts.size()), InQuotes(hosts))};
}

Finding FindPrivileged(const Json& pod, int /*minor*/) {
  const TextList containers =
      ContainersThat(pod, [](const Json& container) { return container[kContext]["privileged"].AsBool(); });
  if (containers.empty()) return {};
  return {"privileged", NamesOf(containers) + " must not set securityContext.privileged=true"};
}

Finding FindAnyProcMounts(const Json& pod, int /*minor*/) {
  TextSet types;
  const TextList containers = ContainersThat(pod, [&](const Json& container) {
    const Json* type = container[kContext].Find("procMount");
    if (type == nullptr || type->text() == "Default") return false;
    types.insert(type->text());
    return true;
  });
  if (containers.empty()) return {};
  return {"procMount",
          fmt::format("{} must not set securityContext.procMount to {}", NamesOf(containers), InQuotes(types))};
}

Finding FindProcMounts(const Json& pod, int minor) {
  return minor >= 35 && HasOwnUsers(pod) ? Finding() : FindAnyProcMounts(pod, minor);
}

Finding FindSelinuxOptions(const Json& pod, int minor) {
  TextSet types;
  bool has_user = false;
  bool has_role = false;
  const auto is_bad = [&](const Json& owner) {
    const Json& options = owner[kContext]["seLinuxOptions"];
    const std::string& type = options["type"].text();
    const bool is_allowed = IsAmong(type, {"", "container_t", "container_init_t", "container_kvm_t"}) ||
                            (minor >= 31 && type == "container_engine_t");
    if (!is_allowed) types.insert(type);
    const bool sets_user = !options["user"].text().empty();
    const bool sets_role = !options["role"].text().empty();
    has_user = has_user || sets_user;
    has_role = has_role || sets_role;
    return !is_allowed || sets_user || sets_role;
  };
  const bool is_pod = is_bad(pod["spec"]);
  const std::string setters = Setters(is_pod, ContainersThat(pod, is_bad));
  if (setters.empty()) return {};
  TextList what;
  if (!types.empty()) what.push_back(fmt::format("{} {}", Counted("type", "types", types.size()), InQuotes(types)));
  if (has_user) what.emplace_back("user may not be set");
  if (has_role) what.emplace_back("role may not be set");
  return {"seLinuxOptions",
          fmt::format("{} set forbidden securityContext.seLinuxOptions: {}", setters, fmt::join(what, "; "))};
}

Finding FindSeccompProfiles(const Json& pod, int minor) {
  if (minor < 19) return FindSeccompAnnotations(pod);
  TextSet types;
  const auto is_bad = [&](const Json& owner) {
    const Json* profile = owner[kContext].Find("seccompProfile");
    if (profile == nullptr || IsAllowedSeccomp(*profile)) return false;
    types.insert((*profile)["type"].text());
    return true;
  };
  const bool is_pod = is_bad(pod["spec"]);
  const std::string setters = Setters(is_pod, ContainersThat(pod, is_bad));
  if (setters.empty()) return {};
  return {"seccompProfile",
          fmt::format("{} must not set securityContext.seccompProfile.type to {}", setters, InQuotes(types))};
}

Finding FindSysctls(const Json& pod, int minor) {
  TextList forbidden;
  for (const Json& sysctl : pod["spec"][kContext]["sysctls"].items()) {
    if (!IsAllowedSysctl(sysctl["name"].text(), minor)) forbidden.push_back(sysctl["name"].text());
  }
  if (forbidden.empty()) return {};
  return {"forbidden sysctls", fmt::format("{}", fmt::join(forbidden, ", "))};
}

Finding FindHostProcesses(const Json& pod, int /*minor*/) {
  const auto is_bad = [](const Json& owner) { return owner[kContext]["windowsOptions"]["hostProcess"].AsBool(); };
  const std::string setters = Setters(is_bad(pod["spec"]), ContainersThat(pod, is_bad));
  if (setters.empty()) return {};
  return {"hostProcess", setters + " must not set securityContext.windowsOptions.hostProcess=true"};
}

}  // namespace berth::server
