// SPDX-License-Identifier: Apache-2.0
#include "server/webhooks/webhook_kind.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "api/parts/selector.h"
#include "server/model/checks.h"
#include "server/model/client_checks.h"
#include "server/model/label_selector.h"
#include "server/policies/condition_checks.h"
#include "server/policies/match_checks.h"

namespace berth::server {
namespace {

// Upstream has no such bounds; every write looks at all webhooks, and compiling expressions is work that no cost
// covers.
constexpr size_t kWebhooksMax = 100;
constexpr size_t kConditionBytesMax = size_t{256} << 10;
constexpr int64_t kTimeoutMax = 30;

bool IsKnownReview(const std::string& version) { return version == "v1" || version == "v1beta1"; }
bool HasNoSideEffects(const Json& webhook) { return IsOneOf(webhook["sideEffects"].text(), {"None", "NoneOnDryRun"}); }

ExpressionTexts ConditionsOf(const Json& webhooks) {
  ExpressionTexts known;
  for (const Json& webhook : webhooks.items()) {
    for (const Json& condition : webhook["matchConditions"].items()) known.insert(condition["expression"].text());
  }
  return known;
}

// What webhooks that were written under other rules may go on doing.
struct WebhookRules {
  explicit WebhookRules(const Json& old)
      : needs_no_side_effects(std::ranges::all_of(old.items(), HasNoSideEffects)),
        needs_known_review(std::ranges::all_of(
            old.items(),
            [](const Json& webhook) {
              const Json::List& versions = webhook["admissionReviewVersions"].items();
              return versions.empty() ||
                     std::ranges::any_of(versions, [](const Json& version) { return IsKnownReview(version.text()); });
            })),
        known(ConditionsOf(old)) {
    std::set<std::string_view> names;
    needs_unique_names = std::ranges::all_of(
        old.items(), [&](const Json& webhook) { return names.insert(webhook["name"].text()).second; });
  }

  bool needs_no_side_effects;
  bool needs_known_review;
  bool needs_unique_names;
  bool keeps_conditions = false;  // They are as they were.
  ExpressionTexts known;
};

void CheckWebhookName(const std::string& name, const FieldPath& path, FieldErrors& errors) {
  if (name.empty()) return errors.Required(path);
  if (const Problems problems = api::ValidateDnsSubdomain(name); !problems.empty()) {
    return errors.Invalid(path, name, fmt::format("{}", fmt::join(problems, ",")));
  }
  if (std::ranges::count(name, '.') < 2) {
    errors.Invalid(path, name, "should be a domain with at least three segments separated by dots");
  }
}

void CheckSideEffects(const Json& value, bool needs_none, const FieldPath& path, FieldErrors& errors) {
  if (value.is_null()) {
    return errors.Required(path, needs_none ? "must specify one of None, NoneOnDryRun"
                                            : "must specify one of None, NoneOnDryRun, Some, Unknown");
  }
  if (needs_none) return CheckOneOf(errors, path, value.text(), {"None", "NoneOnDryRun"});
  CheckOneOf(errors, path, value.text(), {"None", "NoneOnDryRun", "Some", "Unknown"});
}

void CheckReviewVersions(const Json& versions, bool needs_known, const FieldPath& path, FieldErrors& errors) {
  if (versions.empty()) return errors.Required(path, "must specify one of v1, v1beta1");
  std::set<std::string_view> seen;
  bool has_known = false;
  for (size_t i = 0; i < versions.size(); ++i) {
    const std::string& version = versions[i].text();
    if (!seen.insert(version).second) {
      errors.Invalid(path[i], version, "duplicate version");
      continue;
    }
    Report(errors, path[i], version, CheckDns1035Label(version));
    has_known |= IsKnownReview(version);
  }
  if (needs_known && !has_known) errors.Invalid(path, versions, "must include at least one of v1, v1beta1");
}

class ConfigurationStrategy final : public Strategy {
 public:
  explicit ConfigurationStrategy(bool mutates) : mutates_(mutates) {}

  bool has_generation() const override { return true; }
  bool allows_unconditional_update() const override { return false; }

