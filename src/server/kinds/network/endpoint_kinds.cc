// SPDX-License-Identifier: Apache-2.0
// Endpoints and slices of them.
#include <set>

#include "api/parts/selector.h"
#include "server/kinds/immutable.h"
#include "server/kinds/kinds.h"
#include "server/kinds/network/network_rules.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

const std::initializer_list<std::string_view> kProtocols = {"SCTP", "TCP", "UDP"};
constexpr size_t kAddressesMax = 100;
constexpr size_t kEndpointsMax = 1000;
constexpr size_t kPortsMax = 20000;
constexpr size_t kHintsMax = 8;

void CheckNodeName(FieldErrors& errors, const FieldPath& path, const Json& name) {
  if (name.is_string()) Report(errors, path, name.text(), api::ValidateDnsSubdomain(name.text()));
}

class EndpointsStrategy final : public Strategy {
 public:
  void Default(Json& object, bool /*is_create*/) const override {
    Json* subsets = object.Find("subsets");
    if (subsets == nullptr || !subsets->is_list()) return;
    for (Json& subset : subsets->mutable_items()) {
      Json* ports = subset.Find("ports");
      if (ports == nullptr || !ports->is_list()) continue;
      for (Json& port : ports->mutable_items()) {
        if (port["protocol"].text().empty()) port.Set("protocol", "TCP");
      }
    }
  }

  void Validate(const Json& object, FieldErrors& errors) const override {
    static constexpr FieldPath kSubsets("subsets");
    const Json& subsets = object["subsets"];
    for (size_t i = 0; i < subsets.size(); ++i) ValidateSubset(subsets[i], kSubsets[i], errors);
  }

  bool allows_create_on_update() const override { return true; }

 private:
  static void ValidateSubset(const Json& subset, const FieldPath& path, FieldErrors& errors) {
    if (subset["addresses"].empty() && subset["notReadyAddresses"].empty()) {
      errors.Required(path, "must specify `addresses` or `notReadyAddresses`");
    }
    for (const std::string_view list : {"addresses", "notReadyAddresses"}) {
      const FieldPath list_path = path / list;
      const Json& addresses = subset[list];
      for (size_t i = 0; i < addresses.size(); ++i) ValidateAddress(addresses[i], list_path[i], errors);
    }
    const FieldPath ports_path = path / "ports";
    const Json& ports = subset["ports"];
    for (size_t i = 0; i < ports.size(); ++i) ValidatePort(ports[i], ports.size() > 1, ports_path[i], errors);
  }

  static void ValidateAddress(const Json& address, const FieldPath& path, FieldErrors& errors) {
    const std::string& ip = address["ip"].text();
    Report(errors, path / "ip", ip, CheckIp(ip));
    if (const std::string& host = address["hostname"].text(); !host.empty()) {
      Report(errors, path / "hostname", host, CheckDnsLabel(host));
    }
    CheckNodeName(errors, path / "nodeName", address["nodeName"]);
    Report(errors, path / "ip", ip, CheckEndpointIp(ip));
  }

  static void ValidatePort(const Json& port, bool needs_name, const FieldPath& path, FieldErrors& errors) {
    const std::string& name = port["name"].text();
    if (!name.empty()) {
      Report(errors, path / "name", name, CheckDnsLabel(name));
    } else if (needs_name) {
      errors.Required(path / "name");
    }
    Report(errors, path / "port", port["port"], CheckPortNumber(port["port"].IntOr(0)));
    CheckEnum(errors, path, port, "protocol", kProtocols);
    if (port.Has("appProtocol")) CheckQualifiedName(errors, path / "appProtocol", port["appProtocol"].text());
  }
};

class EndpointSliceStrategy final : public Strategy {
 public:
  void Default(Json& object, bool /*is_create*/) const override {
    Json* ports = object.Find("ports");
    if (ports == nullptr || !ports->is_list()) return;
    for (Json& port : ports->mutable_items()) {
      port.SetDefault("name", Json::String(""));
      port.SetDefault("protocol", Json::String("TCP"));
    }
  }

  void PrepareCreate(Json& object) const override {
    object.Make("metadata").Set("generation", Json::Int(1));
    DropTopology(object);
  }

  // Here labels count, and there is no spec.
  void PrepareUpdate(Json& object, const Json& old) const override {
    DropTopology(object);
    bool is_changed = object["metadata"]["labels"] != old["metadata"]["labels"];
    for (const char* name : {"addressType", "endpoints", "ports"}) is_changed |= object[name] != old[name];
    if (!is_changed) return;
    object.Make("metadata").Set("generation", Json::Int(old["metadata"]["generation"].IntOr(0) + 1));
  }

  void Validate(const Json& object, FieldErrors& errors) const override {
    ValidatePorts(object["ports"], errors);
    ValidateEndpoints(object["endpoints"], object["addressType"].text(), errors);
    CheckEnum(errors, FieldPath(""), object, "addressType", {"FQDN", "IPv4", "IPv6"});
  }

