// SPDX-License-Identifier: Apache-2.0
// Requests for certificates, and bundles of trusted ones. What is encoded in them is not looked at.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "server/kinds/kinds.h"
#include "server/model/checks.h"
#include "server/model/find_condition.h"
#include "server/model/signer_name.h"

namespace berth::server {
namespace {

constexpr FieldPath kRequestConditions("status.conditions");

std::vector<const Json*> ConditionsOfType(const Json& object, std::string_view type) {
  std::vector<const Json*> found;
  for (const Json& condition : object["status"]["conditions"].items()) {
    if (condition["type"].text() == type) found.push_back(&condition);
  }
  return found;
}

class SigningRequestStrategy final : public Strategy {
 public:
  void PrepareCreate(Json& object) const override {
    Strategy::PrepareCreate(object);
    Json& spec = object.Make("spec");
    for (const char* name : {"username", "uid", "groups", "extra"}) spec.Erase(name);
  }
  void PrepareUpdate(Json& object, const Json& old) const override {
    Strategy::PrepareUpdate(object, old);
    object.Set("spec", old["spec"]);
  }

  // Whoever issues certificates does not decide: decisions stay as they are.
  void PrepareStatusUpdate(Json& object, const Json& old) const override {
    Strategy::PrepareStatusUpdate(object, old);
    for (const std::string_view type : {"Approved", "Denied"}) {
      const std::vector<const Json*> kept = ConditionsOfType(old, type);
      if (kept.empty() || ConditionsOfType(object, type).size() != kept.size()) continue;
      size_t next = 0;
      for (Json& condition : object.Make({"status", "conditions"}).mutable_items()) {
        if (condition["type"].text() == type) condition = *kept[next++];
      }
    }
  }

  void PrepareApproval(Json& object, const Json& old) const override {
    Json conditions = object["status"]["conditions"];
    PrepareUpdate(object, old);
    object.Make("status").Set("conditions", std::move(conditions));
    if (object["status"]["conditions"].empty()) object.Make("status").Erase("conditions");
  }

  void StampStatus(Json& object, const Json& old, Time now) const override {
    Json* const status = object.Find("status");
    Json* const conditions = status == nullptr ? nullptr : status->Find("conditions");
    if (conditions == nullptr || !conditions->is_list()) return;
    for (Json& condition : conditions->mutable_items()) {
      if (!condition["lastUpdateTime"].is_string()) condition.Set("lastUpdateTime", FormatTime(now));
      if (condition["lastTransitionTime"].is_string()) continue;
      const Json& before = FindCondition(old["status"]["conditions"], condition["type"].text());
      const bool is_same = before["status"] == condition["status"] && before["lastTransitionTime"].is_string();
      condition.Set("lastTransitionTime", is_same ? before["lastTransitionTime"].text() : FormatTime(now));
    }
  }

  void Validate(const Json& object, FieldErrors& errors) const override {
    const Json& spec = object["spec"];
    if (spec["request"].text().empty()) {
      errors.Invalid(kSpec / "request", Json(), "PEM block type must be CERTIFICATE REQUEST");
    }
    Require(errors, kSpec, spec, "usages");
    CheckSignerName(errors, kSpec / "signerName", spec["signerName"].text());
    if (const Json& seconds = spec["expirationSeconds"]; seconds.IntOr(600) < 600) {
      errors.Invalid(kSpec / "expirationSeconds", seconds,
                     "may not specify a duration less than 600 seconds (10 minutes)");
    }
    ValidateConditions(object["status"]["conditions"], errors);
  }

  void ValidateStatusUpdate(const Json& object, const Json& old, FieldErrors& errors) const override {
    Validate(object, errors);
    ValidateNoneRemoved(object, old, errors);
    for (const std::string_view type : {"Approved", "Denied"}) {
      if (ConditionsOfType(object, type).size() > ConditionsOfType(old, type).size()) {
        errors.Forbidden(kRequestConditions, fmt::format("updates may not add a condition of type \"{}\"", type));
      }
    }
    const std::string& certificate = old["status"]["certificate"].text();
    if (!certificate.empty() && object["status"]["certificate"].text() != certificate) {
      errors.Forbidden(FieldPath("status.certificate"), "updates may not modify existing certificate content");
    }
  }

