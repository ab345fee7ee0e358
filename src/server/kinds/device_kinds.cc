// SPDX-License-Identifier: Apache-2.0
// Devices: their classes, claims to them, slices of them and taints on them.
#include <algorithm>
#include <set>

#include "api/selector.h"
#include "api/typed/typed.h"
#include "server/kinds/checks.h"
#include "server/kinds/container_resources.h"
#include "server/kinds/device_claims.h"
#include "server/kinds/immutable.h"
#include "server/kinds/kinds.h"
#include "server/kinds/persistent_volume.h"
#include "server/kinds/pod_affinity.h"

namespace berth::server {
namespace {

constexpr size_t kDevicesMax = 128;

class DeviceClassStrategy final : public Strategy {
 public:
  void Validate(const Json& object, FieldErrors& errors) const override {
    const Json& spec = object["spec"];
    ValidateDeviceSelectors(spec["selectors"], kSpec / "selectors", errors);
    const FieldPath config_path = kSpec / "config";
    const Json& config = spec["config"];
    for (size_t i = 0; i < config.size(); ++i) {
      const FieldPath at = config_path[i];
      if (!config[i].Has("opaque")) errors.Required(at / "opaque");
    }
    if (const Json* name = spec.Find("extendedResourceName"); name != nullptr && !IsExtendedResource(name->text())) {
      errors.Invalid(kSpec / "extendedResourceName", name->text(),
                     "a name must be a domain-prefixed path, such as 'example.com/my-prop'");
    }
  }

  bool has_generation() const override { return true; }
};

class DeviceClaimStrategy final : public Strategy {
 public:
  void Default(Json& claim, bool /*is_create*/) const override { DefaultDeviceClaim(claim.Make("spec")); }

  void Validate(const Json& claim, FieldErrors& errors) const override {
    ValidateDeviceClaim(claim["spec"], kSpec, errors);
  }

  void ValidateUpdate(const Json& claim, const Json& old, FieldErrors& errors) const override {
    CheckUnchanged(errors, kSpec, claim["spec"], old["spec"]);
  }

  // Devices that are no longer allocated report nothing.
  void PrepareStatusUpdate(Json& claim, const Json& old) const override {
    Strategy::PrepareStatusUpdate(claim, old);
    Json& status = claim.Make("status");
    Json* devices = status.Find("devices");
    if (devices == nullptr || !devices->is_list()) return;
    std::erase_if(devices->mutable_items(), [&](const Json& device) {
      return IsAllocated(old["status"], device) && !IsAllocated(claim["status"], device);
    });
    if (devices->empty()) status.Erase("devices");
  }

  void ValidateStatusUpdate(const Json& claim, const Json& old, FieldErrors& errors) const override {
    const Json& status = claim["status"];
    ValidateConsumers(status["reservedFor"], errors);
    const bool is_allocated = status.Has("allocation");
    if (!status["reservedFor"].empty()) {
      if (!is_allocated) {
        errors.Forbidden(kStatus / "reservedFor", "may not be specified when `allocated` is not set");
      } else if (claim["metadata"].Has("deletionTimestamp") && HasNew(status, old["status"])) {
        errors.Forbidden(kStatus / "reservedFor",
                         "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set");
      }
    }
    if (is_allocated && old["status"].Has("allocation")) {
      CheckImmutable(errors, kStatus / "allocation", status["allocation"], old["status"]["allocation"]);
    }
  }

  bool has_status() const override { return true; }

 private:
  static bool IsAllocated(const Json& status, const Json& device) {
    return std::ranges::any_of(status["allocation"]["devices"]["results"].items(), [&](const Json& result) {
      return result["driver"] == device["driver"] && result["pool"] == device["pool"] &&
             result["device"] == device["device"] && result["shareID"] == device["shareID"];
    });
  }

  static bool HasNew(const Json& status, const Json& old) {
    return std::ranges::any_of(status["reservedFor"].items(), [&](const Json& consumer) {
      return std::ranges::find(old["reservedFor"].items(), consumer) == old["reservedFor"].items().end();
    });
  }