  void ValidateUpdate(const Json& object, const Json& old, FieldErrors& errors) const override {
    CheckUnchanged(errors, FieldPath("addressType"), object["addressType"], old["addressType"]);
  }

 private:
  // It only came with older versions.
  static void DropTopology(Json& object) {
    Json* endpoints = object.Find("endpoints");
    if (endpoints == nullptr || !endpoints->is_list()) return;
    for (Json& endpoint : endpoints->mutable_items()) endpoint.Erase("deprecatedTopology");
  }

  static void ValidatePorts(const Json& ports, FieldErrors& errors) {
    static constexpr FieldPath kPorts("ports");
    if (ports.size() > kPortsMax) return errors.TooMany(kPorts, ports.size(), kPortsMax);
    std::set<std::string> names;
    for (size_t i = 0; i < ports.size(); ++i) {
      const FieldPath path = kPorts[i];
      const std::string& name = ports[i]["name"].text();
      if (!name.empty()) Report(errors, path / "name", name, CheckDnsLabel(name));
      if (!names.insert(name).second) errors.Duplicate(path / "name", name);
      CheckOneOf(errors, path / "protocol", ports[i]["protocol"].text(), kProtocols);
      if (ports[i].Has("appProtocol")) {
        CheckQualifiedName(errors, path / "appProtocol", ports[i]["appProtocol"].text());
      }
    }
  }

  static void ValidateEndpoints(const Json& endpoints, std::string_view type, FieldErrors& errors) {
    static constexpr FieldPath kEndpoints("endpoints");
    if (endpoints.size() > kEndpointsMax) return errors.TooMany(kEndpoints, endpoints.size(), kEndpointsMax);
    for (size_t i = 0; i < endpoints.size(); ++i) {
      const Json& endpoint = endpoints[i];
      const FieldPath path = kEndpoints[i];
      ValidateAddresses(endpoint["addresses"], type, path / "addresses", errors);
      CheckNodeName(errors, path / "nodeName", endpoint["nodeName"]);
      if (endpoint.Has("hostname")) {
        Report(errors, path / "hostname", endpoint["hostname"].text(), CheckDnsLabel(endpoint["hostname"].text()));
      }
      const FieldPath hints_path = path / "hints";
      ValidateHints(endpoint["hints"]["forZones"], api::ValidateLabelValue, hints_path / "forZones", errors);
      ValidateHints(endpoint["hints"]["forNodes"], api::ValidateDnsSubdomain, hints_path / "forNodes", errors);
    }
  }

  static void ValidateAddresses(const Json& addresses, std::string_view type, const FieldPath& path,
                                FieldErrors& errors) {
    for (size_t i = 0; i < addresses.size(); ++i) {
      const std::string& address = addresses[i].text();
      if (type == "FQDN") {
        ValidateDomain(address, path[i], errors);
      } else if (type == "IPv4" || type == "IPv6") {
        const Problems problems = CheckIp(address);
        Report(errors, path[i], address, problems);
        if (!problems.empty()) continue;
        if (IpFamily(address) != (type == "IPv4" ? 4 : 6)) {
          errors.Invalid(path, address, type == "IPv4" ? "must be an IPv4 address" : "must be an IPv6 address");
        }
        Report(errors, path[i], address, CheckEndpointIp(address));
      }
    }
    if (addresses.empty()) errors.Required(path);
    if (addresses.size() > kAddressesMax) errors.TooMany(path, addresses.size(), kAddressesMax);
  }

  static void ValidateDomain(std::string_view name, const FieldPath& path, FieldErrors& errors) {
    if (name.empty()) return errors.Required(path);
    if (const auto problems = api::ValidateDnsSubdomain(name); !problems.empty()) {
      return Report(errors, path, name, problems);
    }
    if (name.find('.') == name.npos)
      errors.Invalid(path, name, "should be a domain with at least two segments separated by dots");
  }

  static void ValidateHints(const Json& hints, Problems (*check)(std::string_view), const FieldPath& path,
                            FieldErrors& errors) {
    if (hints.size() > kHintsMax) return errors.TooMany(path, hints.size(), kHintsMax);
    std::set<std::string> seen;
    for (size_t i = 0; i < hints.size(); ++i) {
      const FieldPath at = path[i];
      const std::string& name = hints[i]["name"].text();
      if (!seen.insert(name).second) errors.Duplicate(at / "name", name);
      Report(errors, at / "name", name, check(name));
    }
  }
};

}  // namespace

std::unique_ptr<Strategy> MakeEndpointsStrategy() { return std::make_unique<EndpointsStrategy>(); }
std::unique_ptr<Strategy> MakeEndpointSliceStrategy() { return std::make_unique<EndpointSliceStrategy>(); }

}  // namespace berth::server
