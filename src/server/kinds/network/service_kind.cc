// SPDX-License-Identifier: Apache-2.0
// Services.
#include "server/kinds/kinds.h"
#include "server/kinds/network/service_update.h"
#include "server/kinds/network/service_validation.h"
#include "server/kinds/pods/container_defaults.h"

namespace berth::server {
namespace {

constexpr int64_t kAffinitySeconds = 10800;

void DefaultAffinity(Json& spec) {
  DefaultText(spec, "sessionAffinity", "None");
  const std::string& affinity = spec["sessionAffinity"].text();
  if (affinity == "None") {
    spec.Erase("sessionAffinityConfig");
  } else if (affinity == "ClientIP" && !spec["sessionAffinityConfig"]["clientIP"].Has("timeoutSeconds")) {
    spec.Set("sessionAffinityConfig", Json{{"clientIP", Json{{"timeoutSeconds", Json::Int(kAffinitySeconds)}}}});
  }
}

void DefaultPort(Json& port) {
  DefaultText(port, "protocol", "TCP");
  const Json& target = port["targetPort"];
  const bool is_unset = target.is_number() ? target.IntOr(0) == 0 : target.text().empty();
  if (is_unset) port.Set("targetPort", Json(port["port"]));
}

class ServiceStrategy final : public Strategy {
 public:
  void Default(Json& service, bool /*is_create*/) const override {
    Json& spec = service.Make("spec");
    DefaultAffinity(spec);
    DefaultText(spec, "type", "ClusterIP");
    if (Json* ports = spec.Find("ports"); ports != nullptr && ports->is_list()) {
      for (Json& port : ports->mutable_items()) DefaultPort(port);
    }
    if (IsExternallyAccessible(spec)) DefaultText(spec, "externalTrafficPolicy", "Cluster");
    if (IsServiceType(spec, "ExternalName")) {
      spec.Erase("internalTrafficPolicy");
    } else {
      spec.SetDefault("internalTrafficPolicy", Json::String("Cluster"));
    }
    if (IsServiceType(spec, "LoadBalancer")) {
      spec.SetDefault("allocateLoadBalancerNodePorts", Json::Bool(true));
      DefaultBalancer(service);
    }
  }

  void PrepareCreate(Json& service) const override {
    Strategy::PrepareCreate(service);
    CompleteAddresses(service.Make("spec"));
  }

  void PrepareUpdate(Json& service, const Json& old) const override {
    Strategy::PrepareUpdate(service, old);
    KeepAllocated(service.Make("spec"), old["spec"]);
    DropOfOtherType(service, old);
    CompleteAddresses(service.Make("spec"));
  }

  void Validate(const Json& service, FieldErrors& errors) const override { ValidateService(service, errors); }

  void ValidateUpdate(const Json& service, const Json& old, FieldErrors& errors) const override {
    ValidateServiceUpdate(service["spec"], old["spec"], errors);
  }

  void ValidateStatusUpdate(const Json& service, const Json& /*old*/, FieldErrors& errors) const override {
    ValidateBalancerStatus(service["status"]["loadBalancer"], IsServiceType(service["spec"], "LoadBalancer"), errors);
  }

  NameRule name_rule() const override { return NameRule::kDnsLabel; }
  bool has_status() const override { return true; }
  bool allows_create_on_update() const override { return true; }

  std::span<const std::string_view> selectable_fields() const override {
    static constexpr std::string_view kFields[] = {"spec.clusterIP", "spec.type"};
    return kFields;
  }

 private:
  static void DefaultBalancer(Json& service) {
    Json* balancer = service.Make("status").Find("loadBalancer");
    Json* ingress = balancer == nullptr ? nullptr : balancer->Find("ingress");
    if (ingress == nullptr || !ingress->is_list()) return;
    for (Json& each : ingress->mutable_items()) {
      if (!each["ip"].text().empty()) each.SetDefault("ipMode", Json::String("VIP"));
    }
  }
};

}  // namespace

std::unique_ptr<Strategy> MakeServiceStrategy() { return std::make_unique<ServiceStrategy>(); }

}  // namespace berth::server
