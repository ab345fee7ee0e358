// SPDX-License-Identifier: Apache-2.0
// Namespaces and leases.
#include <algorithm>

#include "server/kinds/kinds.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr std::string_view kNamespaceNameLabel = "kubernetes.io/metadata.name";

class NamespaceStrategy final : public Strategy {
 public:
  void Default(Json& object, bool /*is_create*/) const override {
    if (const std::string name = object["metadata"]["name"].text(); !name.empty()) {
      object.Make({"metadata", "labels"}).Set(kNamespaceNameLabel, name);
    }
  }

  void PrepareCreate(Json& object) const override {
    object.Set("status", Json{{"phase", Json::String("Active")}});
    Json& finalizers = object.Make("spec").Make("finalizers");
    const bool has_own =
        std::ranges::any_of(finalizers.items(), [](const Json& finalizer) { return finalizer.text() == "kubernetes"; });
    if (!has_own) finalizers.Append(Json::String("kubernetes"));
  }

  // Finalizers change through /finalize alone.
  void PrepareUpdate(Json& object, const Json& old) const override {
    object.Set("spec", old["spec"]);
    object.Set("status", old["status"]);
  }

  void Validate(const Json& object, FieldErrors& errors) const override {
    const FieldPath path = kSpec / "finalizers";
    for (const Json& finalizer : object["spec"]["finalizers"].items()) {
      const std::string& name = finalizer.text();
      CheckQualifiedName(errors, path, name);
      if (name.find('/') == name.npos && name != "kubernetes" && name != "orphan" && name != "foregroundDeletion") {
        errors.Invalid(path, name, "name is neither a standard finalizer name nor is it fully qualified");
      }
    }
  }

  void ValidateStatusUpdate(const Json& object, const Json& /*old*/, FieldErrors& errors) const override {
    static constexpr FieldPath kPhase("status.Phase");
    const std::string& phase = object["status"]["phase"].text();
    const bool is_deleted = object["metadata"].Has("deletionTimestamp");
    if (!is_deleted && phase != "Active") {
      errors.Invalid(kPhase, phase, "may only be 'Active' if `deletionTimestamp` is empty");
    } else if (is_deleted && phase != "Terminating") {
      errors.Invalid(kPhase, phase, "may only be 'Terminating' if `deletionTimestamp` is not empty");
    }
  }

  NameRule name_rule() const override { return NameRule::kDnsLabel; }
  bool has_status() const override { return true; }
  bool is_phased_out() const override { return true; }

  std::span<const std::string_view> selectable_fields() const override {
    static constexpr std::string_view kFields[] = {"status.phase"};
    return kFields;
  }
};

class LeaseStrategy final : public Strategy {
 public:
  void PrepareCreate(Json& object) const override { DropDisabled(object); }
  void PrepareUpdate(Json& object, const Json& /*old*/) const override { DropDisabled(object); }

  void Validate(const Json& object, FieldErrors& errors) const override {
    const Json& spec = object["spec"];
    if (const Json& duration = spec["leaseDurationSeconds"]; duration.IntOr(1) <= 0) {
      errors.Invalid(kSpec / "leaseDurationSeconds", duration, "must be greater than 0");
    }
    CheckNonNegative(errors, kSpec, spec, {"leaseTransitions"});
  }

  bool allows_unconditional_update() const override { return false; }
  bool allows_create_on_update() const override { return true; }

 private:
  // Coordinated leader election is off by default.
  static void DropDisabled(Json& object) {
    Json& spec = object.Make("spec");
    spec.Erase("strategy");
    spec.Erase("preferredHolder");
  }
};

}  // namespace

std::unique_ptr<Strategy> MakeNamespaceStrategy() { return std::make_unique<NamespaceStrategy>(); }
std::unique_ptr<Strategy> MakeLeaseStrategy() { return std::make_unique<LeaseStrategy>(); }

}  // namespace berth::server