  static void ValidateConsumers(const Json& consumers, FieldErrors& errors) {
    static const api::wire::Message& message =
        *api::wire::FindMessage("io.k8s.api.resource.v1.ResourceClaimConsumerReference");
    const FieldPath path = kStatus / "reservedFor";
    std::set<std::string> seen;
    for (size_t i = 0; i < consumers.size(); ++i) {
      for (const std::string_view name : {"resource", "name", "uid"}) Require(errors, path[i], consumers[i], name);
      if (!seen.insert(consumers[i]["uid"].text()).second) {
        errors.Add({"FieldValueDuplicate", "Duplicate value: " + EncodeJson(consumers[i], message), path[i]});
      }
    }
  }
};

class ClaimTemplateStrategy final : public Strategy {
 public:
  void Default(Json& object, bool /*is_create*/) const override { DefaultDeviceClaim(object.Make({"spec", "spec"})); }

  void Validate(const Json& object, FieldErrors& errors) const override {
    ValidateDeviceClaim(object["spec"]["spec"], kSpec / "spec", errors);
  }

  void ValidateUpdate(const Json& object, const Json& old, FieldErrors& errors) const override {
    CheckImmutable(errors, kSpec, object["spec"], old["spec"]);
  }
};

// A taint says since when it is there.
void StampTaint(Json& taint, const Json& time) { taint.SetDefault("timeAdded", time); }

class SliceStrategy final : public Strategy {
 public:
  void PrepareCreate(Json& slice) const override {
    Strategy::PrepareCreate(slice);
    Stamp(slice, slice["metadata"]["creationTimestamp"]);
  }

  void Validate(const Json& slice, FieldErrors& errors) const override {
    const Json& spec = slice["spec"];
    CheckDriverName(errors, kSpec / "driver", spec["driver"].text());
    ValidatePool(spec["pool"], errors);
    ValidateNodes(spec, errors);
    ValidateDevices(spec["devices"], errors);
  }

  void ValidateUpdate(const Json& slice, const Json& old, FieldErrors& errors) const override {
    const FieldPath pool_path = kSpec / "pool";
    CheckImmutable(errors, pool_path / "name", slice["spec"]["pool"]["name"], old["spec"]["pool"]["name"]);
    CheckImmutable(errors, kSpec / "driver", slice["spec"]["driver"], old["spec"]["driver"]);
    CheckImmutable(errors, kSpec / "nodeName", slice["spec"]["nodeName"], old["spec"]["nodeName"]);
  }

  bool has_generation() const override { return true; }

  std::span<const std::string_view> selectable_fields() const override {
    static constexpr std::string_view kFields[] = {"spec.nodeName", "spec.driver", "spec.pool.name"};
    return kFields;
  }

 private:
  static void Stamp(Json& slice, Json time) {
    Json* devices = slice.Make("spec").Find("devices");
    if (devices == nullptr || !devices->is_list()) return;
    for (Json& device : devices->mutable_items()) {
      Json* taints = device.Find("taints");
      if (taints == nullptr || !taints->is_list()) continue;
      for (Json& taint : taints->mutable_items()) StampTaint(taint, time);
    }
  }

  static void ValidatePool(const Json& pool, FieldErrors& errors) {
    const FieldPath path = kSpec / "pool";
    CheckPoolName(errors, path / "name", pool["name"].text());
    if (pool["resourceSliceCount"].IntOr(0) <= 0) {
      errors.Invalid(path / "resourceSliceCount", pool["resourceSliceCount"], "must be greater than zero");
    }
    if (pool["generation"].IntOr(0) < 0) {
      errors.Invalid(path / "generation", pool["generation"], "must be greater than or equal to zero");
    }
  }

