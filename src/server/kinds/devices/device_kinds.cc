// SPDX-License-Identifier: Apache-2.0
// Devices: their classes, claims to them, slices of them and taints on them.
#include <fmt/format.h>

#include <algorithm>

#include "api/parts/selector.h"
#include "api/typed/typed.h"
#include "base/time.h"
#include "server/kinds/conditions.h"
#include "server/kinds/devices/device_claims.h"
#include "server/kinds/devices/device_slice_gates.h"
#include "server/kinds/devices/device_slices.h"
#include "server/kinds/immutable.h"
#include "server/kinds/internal_value.h"
#include "server/kinds/kinds.h"
#include "server/kinds/storage/persistent_volume.h"
#include "server/model/checks.h"
#include "server/model/metadata.h"

namespace berth::server {
namespace {

constexpr size_t kClassConfigsMax = 32;
constexpr size_t kRuleConditionsMax = 8;

void CheckExtendedResourceName(FieldErrors& errors, const FieldPath& path, const std::string& name) {
  constexpr std::string_view kNative = "kubernetes.io/";
  if (name.find('/') == name.npos) {
    errors.Invalid(path, name, "a name must be a domain-prefixed path, such as 'example.com/my-prop'");
  } else if (name.find(kNative) != name.npos) {
    errors.Invalid(path, name, R"(must not have "kubernetes.io/" domain)");
  }
  if (name.starts_with("requests.")) errors.Invalid(path, name, R"(must not have "requests." prefix)");
  Report(errors, path, name, api::ValidateQualifiedName("requests." + name));
}

class DeviceClassStrategy final : public Strategy {
 public:
  void Validate(const Json& object, FieldErrors& errors) const override {
    ValidateSpec(object["spec"], Json(), errors);
  }

  void ValidateChange(const Json& object, const Json& old, FieldErrors& errors) const override {
    ValidateSpec(object["spec"], old["spec"], errors);
  }

  bool has_generation() const override { return true; }

 private:
  // `old` is null for a new class.
  static void ValidateSpec(const Json& spec, const Json& old, FieldErrors& errors) {
    DeviceErrors found;
    const bool is_old = !old.is_null();
    const bool has_old_selectors = is_old && spec["selectors"] == old["selectors"];
    ValidateDeviceSelectors(spec["selectors"], has_old_selectors, kSpec / "selectors", found);
    const FieldPath config_path = kSpec / "config";
    const Json& config = spec["config"];
    if (CheckCount(found.declared, config_path, config.size(), kClassConfigsMax)) {
      const bool is_stored = is_old && config == old["config"];
      for (size_t i = 0; i < config.size(); ++i) ValidateDeviceConfig(config[i], is_stored, config_path[i], found);
    }
    if (const Json* name = spec.Find("extendedResourceName")) {
      CheckExtendedResourceName(found.declared, kSpec / "extendedResourceName", name->text());
    }
    found.AddTo(errors);
  }
};

class DeviceClaimStrategy final : public Strategy {
 public:
  void Default(Json& claim, bool /*is_create*/) const override {
    DefaultDeviceClaim(claim.Make("spec"));
    DefaultAllocation(claim);
  }

  void PrepareCreate(Json& claim) const override {
    Strategy::PrepareCreate(claim);
    DropDisabledOfClaim(claim.Make("spec"), Json());
  }
  void PrepareUpdate(Json& claim, const Json& old) const override {
    Strategy::PrepareUpdate(claim, old);
    DropDisabledOfClaim(claim.Make("spec"), old["spec"]);
  }
  void PrepareStatusUpdate(Json& claim, const Json& old) const override {
    Strategy::PrepareStatusUpdate(claim, old);
    ResetMetadata(claim, old);
    DropReleasedDevices(claim, old);
    DropSkippedOperations(claim, old);
  }

  void Validate(const Json& claim, FieldErrors& errors) const override {
    DeviceErrors found;
    ValidateDeviceClaim(claim["spec"], kSpec, found);
    found.AddTo(errors);
  }

