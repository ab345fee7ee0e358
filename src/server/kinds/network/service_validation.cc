// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/network/service_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/parts/selector.h"
#include "base/text.h"
#include "server/kinds/network/network_rules.h"
#include "server/model/checks.h"
#include "server/model/label_selector.h"

namespace berth::server {
namespace {

constexpr FieldPath kPorts("spec.ports");
constexpr FieldPath kClusterIps("spec.clusterIPs");
constexpr int64_t kAffinitySecondsMax = 86400;

void ValidateByType(const Json& spec, FieldErrors& errors) {
  const std::string& type = spec["type"].text();
  if ((type == "LoadBalancer" || type == "NodePort") && IsHeadless(spec)) {
    errors.Invalid(kClusterIps[0], "None", fmt::format("may not be set to 'None' for {} services", type));
  }
  if (type != "ExternalName") return;
  constexpr std::string_view kNotExternal = "may not be set for ExternalName services";
  if (!spec["clusterIPs"].empty()) errors.Forbidden(kClusterIps, kNotExternal);
  if (!spec["ipFamilies"].empty()) errors.Forbidden(kSpec / "ipFamilies", kNotExternal);
  if (spec.Has("ipFamilyPolicy")) errors.Forbidden(kSpec / "ipFamilyPolicy", kNotExternal);
  std::string name = spec["externalName"].text();
  if (name.ends_with('.')) name.pop_back();
  if (name.empty()) return errors.Required(kSpec / "externalName");
  Report(errors, kSpec / "externalName", name, api::ValidateDnsSubdomain(name));
}

void ValidatePort(const Json& port, bool needs_name, std::set<std::string>& names, const FieldPath& path,
                  FieldErrors& errors) {
  const std::string& name = port["name"].text();
  if (!name.empty()) {
    Report(errors, path / "name", name, CheckDnsLabel(name));
    if (!names.insert(name).second) errors.Duplicate(path / "name", name);
  } else if (needs_name) {
    errors.Required(path / "name");
  }
  Report(errors, path / "port", port["port"], CheckPortNumber(port["port"].IntOr(0)));
  CheckEnum(errors, path, port, "protocol", {"SCTP", "TCP", "UDP"});
  CheckPort(errors, path / "targetPort", port["targetPort"]);
  if (port.Has("appProtocol")) CheckQualifiedName(errors, path / "appProtocol", port["appProtocol"].text());
}

void ValidatePorts(const Json& spec, FieldErrors& errors) {
  const Json& ports = spec["ports"];
  std::set<std::string> names;
  for (size_t i = 0; i < ports.size(); ++i) ValidatePort(ports[i], ports.size() > 1, names, kPorts[i], errors);
}

void ValidateAffinity(const Json& spec, FieldErrors& errors) {
  CheckEnum(errors, kSpec, spec, "sessionAffinity", {"ClientIP", "None"});
  if (spec["sessionAffinity"].text() != "ClientIP") return;
  const Json& seconds = spec["sessionAffinityConfig"]["clientIP"]["timeoutSeconds"];
  const int64_t value = seconds.IntOr(0);
  if (value <= 0 || value > kAffinitySecondsMax) {
    errors.Invalid("spec.sessionAffinityConfig.clientIP.timeoutSeconds", seconds,
                   fmt::format("must be greater than 0 and less than {}", kAffinitySecondsMax));
  }
}

void ValidatePortNumbers(const Json& spec, FieldErrors& errors) {
  const Json& ports = spec["ports"];
  if (IsServiceType(spec, "ClusterIP")) {
    for (size_t i = 0; i < ports.size(); ++i) {
      const FieldPath path = kPorts[i];
      if (ports[i].Has("nodePort")) {
        errors.Forbidden(path / "nodePort", "may not be used when `type` is 'ClusterIP'");
      }
    }
  }
  std::set<std::pair<std::string, int64_t>> seen;
  for (size_t i = 0; i < ports.size(); ++i) {
    const FieldPath path = kPorts[i];
    const Json& number = ports[i]["nodePort"];
    if (number.IntOr(0) != 0 && !seen.emplace(ports[i]["protocol"].text(), number.IntOr(0)).second) {
      errors.Duplicate(path / "nodePort", number);
    }
  }
  seen.clear();
  for (size_t i = 0; i < ports.size(); ++i) {
    if (seen.emplace(ports[i]["protocol"].text(), ports[i]["port"].IntOr(0)).second) continue;
    // As upstream prints its internal type.
    errors.Add({"FieldValueDuplicate",
                fmt::format(R"(Duplicate value: {{"Name":"","Protocol":{},"AppProtocol":null,"Port":{},"TargetPort":0,)"
                            R"("NodePort":0}})",
                            ports[i]["protocol"].ToText(), ports[i]["port"].IntOr(0)),
                kPorts[i]});
  }
}

void ValidateSourceRanges(const Json& service, FieldErrors& errors) {
  constexpr std::string_view kBalancerOnly = "may only be used when `type` is 'LoadBalancer'";
  const Json& spec = service["spec"];
  const Json& ranges = spec["loadBalancerSourceRanges"];
  if (ranges.empty()) return;
  const FieldPath path = kSpec / "LoadBalancerSourceRanges";
  if (!IsServiceType(spec, "LoadBalancer")) errors.Forbidden(path, kBalancerOnly);
  for (size_t i = 0; i < ranges.size(); ++i) {
    const std::string range(Trim(ranges[i].text(), " "));
    Report(errors, path[i], range, CheckCidr(range));
  }
}

void ValidateBalancer(const Json& spec, FieldErrors& errors) {
  constexpr std::string_view kBalancerOnly = "may only be used when `type` is 'LoadBalancer'";
  const bool is_balanced = IsServiceType(spec, "LoadBalancer");
  if (spec.Has("allocateLoadBalancerNodePorts") && !is_balanced) {
    errors.Forbidden(kSpec / "allocateLoadBalancerNodePorts", kBalancerOnly);
  }
  if (const Json* name = spec.Find("loadBalancerClass")) {
    if (is_balanced) {
      CheckQualifiedName(errors, kSpec / "loadBalancerClass", name->text());
    } else {
      errors.Forbidden(kSpec / "loadBalancerClass", kBalancerOnly);
    }
  }
}

void ValidateTraffic(const Json& spec, FieldErrors& errors) {
  const Json& policy = spec["externalTrafficPolicy"];
  if (!IsExternallyAccessible(spec)) {
    if (!policy.text().empty()) {
      errors.Invalid(kSpec / "externalTrafficPolicy", policy.text(),
                     "may only be set for externally-accessible services");
    }
  } else {
    CheckEnum(errors, kSpec, spec, "externalTrafficPolicy", {"Cluster", "Local"});
  }
  const Json& port = spec["healthCheckNodePort"];
  if (!NeedsHealthCheck(spec)) {
    if (port.IntOr(0) != 0) {
      errors.Invalid(kSpec / "healthCheckNodePort", port,
                     "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'");
    }
  } else if (port.IntOr(0) != 0) {
    Report(errors, kSpec / "healthCheckNodePort", port, CheckPortNumber(port.IntOr(0)));
  }
  CheckMemberOneOf(errors, kSpec, spec, "internalTrafficPolicy", {"Cluster", "Local"});
  CheckMemberOneOf(errors, kSpec, spec, "trafficDistribution", {"PreferClose", "PreferSameZone", "PreferSameNode"});
}

}  // namespace

bool IsServiceType(const Json& spec, std::string_view type) { return spec["type"].text() == type; }

bool IsExternallyAccessible(const Json& spec) {
  return IsServiceType(spec, "LoadBalancer") || IsServiceType(spec, "NodePort") ||
         (IsServiceType(spec, "ClusterIP") && !spec["externalIPs"].empty());
}

bool IsHeadless(const Json& spec) {
  return spec["clusterIPs"].size() == 1 && spec["clusterIPs"][size_t{0}].text() == "None";
}

bool IsFreeOfFamilies(const Json& spec) { return IsHeadless(spec) && spec["selector"].empty(); }

bool NeedsHealthCheck(const Json& spec) {
  return IsServiceType(spec, "LoadBalancer") && spec["externalTrafficPolicy"].text() == "Local";
}

void ValidateService(const Json& service, FieldErrors& errors) {
  const Json& spec = service["spec"];
  // Upstream looks no further if it could not give addresses.
  if (!ValidateAllocation(spec, errors)) return;
  if (spec["ports"].empty() && !IsHeadless(spec) && !IsServiceType(spec, "ExternalName")) errors.Required(kPorts);
  ValidateByType(spec, errors);
  ValidatePorts(spec, errors);
  ValidateLabels(spec["selector"], kSpec / "selector", errors);
  ValidateAffinity(spec, errors);
  ValidateExternalIps(spec["externalIPs"], errors);
  CheckEnum(errors, kSpec, spec, "type", {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"});
  ValidatePortNumbers(spec, errors);
  ValidateSourceRanges(service, errors);
  ValidateBalancer(spec, errors);
  ValidateTraffic(spec, errors);
}

void ValidateServiceUpdate(const Json& spec, const Json& old, FieldErrors& errors) {
  if (FieldErrors refused; !ValidateAllocation(spec, refused)) return;
  const bool is_external = IsServiceType(spec, "ExternalName") || IsServiceType(old, "ExternalName");
  if (!is_external && !(IsHeadless(spec) && IsHeadless(old))) {
    const Json& addresses = spec["clusterIPs"];
    const Json& before = old["clusterIPs"];
    if (addresses.empty() && !before.empty()) {
      errors.Invalid(kClusterIps[0], addresses, "primary clusterIP can not be unset");
    }
    for (size_t i = 0; i < std::min(addresses.size(), before.size()); ++i) {
      if (addresses[i] != before[i]) errors.Invalid(kClusterIps[i], addresses, "may not change once set");
    }
    const Json& families = spec["ipFamilies"];
    if (IsHeadless(spec) == IsHeadless(old) && !families.empty() && !old["ipFamilies"].empty() &&
        families[size_t{0}] != old["ipFamilies"][size_t{0}]) {
      errors.Invalid("spec.ipFamilies[0]", families, "may not change once set");
    }
  }
  if (IsServiceType(spec, "LoadBalancer") && IsServiceType(old, "LoadBalancer") &&
      spec["loadBalancerClass"] != old["loadBalancerClass"]) {
    errors.Invalid(kSpec / "loadBalancerClass", spec["loadBalancerClass"], "may not change once set");
  }
  if (NeedsHealthCheck(spec) && NeedsHealthCheck(old) && spec["healthCheckNodePort"] != old["healthCheckNodePort"]) {
    errors.Forbidden(kSpec / "healthCheckNodePort", "field is immutable");
  }
}

void ValidateBalancerStatus(const Json& balancer, bool is_balanced, FieldErrors& errors) {
  static constexpr FieldPath kIngress("status.loadBalancer.ingress");
  const Json& ingress = balancer["ingress"];
  if (!is_balanced) {
    if (!ingress.empty()) errors.Forbidden(kIngress, "may only be used when `spec.type` is 'LoadBalancer'");
    return;
  }
  for (size_t i = 0; i < ingress.size(); ++i) {
    const FieldPath path = kIngress[i];
    const std::string& ip = ingress[i]["ip"].text();
    if (!ip.empty()) Report(errors, path / "ip", ip, CheckIp(ip));
    if (ip.empty() && ingress[i].Has("ipMode")) {
      errors.Forbidden(path / "ipMode", "may not be specified when `ip` is not set");
    } else {
      CheckMemberOneOf(errors, path, ingress[i], "ipMode", {"Proxy", "VIP"});
    }
    const std::string& name = ingress[i]["hostname"].text();
    if (name.empty()) continue;
    Report(errors, path / "hostname", name, api::ValidateDnsSubdomain(name));
    if (IpFamily(name) != 0) errors.Invalid(path / "hostname", name, "must be a DNS name, not an IP address");
  }
}

}  // namespace berth::server
