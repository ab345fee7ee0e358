// SPDX-License-Identifier: Apache-2.0
// Pod disruption budgets.
#include <charconv>

#include "api/typed/typed.h"
#include "api/wire/table.h"
#include "server/kinds/conditions.h"
#include "server/kinds/kinds.h"
#include "server/model/checks.h"
#include "server/model/label_selector.h"

namespace berth::server {
namespace {

// Of what is a percentage; one that is too large for a number is more too.
bool IsMoreThanAll(std::string_view text) {
  if (!CheckPercent(text).empty()) return false;
  int64_t percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  return error != std::errc() || percent > 100;
}

void ValidateBound(const Json& spec, std::string_view name, FieldErrors& errors) {
  const Json* bound = spec.Find(name);
  if (bound == nullptr) return;
  const FieldPath path = kSpec / name;
  if (bound->is_number()) return CheckNonNegative(errors, kSpec, spec, {name});
  Report(errors, path, *bound, CheckPercent(bound->text()));
  if (IsMoreThanAll(bound->text())) errors.Invalid(path, *bound, "must not be greater than 100%");
}

class BudgetStrategy final : public Strategy {
 public:
  void Validate(const Json& object, FieldErrors& errors) const override {
    const Json& spec = object["spec"];
    if (spec.Has("minAvailable") && spec.Has("maxUnavailable")) {
      errors.Add({"FieldValueInvalid",
                  "Invalid value: " + SpecText(spec) + ": minAvailable and maxUnavailable cannot be both set", kSpec});
    }
    ValidateBound(spec, "minAvailable", errors);
    ValidateBound(spec, "maxUnavailable", errors);
    ValidateLabelSelector(spec["selector"], kSpec / "selector", errors);
    CheckMemberOneOf(errors, kSpec, spec, "unhealthyPodEvictionPolicy", {"AlwaysAllow", "IfHealthyBudget"});
  }

  void ValidateStatusUpdate(const Json& object, const Json& /*old*/, FieldErrors& errors) const override {
    const Json& status = object["status"];
    ValidateConditions(status["conditions"], kStatus / "conditions", errors);
    CheckNonNegative(errors, kStatus, status,
                     {"disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"});
  }

  NameRule name_rule() const override { return NameRule::kPathSegment; }
  bool has_status() const override { return true; }
  bool has_generation() const override { return true; }
  bool allows_unconditional_update() const override { return false; }

 private:
  // As upstream prints its internal type.
  static std::string SpecText(const Json& spec) {
    static const api::wire::Message& selector =
        *api::wire::FindMessage("io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector");
    const std::string selector_text = spec.Has("selector") ? EncodeJson(spec["selector"], selector) : "null";
    return "{\"MinAvailable\":" + spec["minAvailable"].ToText() + ",\"Selector\":" + selector_text +
           ",\"MaxUnavailable\":" + spec["maxUnavailable"].ToText() +
           ",\"UnhealthyPodEvictionPolicy\":" + spec["unhealthyPodEvictionPolicy"].ToText() + "}";
  }
};

}  // namespace

std::unique_ptr<Strategy> MakePodDisruptionBudgetStrategy() { return std::make_unique<BudgetStrategy>(); }

}  // namespace berth::server