  // Nothing else of the spec is looked at, as nobody could change it.
  void ValidateChange(const Json& claim, const Json& old, FieldErrors& errors) const override {
    CheckUnchanged(errors, kSpec, claim["spec"], old["spec"]);
  }

  void ValidateStatusUpdate(const Json& claim, const Json& old, FieldErrors& errors) const override {
    ValidateClaimStatus(claim, old["status"], errors);
  }

  bool has_status() const override { return true; }

 private:
  static bool IsAllocated(const Json& status, const Json& device) {
    return std::ranges::any_of(status["allocation"]["devices"]["results"].items(), [&](const Json& result) {
      return result["driver"] == device["driver"] && result["pool"] == device["pool"] &&
             result["device"] == device["device"] && result["shareID"] == device["shareID"];
    });
  }

  // Devices that are no longer allocated report nothing.
  static void DropReleasedDevices(Json& claim, const Json& old) {
    Json& status = claim.Make("status");
    Json* devices = status.Find("devices");
    if (devices == nullptr || !devices->is_list()) return;
    std::erase_if(devices->mutable_items(), [&](const Json& device) {
      return IsAllocated(old["status"], device) && !IsAllocated(claim["status"], device);
    });
    if (devices->empty()) status.Erase("devices");
  }

  // The gate for these is off.
  static void DropSkippedOperations(Json& claim, const Json& old) {
    const auto skips = [](const Json& result) { return !result["skipNodeOperations"].empty(); };
    if (std::ranges::any_of(old["status"]["allocation"]["devices"]["results"].items(), skips)) return;
    if (!claim["status"]["allocation"]["devices"]["results"].is_list()) return;
    for (Json& result : claim.Make({"status", "allocation", "devices", "results"}).mutable_items()) {
      result.Erase("skipNodeOperations");
    }
  }
};

class ClaimTemplateStrategy final : public Strategy {
 public:
  void Default(Json& object, bool /*is_create*/) const override { DefaultDeviceClaim(object.Make({"spec", "spec"})); }

  void PrepareCreate(Json& object) const override {
    Strategy::PrepareCreate(object);
    DropDisabledOfClaim(object.Make({"spec", "spec"}), Json());
  }
  void PrepareUpdate(Json& object, const Json& old) const override {
    Strategy::PrepareUpdate(object, old);
    DropDisabledOfClaim(object.Make({"spec", "spec"}), old["spec"]["spec"]);
  }

  void Validate(const Json& object, FieldErrors& errors) const override {
    ValidateTemplateMetadata(object["spec"]["metadata"], kSpec / "metadata", errors);
    DeviceErrors found;
    ValidateDeviceClaim(object["spec"]["spec"], kSpec / "spec", found);
    found.AddTo(errors);
  }

  void ValidateUpdate(const Json& object, const Json& old, FieldErrors& errors) const override {
    if (object["spec"] == old["spec"]) return;
    // Upstream's type has the metadata's members among its own.
    std::string text = object["spec"]["metadata"].is_map() ? object["spec"]["metadata"].ToText() : "{}";
    text.pop_back();
    if (text.size() > 1) text += ',';
    text += "\"Spec\":" + InternalText(object["spec"]["spec"], "resource.v1.ResourceClaimSpec") + "}";
    errors.Add({"FieldValueInvalid", fmt::format("Invalid value: {}: field is immutable", text), kSpec});
  }
};

class SliceStrategy final : public Strategy {
 public:
  void PrepareCreate(Json& slice) const override {
    Strategy::PrepareCreate(slice);
    DropDisabledOfSlice(slice.Make("spec"), Json(), gates());
  }
  void PrepareUpdate(Json& slice, const Json& old) const override {
    Strategy::PrepareUpdate(slice, old);
    DropDisabledOfSlice(slice.Make("spec"), old["spec"], gates());
  }
  // A taint says since when it is there.
  void StampSpec(Json& slice, const Json& /*old*/, Time now) const override {
    Json* devices = slice.Make("spec").Find("devices");
    if (devices == nullptr || !devices->is_list()) return;
    for (Json& device : devices->mutable_items()) {
      Json* taints = device.Find("taints");
      if (taints == nullptr || !taints->is_list()) continue;
      for (Json& taint : taints->mutable_items()) taint.SetDefault("timeAdded", Json::String(FormatTime(now)));
    }
  }

