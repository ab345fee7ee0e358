// SPDX-License-Identifier: Apache-2.0
// Orders to write objects again in the version in which they are kept.
#include "api/parts/selector.h"
#include "server/kinds/conditions.h"
#include "server/kinds/kinds.h"
#include "server/model/checks.h"
#include "server/model/find_condition.h"

namespace berth::server {
namespace {

constexpr FieldPath kMigratedResource("spec.resource");
constexpr FieldPath kMigrationConditions("status.conditions");

class MigrationStrategy final : public Strategy {
 public:
  void PrepareStatusUpdate(Json& object, const Json& old) const override {
    Strategy::PrepareStatusUpdate(object, old);
    object.Set("metadata", old["metadata"]);
  }

  void Validate(const Json& object, FieldErrors& errors) const override {
    const Json& resource = object["spec"]["resource"];
    if (const std::string& name = resource["resource"].text(); name.empty()) {
      errors.Required(kMigratedResource / "resource", "resource is required to be set");
    } else {
      Report(errors, kMigratedResource / "resource", name, CheckDnsLabel(name));
    }
    if (const std::string& group = resource["group"].text(); !group.empty()) {
      Report(errors, kMigratedResource / "group", group, api::ValidateDnsSubdomain(group));
    }
  }
  void ValidateUpdate(const Json& object, const Json& old, FieldErrors& errors) const override {
    CheckImmutable(errors, kSpec, object["spec"], old["spec"]);
  }

  void ValidateStatusUpdate(const Json& object, const Json& old, FieldErrors& errors) const override {
    const Json& conditions = object["status"]["conditions"];
    const Json& before = old["status"]["conditions"];
    ValidateConditions(conditions, kMigrationConditions, errors);
    const std::string& version = old["status"]["resourceVersion"].text();
    if (!version.empty() && version != object["status"]["resourceVersion"].text()) {
      errors.Invalid(FieldPath("status.resourceVersion"), object["status"]["resourceVersion"].text(),
                     "field is immutable");
    }
    if (IsTrue(conditions, "Succeeded") && IsTrue(conditions, "Failed")) {
      errors.Invalid(kMigrationConditions, conditions,
                     "Both success and failed conditions cannot be true at the same time");
    }
    if (IsTrue(before, "Succeeded") && !IsTrue(conditions, "Succeeded")) {
      errors.Invalid(kMigrationConditions, conditions, "Success condition cannot be set to false once it is true");
    }
    if (IsTrue(before, "Failed") && !IsTrue(conditions, "Failed")) {
      errors.Invalid(kMigrationConditions, conditions, "Failed condition cannot be set to false once it is true");
    }
  }

  bool has_status() const override { return true; }
  bool allows_unconditional_update() const override { return false; }
};

}  // namespace

std::unique_ptr<Strategy> MakeStorageVersionMigrationStrategy() { return std::make_unique<MigrationStrategy>(); }

}  // namespace berth::server