  // One way of saying which nodes have the devices.
  static void ValidateNodes(const Json& spec, FieldErrors& errors) {
    constexpr std::string_view kOne =
        "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
    std::string set;
    const auto add = [&](std::string_view name) { set.append(set.empty() ? "`" : ", `").append(name).append("`"); };
    if (const Json* node = spec.Find("nodeName")) {
      if (node->text().empty()) {
        errors.Invalid(kSpec / "nodeName", "", "must be either unset or set to a non-empty string");
      } else {
        add("nodeName");
        Report(errors, kSpec / "nodeName", node->text(), api::ValidateDnsSubdomain(node->text()));
      }
    }
    if (const Json* selector = spec.Find("nodeSelector")) {
      add("nodeSelector");
      ValidateNodeSelectorTerms(*selector, kSpec / "nodeSelector", errors);
    }
    for (const std::string_view name : {"allNodes", "perDeviceNodeSelection"}) {
      const Json* flag = spec.Find(name);
      if (flag == nullptr) continue;
      if (flag->AsBool()) {
        add(name);
      } else {
        errors.Invalid(kSpec / name, *flag, "must be either unset or set to true");
      }
    }
    if (set.empty()) return errors.Required(kSpec, kOne);
    if (set.find(',') == set.npos) return;
    errors.Invalid(kSpec, "{" + set + "}", std::string(kOne) + ", but multiple fields are set");
  }

  static void ValidateDevices(const Json& devices, FieldErrors& errors) {
    const FieldPath path = kSpec / "devices";
    if (devices.size() > kDevicesMax) return errors.TooMany(path, devices.size(), kDevicesMax);
    std::set<std::string> seen;
    for (size_t i = 0; i < devices.size(); ++i) {
      const FieldPath at = path[i];
      Report(errors, at / "name", devices[i]["name"].text(), CheckDnsLabel(devices[i]["name"].text()));
      const FieldPath taints_path = at / "taints";
      const Json& taints = devices[i]["taints"];
      for (size_t j = 0; j < taints.size(); ++j) ValidateDeviceTaint(taints[j], true, taints_path[j], errors);
    }
    for (size_t i = 0; i < devices.size(); ++i) {
      const std::string& name = devices[i]["name"].text();
      if (!seen.insert(name).second) errors.Duplicate(path[i], name);
    }
  }
};

class TaintRuleStrategy final : public Strategy {
 public:
  void PrepareCreate(Json& rule) const override {
    Strategy::PrepareCreate(rule);
    const Json time = rule["metadata"]["creationTimestamp"];
    StampTaint(rule.Make({"spec", "taint"}), time);
  }
  void PrepareUpdate(Json& rule, const Json& old) const override {
    Strategy::PrepareUpdate(rule, old);
    StampTaint(rule.Make({"spec", "taint"}), old["spec"]["taint"]["timeAdded"]);
  }

  void Validate(const Json& rule, FieldErrors& errors) const override {
    if (const Json* selector = rule["spec"].Find("deviceSelector")) {
      const FieldPath path = kSpec / "deviceSelector";
      if (selector->Has("driver")) CheckDriverName(errors, path / "driver", (*selector)["driver"].text());
      if (selector->Has("pool")) CheckPoolName(errors, path / "pool", (*selector)["pool"].text());
      if (const Json* device = selector->Find("device")) {
        Report(errors, path / "device", device->text(), CheckDnsLabel(device->text()));
      }
    }
    ValidateDeviceTaint(rule["spec"]["taint"], true, kSpec / "taint", errors);
  }

  bool has_status() const override { return true; }
  bool has_generation() const override { return true; }
  bool allows_unconditional_update() const override { return false; }
};

}  // namespace

std::unique_ptr<Strategy> MakeDeviceClassStrategy() { return std::make_unique<DeviceClassStrategy>(); }
std::unique_ptr<Strategy> MakeResourceClaimStrategy() { return std::make_unique<DeviceClaimStrategy>(); }
std::unique_ptr<Strategy> MakeResourceClaimTemplateStrategy() { return std::make_unique<ClaimTemplateStrategy>(); }
std::unique_ptr<Strategy> MakeResourceSliceStrategy() { return std::make_unique<SliceStrategy>(); }
std::unique_ptr<Strategy> MakeDeviceTaintRuleStrategy() { return std::make_unique<TaintRuleStrategy>(); }

}  // namespace berth::server
