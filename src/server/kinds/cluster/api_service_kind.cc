// SPDX-License-Identifier: Apache-2.0
// API services: which versions of which groups other servers answer for. Nobody here asks them.
#include <fmt/format.h>

#include "api/parts/selector.h"
#include "server/kinds/kinds.h"
#include "server/model/checks.h"
#include "server/model/metadata.h"
#include "server/model/path_segment.h"

namespace berth::server {
namespace {

constexpr FieldPath kServedBy("spec.service");

class ApiServiceStrategy final : public Strategy {
 public:
  void Default(Json& object, bool /*is_create*/) const override {
    Json* const spec = object.Find("spec");
    if (spec == nullptr || !spec->is_map()) return;
    if (Json* const service = spec->Find("service"); service != nullptr && service->is_map()) {
      service->SetDefault("port", Json::Int(443));
    }
  }

  // What no service answers for is there.
  void StampSpec(Json& object, const Json& old, Time now) const override {
    if (!old.is_null() || object["spec"]["service"].is_map()) return;
    object.Set("status",
               Json{{"conditions",
                     Json::MakeList({Json{{"type", Json::String("Available")},
                                          {"status", Json::String("True")},
                                          {"lastTransitionTime", Json::String(FormatTime(now))},
                                          {"reason", Json::String("Local")},
                                          {"message", Json::String("Local APIServices are always available")}}})}});
  }
  void PrepareStatusUpdate(Json& object, const Json& old) const override {
    Strategy::PrepareStatusUpdate(object, old);
    ResetMetadata(object, old);
  }

  Problems CheckName(const Json& object, std::string_view name, bool is_prefix) const override {
    if (Problems problems = CheckPathSegment(name, is_prefix); !problems.empty()) return problems;
    const std::string wanted = fmt::format("{}.{}", object["spec"]["version"].text(), object["spec"]["group"].text());
    if (name == wanted) return {};
    return {fmt::format("must be `spec.version+\".\"+spec.group`: \"{}\"", wanted)};
  }

  void Validate(const Json& object, FieldErrors& errors) const override {
    const Json& spec = object["spec"];
    const std::string& group = spec["group"].text();
    const std::string& version = spec["version"].text();
    if (!group.empty()) {
      Report(errors, kSpec / "group", group, api::ValidateDnsSubdomain(group));
    } else if (version != "v1") {
      errors.Required(kSpec / "group", "only v1 may have an empty group and it better be legacy kube");
    }
    Report(errors, kSpec / "version", version, CheckDns1035Label(version));
    CheckPriority(spec, "groupPriorityMinimum", 20000, errors);
    CheckPriority(spec, "versionPriority", 1000, errors);
    if (spec["service"].is_map()) {
      CheckService(spec, errors);
    } else {
      CheckLocal(spec, errors);
    }
  }
  void ValidateStatusUpdate(const Json& object, const Json& /*old*/, FieldErrors& errors) const override {
    constexpr FieldPath kPath("status.conditions");
    const Json& conditions = object["status"]["conditions"];
    for (size_t i = 0; i < conditions.size(); ++i) {
      const FieldPath at = kPath[i];
      CheckOneOf(errors, at / "status", conditions[i]["status"].text(), {"True", "False", "Unknown"});
    }
  }

  bool has_status() const override { return true; }
  bool allows_unconditional_update() const override { return false; }

 private:
  static void CheckPriority(const Json& spec, std::string_view name, int64_t max, FieldErrors& errors) {
    const int64_t priority = spec[name].IntOr(0);
    if (priority > 0 && priority <= max) return;
    errors.Invalid(kSpec / name, Json::Int(priority), fmt::format("must be positive and less than {}", max));
  }

  static void CheckLocal(const Json& spec, FieldErrors& errors) {
    if (!spec["caBundle"].text().empty()) {
      errors.Invalid(kSpec / "caBundle", "<value omitted>", "local APIServices may not have a caBundle");
    }
    if (spec["insecureSkipTLSVerify"].AsBool()) {
      errors.Invalid(kSpec / "insecureSkipTLSVerify", Json::Bool(true),
                     "local APIServices may not have insecureSkipTLSVerify");
    }
  }

  static void CheckService(const Json& spec, FieldErrors& errors) {
    const Json& service = spec["service"];
    for (const std::string_view name : {"namespace", "name"}) {
      if (service[name].text().empty()) errors.Required(kServedBy / name);
    }
    if (const int64_t port = service["port"].IntOr(0); port < 1 || port > 65535) {
      errors.Invalid(kServedBy / "port", Json::Int(port), "port is not valid: must be between 1 and 65535, inclusive");
    }
    if (spec["insecureSkipTLSVerify"].AsBool() && !spec["caBundle"].text().empty()) {
      errors.Invalid(kSpec / "insecureSkipTLSVerify", Json::Bool(true), "may not be true if caBundle is present");
    }
  }
};

}  // namespace

std::unique_ptr<Strategy> MakeApiServiceStrategy() { return std::make_unique<ApiServiceStrategy>(); }

}  // namespace berth::server