  void ValidateApproval(const Json& object, const Json& old, FieldErrors& errors) const override {
    Validate(object, errors);
    ValidateNoneRemoved(object, old, errors);
  }

  NameRule name_rule() const override { return NameRule::kPathSegment; }
  bool has_status() const override { return true; }

  std::span<const std::string_view> selectable_fields() const override {
    static constexpr std::string_view kFields[] = {"spec.signerName"};
    return kFields;
  }

 private:
  static void ValidateConditions(const Json& conditions, FieldErrors& errors) {
    std::vector<std::string_view> seen;
    const auto has = [&](std::string_view type) { return std::ranges::find(seen, type) != seen.end(); };
    for (size_t i = 0; i < conditions.size(); ++i) {
      const FieldPath path = kRequestConditions[i];
      const std::string& type = conditions[i]["type"].text();
      if (type.empty()) errors.Required(path / "type");
      if (IsOneOf(type, {"Approved", "Denied", "Failed"})) {
        CheckEnum(errors, path, conditions[i], "status", {"True"});
      } else {
        CheckEnum(errors, path, conditions[i], "status", {"False", "True", "Unknown"});
      }
      if ((type == "Approved" && has("Denied")) || (type == "Denied" && has("Approved"))) {
        errors.Invalid(kRequestConditions, type, "Approved and Denied conditions are mutually exclusive");
      }
      if (has(type)) errors.Duplicate(path / "type", type);
      seen.push_back(type);
    }
  }

  static void ValidateNoneRemoved(const Json& object, const Json& old, FieldErrors& errors) {
    for (const std::string_view type : {"Approved", "Denied", "Failed"}) {
      if (ConditionsOfType(object, type).size() < ConditionsOfType(old, type).size()) {
        errors.Forbidden(kRequestConditions, fmt::format("updates may not remove a condition of type \"{}\"", type));
      }
    }
  }
};

class TrustBundleStrategy final : public Strategy {
 public:
  // The bundle of a signer is named after it: example.com:signer:name.
  Problems CheckName(const Json& object, std::string_view name, bool is_prefix) const override {
    const std::string& signer = object["spec"]["signerName"].text();
    if (signer.empty()) {
      if (name.find(':') == name.npos) return Strategy::CheckName(object, name, is_prefix);
      return {"ClusterTrustBundle without signer name must not have \":\" in its name"};
    }
    std::string beginning = signer + ':';
    std::ranges::replace(beginning, '/', ':');
    if (name.starts_with(beginning)) return Strategy::CheckName(object, name.substr(beginning.size()), is_prefix);
    return {fmt::format("ClusterTrustBundle for signerName {} must be named with prefix {}", signer, beginning)};
  }

  void Validate(const Json& object, FieldErrors& errors) const override {
    const Json& spec = object["spec"];
    if (const std::string& signer = spec["signerName"].text(); !signer.empty()) {
      CheckSignerName(errors, kSpec / "signerName", signer);
    }
    if (spec["trustBundle"].text().find("-----BEGIN CERTIFICATE-----") == std::string::npos) {
      errors.Invalid(kSpec / "trustBundle", "<value omitted>", "at least one trust anchor must be provided");
    }
  }
  void ValidateUpdate(const Json& object, const Json& old, FieldErrors& errors) const override {
    CheckImmutable(errors, kSpec / "signerName", object["spec"]["signerName"], old["spec"]["signerName"]);
  }

  bool allows_unconditional_update() const override { return false; }

  std::span<const std::string_view> selectable_fields() const override {
    static constexpr std::string_view kFields[] = {"spec.signerName"};
    return kFields;
  }
};

}  // namespace

std::unique_ptr<Strategy> MakeCertificateSigningRequestStrategy() { return std::make_unique<SigningRequestStrategy>(); }
std::unique_ptr<Strategy> MakeClusterTrustBundleStrategy() { return std::make_unique<TrustBundleStrategy>(); }

}  // namespace berth::server
