// SPDX-License-Identifier: Apache-2.0
// Drivers for storage, and what nodes know of them.
#include <set>

#include "server/kinds/internal_value.h"
#include "server/kinds/kinds.h"
#include "server/kinds/storage/persistent_volume.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr size_t kNodeIdLengthMax = 256;
constexpr int64_t kTokenSecondsMin = 600;
constexpr int64_t kUpdateSecondsMin = 10;

class CsiDriverStrategy final : public Strategy {
 public:
  void Default(Json& object, bool /*is_create*/) const override {
    Json& spec = object.Make("spec");
    spec.SetDefault("attachRequired", Json::Bool(true));
    spec.SetDefault("fsGroupPolicy", Json::String("ReadWriteOnceWithFSType"));
    if (spec["volumeLifecycleModes"].empty()) {
      spec.Set("volumeLifecycleModes", Json::MakeList({Json::String("Persistent")}));
    }
    for (const char* name :
         {"podInfoOnMount", "storageCapacity", "requiresRepublish", "seLinuxMount", "preventPodSchedulingIfMissing"}) {
      spec.SetDefault(name, Json::Bool(false));
    }
  }

  void Validate(const Json& object, FieldErrors& errors) const override {
    const Json& spec = object["spec"];
    CheckMemberOneOf(errors, kSpec, spec, "fsGroupPolicy", {"File", "None", "ReadWriteOnceWithFSType"});
    ValidateTokens(spec["tokenRequests"], errors);
    for (const Json& mode : spec["volumeLifecycleModes"].items()) {
      CheckOneOf(errors, kSpec / "volumeLifecycleModes", mode.text(), {"Persistent", "Ephemeral"});
    }
    if (const Json& period = spec["nodeAllocatableUpdatePeriodSeconds"];
        period.IntOr(kUpdateSecondsMin) < kUpdateSecondsMin) {
      errors.Invalid(kSpec / "nodeAllocatableUpdatePeriodSeconds", period,
                     "must be greater than or equal to 10 seconds");
    }
    if (spec.Has("serviceAccountTokenInSecrets") && spec["tokenRequests"].empty()) {
      errors.Invalid(kSpec / "serviceAccountTokenInSecrets", spec["serviceAccountTokenInSecrets"],
                     "serviceAccountTokenInSecrets is set but no tokenRequests are specified");
    }
  }

  void ValidateUpdate(const Json& object, const Json& old, FieldErrors& errors) const override {
    CheckImmutable(errors, kSpec / "attachedRequired", object["spec"]["attachRequired"], old["spec"]["attachRequired"]);
    CheckImmutable(errors, kSpec / "volumeLifecycleModes", object["spec"]["volumeLifecycleModes"],
                   old["spec"]["volumeLifecycleModes"]);
  }

  // Changes count, but the first version has no number.
  void PrepareCreate(Json& object) const override { object.Make("metadata").Erase("generation"); }
  bool has_generation() const override { return true; }
  bool allows_unconditional_update() const override { return false; }

 private:
  static void ValidateTokens(const Json& requests, FieldErrors& errors) {
    const FieldPath path = kSpec / "tokenRequests";
    std::set<std::string> seen;
    for (size_t i = 0; i < requests.size(); ++i) {
      const FieldPath at = path[i];
      const std::string& audience = requests[i]["audience"].text();
      if (!seen.insert(audience).second) {
        errors.Duplicate(at / "audience", audience);
        continue;
      }
      const Json& seconds = requests[i]["expirationSeconds"];
      if (seconds.IntOr(kTokenSecondsMin) < kTokenSecondsMin) {
        errors.Invalid(at / "expirationSeconds", seconds, "may not specify a duration less than 10 minutes");
      }
      if (seconds.IntOr(0) > int64_t{1} << 32) {
        errors.Invalid(at / "expirationSeconds", seconds, "may not specify a duration larger than 2^32 seconds");
      }
    }
  }
};

class CsiNodeStrategy final : public Strategy {
 public:
  void Validate(const Json& object, FieldErrors& errors) const override {
    const Json& drivers = object["spec"]["drivers"];
    const FieldPath path = kSpec / "drivers";
    std::set<std::string> names;
    for (size_t i = 0; i < drivers.size(); ++i) {
      const FieldPath at = path[i];
      ValidateDriver(drivers[i], at, errors);
      const std::string& name = drivers[i]["name"].text();
      if (!names.insert(name).second) errors.Duplicate(at / "name", name);
      ValidateTopologyKeys(drivers[i]["topologyKeys"], at, errors);
    }
  }

  void ValidateUpdate(const Json& object, const Json& old, FieldErrors& errors) const override {
    for (const Json& before : old["spec"]["drivers"].items()) {
      for (const Json& after : object["spec"]["drivers"].items()) {
        if (before["name"] != after["name"] || WithoutCount(before) == WithoutCount(after)) continue;
        InvalidInternal(errors, kSpec / "drivers", WithoutCount(after), "storage.v1.CSINodeDriver",
                        "field is immutable");
      }
    }
  }

  bool has_status() const override { return true; }
  bool allows_unconditional_update() const override { return false; }

 private:
  static Json WithoutCount(Json driver) {
    driver.Erase("allocatable");
    return driver;
  }

  static void ValidateDriver(const Json& driver, const FieldPath& path, FieldErrors& errors) {
    CheckDriverName(errors, path / "name", driver["name"].text());
    const std::string& id = driver["nodeID"].text();
    if (id.empty()) errors.Required(path / "nodeID");
    if (id.size() > kNodeIdLengthMax) errors.Invalid(path / "nodeID", id, "must be 256 characters or less");
    CheckNonNegative(errors, path / "allocatable", driver["allocatable"], {"count"});
  }

  static void ValidateTopologyKeys(const Json& keys, const FieldPath& path, FieldErrors& errors) {
    std::set<std::string> seen;
    for (const Json& item : keys.items()) {
      const std::string& key = item.text();
      if (key.empty()) errors.Required(path);
      if (!seen.insert(key).second) errors.Duplicate(path, key);
      CheckQualifiedName(errors, path, key);
    }
  }
};

}  // namespace

std::unique_ptr<Strategy> MakeCsiDriverStrategy() { return std::make_unique<CsiDriverStrategy>(); }
std::unique_ptr<Strategy> MakeCsiNodeStrategy() { return std::make_unique<CsiNodeStrategy>(); }

}  // namespace berth::server
