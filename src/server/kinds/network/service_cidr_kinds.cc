// SPDX-License-Identifier: Apache-2.0
// The addresses of services: ranges that they come from, and those that are taken.
#include <arpa/inet.h>
#include <fmt/format.h>

#include "api/parts/selector.h"
#include "server/kinds/kinds.h"
#include "server/kinds/network/network_rules.h"
#include "server/model/checks.h"
#include "server/model/path_segment.h"

namespace berth::server {
namespace {

constexpr FieldPath kParent("spec.parentRef");
constexpr FieldPath kCidrs("spec.cidrs");

class IpAddressStrategy final : public Strategy {
 public:
  // An address is its own name, in one spelling.
  Problems CheckName(const Json& /*object*/, std::string_view name, bool /*is_prefix*/) const override {
    Problems problems = CheckIp(name);
    if (!problems.empty() || IpFamily(name) == 4) return problems;
    in6_addr address{};
    char canonical[INET6_ADDRSTRLEN];
    inet_pton(AF_INET6, std::string(name).c_str(), &address);
    inet_ntop(AF_INET6, &address, canonical, sizeof(canonical));
    if (name != canonical) problems.push_back(fmt::format("must be in canonical form (\"{}\")", canonical));
    return problems;
  }

  void Validate(const Json& object, FieldErrors& errors) const override {
    const Json& parent = object["spec"]["parentRef"];
    if (!parent.is_map()) return errors.Required(kParent);
    if (const std::string& group = parent["group"].text(); !group.empty()) {
      Report(errors, kParent / "group", group, api::ValidateDnsSubdomain(group));
    }
    for (const std::string_view name : {"resource", "name", "namespace"}) {
      const std::string& text = parent[name].text();
      if (!text.empty()) {
        Report(errors, kParent / name, text, CheckPathSegment(text));
      } else if (name != "namespace") {
        errors.Required(kParent / name);
      }
    }
  }
  void ValidateUpdate(const Json& object, const Json& old, FieldErrors& errors) const override {
    CheckImmutable(errors, kParent, object["spec"]["parentRef"], old["spec"]["parentRef"]);
  }
};

class ServiceCidrStrategy final : public Strategy {
 public:
  void Validate(const Json& object, FieldErrors& errors) const override {
    const Json& cidrs = object["spec"]["cidrs"];
    if (cidrs.empty()) return errors.Required(kCidrs, "at least one CIDR required");
    if (cidrs.size() > 2) return errors.Invalid(kCidrs, object["spec"], "may only hold up to 2 values");
    for (size_t i = 0; i < cidrs.size(); ++i) {
      Report(errors, kCidrs[i], cidrs[i].text(), CheckCidr(cidrs[i].text()));
    }
    const int family = CidrFamily(cidrs[size_t{0}].text());
    if (cidrs.size() == 2 && family != 0 && family == CidrFamily(cidrs[size_t{1}].text())) {
      errors.Invalid(kCidrs, cidrs,
                     "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64");
    }
  }

  // A range of the other family may be added; nothing else changes.
  void ValidateUpdate(const Json& object, const Json& old, FieldErrors& errors) const override {
    const Json& cidrs = object["spec"]["cidrs"];
    const Json& before = old["spec"]["cidrs"];
    const bool adds_one = before.size() == 1 && cidrs.size() == 2;
    if (cidrs.size() != before.size() && !adds_one) return errors.Invalid(kCidrs, cidrs, "field is immutable");
    for (size_t i = 0; i < before.size(); ++i) CheckImmutable(errors, kCidrs[i], cidrs[i], before[i]);
  }

  bool has_status() const override { return true; }
};

}  // namespace

std::unique_ptr<Strategy> MakeIpAddressStrategy() { return std::make_unique<IpAddressStrategy>(); }
std::unique_ptr<Strategy> MakeServiceCidrStrategy() { return std::make_unique<ServiceCidrStrategy>(); }

}  // namespace berth::server
