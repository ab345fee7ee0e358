// SPDX-License-Identifier: Apache-2.0
// Network policies, ingresses and their classes.
#include "api/parts/selector.h"
#include "server/kinds/kinds.h"
#include "server/kinds/network/ingress_validation.h"
#include "server/kinds/network/network_rules.h"
#include "server/model/checks.h"
#include "server/model/label_selector.h"

namespace berth::server {
namespace {

class NetworkPolicyStrategy final : public Strategy {
 public:
  void Default(Json& object, bool /*is_create*/) const override {
    Json& spec = object.Make("spec");
    for (const char* direction : {"ingress", "egress"}) DefaultPorts(spec.Find(direction));
    if (!spec["policyTypes"].empty()) return;
    Json& types = spec.Make("policyTypes");
    types = Json::MakeList({Json::String("Ingress")});
    if (!spec["egress"].empty()) types.Append(Json::String("Egress"));
  }

  void Validate(const Json& object, FieldErrors& errors) const override {
    const Json& spec = object["spec"];
    ValidateLabelSelector(spec["podSelector"], kSpec / "podSelector", errors);
    ValidateRules(spec, "ingress", "from", errors);
    ValidateRules(spec, "egress", "to", errors);
    const Json& types = spec["policyTypes"];
    const FieldPath path = kSpec / "policyTypes";
    if (types.size() > 2) return errors.Invalid(path, types, "may not specify more than two policyTypes");
    for (size_t i = 0; i < types.size(); ++i) CheckOneOf(errors, path[i], types[i].text(), {"Ingress", "Egress"});
  }

  bool has_generation() const override { return true; }

 private:
  static void DefaultPorts(Json* rules) {
    if (rules == nullptr || !rules->is_list()) return;
    for (Json& rule : rules->mutable_items()) {
      Json* ports = rule.Find("ports");
      if (ports == nullptr || !ports->is_list()) continue;
      for (Json& port : ports->mutable_items()) port.SetDefault("protocol", Json::String("TCP"));
    }
  }

  static void ValidateRules(const Json& spec, std::string_view direction, std::string_view peers_name,
                            FieldErrors& errors) {
    const FieldPath direction_path = kSpec / direction;
    const Json& rules = spec[direction];
    for (size_t i = 0; i < rules.size(); ++i) {
      const FieldPath path = direction_path[i];
      const FieldPath ports_path = path / "ports";
      const Json& ports = rules[i]["ports"];
      for (size_t j = 0; j < ports.size(); ++j) ValidatePort(ports[j], ports_path[j], errors);
      const FieldPath peers_path = path / peers_name;
      const Json& peers = rules[i][peers_name];
      for (size_t j = 0; j < peers.size(); ++j) ValidatePeer(peers[j], peers_path[j], errors);
    }
  }

  static void ValidatePort(const Json& object, const FieldPath& path, FieldErrors& errors) {
    CheckMemberOneOf(errors, path, object, "protocol", {"TCP", "UDP", "SCTP"});
    const Json& port = object["port"];
    const Json& end = object["endPort"];
    if (!port.is_null()) CheckPort(errors, path / "port", port);
    if (end.is_null()) return;
    if (port.is_null()) {
      errors.Invalid(path / "endPort", end, "may not be specified when `port` is not specified");
    } else if (port.is_string()) {
      errors.Invalid(path / "endPort", end, "may not be specified when `port` is non-numeric");
    } else {
      if (end.IntOr(0) < port.IntOr(0)) {
        errors.Invalid(path / "endPort", end, "must be greater than or equal to `port`");
      }
      Report(errors, path / "endPort", end, CheckPortNumber(end.IntOr(0)));
    }
  }

  static void ValidatePeer(const Json& peer, const FieldPath& path, FieldErrors& errors) {
    size_t count = 0;
    for (const std::string_view name : {"podSelector", "namespaceSelector"}) {
      if (!peer.Has(name)) continue;
      ++count;
      ValidateLabelSelector(peer[name], path / name, errors);
    }
    if (const Json* block = peer.Find("ipBlock")) {
      ValidateBlock(*block, path / "ipBlock", errors);
      if (count > 0) errors.Forbidden(path, "may not specify both ipBlock and another peer");
    } else if (count == 0) {
      errors.Required(path, "must specify a peer");
    }
  }

  static void ValidateBlock(const Json& block, const FieldPath& path, FieldErrors& errors) {
    const std::string& cidr = block["cidr"].text();
    if (cidr.empty()) return errors.Required(path / "cidr");
    Report(errors, path / "cidr", cidr, CheckCidr(cidr));
    if (CidrFamily(cidr) == 0) return;
    const FieldPath except_path = path / "except";
    const Json& excepts = block["except"];
    for (size_t i = 0; i < excepts.size(); ++i) {
      const std::string& except = excepts[i].text();
      Report(errors, except_path[i], except, CheckCidr(except));
      if (CidrFamily(except) != 0 && !IsStrictSubset(except, cidr)) {
        errors.Invalid(except_path[i], except, "must be a strict subset of `cidr`");
      }
    }
  }
};

class IngressStrategy final : public Strategy {
 public:
  void Validate(const Json& object, FieldErrors& errors) const override {
    ValidateIngressSpec(object["spec"], kSpec, errors);
    const bool is_new = !object["metadata"].Has("resourceVersion");
    static constexpr std::string_view kAnnotation = "kubernetes.io/ingress.class";
    const Json* old_class = object["metadata"]["annotations"].Find(kAnnotation);
    const Json* new_class = object["spec"].Find("ingressClassName");
    if (is_new && old_class != nullptr && new_class != nullptr && *old_class != *new_class) {
      errors.Invalid("annotations.kubernetes.io/ingress.class", old_class->text(),
                     "must match `ingressClassName` when both are specified");
    }
  }

  bool has_status() const override { return true; }
  bool has_generation() const override { return true; }
};

class IngressClassStrategy final : public Strategy {
 public:
  void Default(Json& object, bool /*is_create*/) const override {
    if (Json* parameters = object.Make("spec").Find("parameters")) {
      parameters->SetDefault("scope", Json::String("Cluster"));
    }
  }

  void Validate(const Json& object, FieldErrors& errors) const override {
    ValidateIngressClassSpec(object["spec"], kSpec, errors);
  }

  void ValidateUpdate(const Json& object, const Json& old, FieldErrors& errors) const override {
    CheckImmutable(errors, kSpec / "controller", object["spec"]["controller"], old["spec"]["controller"]);
  }

  bool has_generation() const override { return true; }
};

}  // namespace

std::unique_ptr<Strategy> MakeNetworkPolicyStrategy() { return std::make_unique<NetworkPolicyStrategy>(); }
std::unique_ptr<Strategy> MakeIngressStrategy() { return std::make_unique<IngressStrategy>(); }
std::unique_ptr<Strategy> MakeIngressClassStrategy() { return std::make_unique<IngressClassStrategy>(); }

}  // namespace berth::server