  void Validate(const Json& slice, FieldErrors& errors) const override { ValidateSlice(slice, Json(), errors); }
  void ValidateChange(const Json& slice, const Json& old, FieldErrors& errors) const override {
    ValidateSlice(slice, old["spec"], errors);
  }

  bool has_generation() const override { return true; }

  std::span<const std::string_view> selectable_fields() const override {
    static constexpr std::string_view kFields[] = {"spec.nodeName", "spec.driver", "spec.pool.name"};
    return kFields;
  }

 private:
  static void ValidateSlice(const Json& slice, const Json& old_spec, FieldErrors& errors) {
    DeviceErrors found;
    ValidateSliceSpec(slice["spec"], old_spec, found);
    found.AddTo(errors);
  }
};

class TaintRuleStrategy final : public Strategy {
 public:
  // A taint says since when it has its effect.
  void StampSpec(Json& rule, const Json& old, Time now) const override {
    Json& taint = rule.Make({"spec", "taint"});
    const Json& before = old["spec"]["taint"];
    const bool has_new_effect = !old.is_null() && taint["effect"] != before["effect"];
    if (has_new_effect && taint["timeAdded"] == before["timeAdded"]) taint.Erase("timeAdded");
    taint.SetDefault("timeAdded", Json::String(FormatTime(now)));
  }

  void PrepareStatusUpdate(Json& rule, const Json& old) const override {
    Strategy::PrepareStatusUpdate(rule, old);
    ResetMetadata(rule, old);
  }

  void Validate(const Json& rule, FieldErrors& errors) const override { ValidateSpec(rule["spec"], Json(), errors); }
  void ValidateChange(const Json& rule, const Json& old, FieldErrors& errors) const override {
    ValidateSpec(rule["spec"], old["spec"], errors);
  }

  void ValidateStatusUpdate(const Json& rule, const Json& /*old*/, FieldErrors& errors) const override {
    const FieldPath path = kStatus / "conditions";
    const Json& conditions = rule["status"]["conditions"];
    ValidateConditions(conditions, path, errors);
    CheckCount(errors, path, conditions.size(), kRuleConditionsMax);
  }

  bool has_status() const override { return true; }
  bool has_generation() const override { return true; }
  bool allows_unconditional_update() const override { return false; }

 private:
  // `old` is null for a new rule.
  static void ValidateSpec(const Json& spec, const Json& old, FieldErrors& errors) {
    DeviceErrors found;
    if (const Json* selector = spec.Find("deviceSelector")) {
      const FieldPath path = kSpec / "deviceSelector";
      if (selector->Has("driver")) CheckDriverName(found.written, path / "driver", (*selector)["driver"].text());
      if (selector->Has("pool")) CheckPoolName(found.written, path / "pool", (*selector)["pool"].text());
      if (const Json* device = selector->Find("device")) {
        Report(found.written, path / "device", device->text(), CheckDnsLabel(device->text()));
      }
    }
    const bool is_effect_new = old.is_null() || spec["taint"]["effect"] != old["taint"]["effect"];
    ValidateDeviceTaint(spec["taint"], is_effect_new, kSpec / "taint", found);
    found.AddTo(errors);
  }
};

}  // namespace

std::unique_ptr<Strategy> MakeDeviceClassStrategy() { return std::make_unique<DeviceClassStrategy>(); }
std::unique_ptr<Strategy> MakeResourceClaimStrategy() { return std::make_unique<DeviceClaimStrategy>(); }
std::unique_ptr<Strategy> MakeResourceClaimTemplateStrategy() { return std::make_unique<ClaimTemplateStrategy>(); }
std::unique_ptr<Strategy> MakeResourceSliceStrategy() { return std::make_unique<SliceStrategy>(); }
std::unique_ptr<Strategy> MakeDeviceTaintRuleStrategy() { return std::make_unique<TaintRuleStrategy>(); }

}  // namespace berth::server