  void Default(Json& object, bool /*is_create*/) const override {
    Json* const webhooks = object.Find("webhooks");
    if (webhooks == nullptr || !webhooks->is_list() || webhooks->empty()) return;
    for (Json& webhook : webhooks->mutable_items()) {
      if (!webhook.is_map()) continue;
      webhook.SetDefault("failurePolicy", Json::String("Fail"));
      DefaultMatch(webhook);
      webhook.SetDefault("timeoutSeconds", Json::Int(10));
      if (mutates_) webhook.SetDefault("reinvocationPolicy", Json::String("Never"));
      Json* const client = webhook.Find("clientConfig");
      Json* const service = client == nullptr ? nullptr : client->Find("service");
      if (service != nullptr && service->is_map()) service->SetDefault("port", Json::Int(443));
    }
  }

  void Validate(const Json& object, FieldErrors& errors) const override {
    CheckWebhooks(object["webhooks"], WebhookRules(Json()), errors);
  }
  void ValidateChange(const Json& object, const Json& old, FieldErrors& errors) const override {
    const auto conditions = [](const Json& webhooks) {
      Json::List all;
      for (const Json& webhook : webhooks.items()) all.push_back(webhook["matchConditions"]);
      return all;
    };
    WebhookRules rules(old["webhooks"]);
    rules.keeps_conditions = conditions(object["webhooks"]) == conditions(old["webhooks"]);
    CheckWebhooks(object["webhooks"], rules, errors);
  }

 private:
  void CheckWebhooks(const Json& webhooks, const WebhookRules& rules, FieldErrors& errors) const {
    const FieldPath path("webhooks");
    if (webhooks.size() > kWebhooksMax) return errors.TooMany(path, webhooks.size(), kWebhooksMax);
    size_t bytes = 0;
    for (const std::string& text : ConditionsOf(webhooks)) bytes += text.size();
    if (bytes > kConditionBytesMax) {
      return errors.Forbidden(
          path, fmt::format("the expressions have {} bytes together, and may have {}", bytes, kConditionBytesMax));
    }
    std::set<std::string_view> names;
    for (size_t i = 0; i < webhooks.size(); ++i) {
      const Json& webhook = webhooks[i];
      const FieldPath at = path[i];
      CheckWebhook(webhook, rules, at, errors);
      CheckReviewVersions(webhook["admissionReviewVersions"], rules.needs_known_review, at / "admissionReviewVersions",
                          errors);
      const std::string& name = webhook["name"].text();
      if (rules.needs_unique_names && !name.empty() && !names.insert(name).second) {
        errors.Duplicate(at / "name", name);
      }
    }
  }

  void CheckWebhook(const Json& webhook, const WebhookRules& rules, const FieldPath& path, FieldErrors& errors) const {
    CheckWebhookName(webhook["name"].text(), path / "name", errors);
    const FieldPath rules_path = path / "rules";
    for (size_t i = 0; i < webhook["rules"].size(); ++i) CheckRule(webhook["rules"][i], rules_path[i], errors);
    CheckMemberOneOf(errors, path, webhook, "failurePolicy", {"Fail", "Ignore"});
    CheckMemberOneOf(errors, path, webhook, "matchPolicy", {"Equivalent", "Exact"});
    CheckSideEffects(webhook["sideEffects"], rules.needs_no_side_effects, path / "sideEffects", errors);
    const Json& timeout = webhook["timeoutSeconds"];
    if (!timeout.is_null() && (timeout.IntOr(0) < 1 || timeout.IntOr(0) > kTimeoutMax)) {
      errors.Invalid(path / "timeoutSeconds", timeout, "the timeout value must be between 1 and 30 seconds");
    }
    ValidateLabelSelector(webhook["namespaceSelector"], path / "namespaceSelector", errors);
    ValidateLabelSelector(webhook["objectSelector"], path / "objectSelector", errors);
    if (mutates_) CheckMemberOneOf(errors, path, webhook, "reinvocationPolicy", {"IfNeeded", "Never"});
    CheckClientConfig(webhook["clientConfig"], path / "clientConfig", errors);
    if (rules.keeps_conditions) return;
    CheckConditions(webhook["matchConditions"], false, rules.known, path / "matchConditions", errors);
  }

  bool mutates_;
};

}  // namespace

std::unique_ptr<Strategy> MakeMutatingWebhookConfigurationStrategy() {
  return std::make_unique<ConfigurationStrategy>(true);
}
std::unique_ptr<Strategy> MakeValidatingWebhookConfigurationStrategy() {
  return std::make_unique<ConfigurationStrategy>(false);
}

}  // namespace berth::server
