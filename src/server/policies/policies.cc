// SPDX-License-Identifier: Apache-2.0
#include "server/policies/policies.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "server/model/resource.h"
#include "server/policies/request_view.h"

namespace berth::server {
namespace {

int CodeOf(std::string_view reason) {
  if (reason == "Forbidden") return 403;
  return reason == "RequestEntityTooLarge" ? 413 : 422;
}

}  // namespace

// One write that policies are asked about.
class Policies::Asking {
 public:
  Asking(PolicySet<Policy>& all, const AdmissionRequest& request, bool is_dry_run, std::vector<std::string>* warnings)
      : all_(all), request_(request), is_dry_run_(is_dry_run), warnings_(warnings) {}

  void Ask(const PolicyCall& call) {
    const Policy& compiled = all_.Get(*call.object);
    const Json subject = InForm(request_.object, request_.resource, *call.as);
    const Json old = InForm(request_.old, request_.resource, *call.as);
    const Json asked = DescribeRequest(request_, *call.as, is_dry_run_, DescribeUser(request_.user));
    const Json ns = all_.NamespaceOf(request_);
    for (const Json& param : call.params) {
      if (spent_ > kPoliciesSpentMax) {
        return Deny(*call.policy, call.binding.get(), std::string(kPoliciesTooExpensive), "Forbidden");
      }
      for (const Policy::Verdict& verdict : compiled.Judge({subject, old, asked, ns, param}, spent_)) {
        if (verdict.denies) Act(*call.policy, *call.binding, verdict);
      }
    }
  }

  void Misconfigured(const Json& policy, const Json* binding, const std::string& what) {
    if (policy["spec"]["failurePolicy"].text() == "Ignore") return;
    Deny(policy, binding, fmt::format("failed to configure {}: {}", binding == nullptr ? "policy" : "binding", what),
         {});
  }

  // What the first of those says that deny it.
  Outcome<void> Take() {
    if (!denial_) return {};
    Refusal refusal = Forbidden(request_.resource, request_.name, denial_->message);
    StatusError& error = refusal.error();
    error.reason = denial_->reason.empty() ? "Invalid" : denial_->reason;
    error.code = CodeOf(error.reason);
    error.causes.push_back({.reason = {}, .message = denial_->message, .field = {}});
    return refusal;
  }

 private:
  static std::string Place(const Json& policy, const Json* binding) {
    const std::string& name = policy["metadata"]["name"].text();
    if (binding == nullptr) return fmt::format("ValidatingAdmissionPolicy '{}'", name);
    return fmt::format("ValidatingAdmissionPolicy '{}' with binding '{}'", name, (*binding)["metadata"]["name"].text());
  }

  void Deny(const Json& policy, const Json* binding, const std::string& message, std::string reason) {
    if (denial_) return;
    denial_ = {.denies = true,
               .message = fmt::format("{} denied request: {}", Place(policy, binding), message),
               .reason = std::move(reason)};
  }

  void Act(const Json& policy, const Json& binding, const Policy::Verdict& verdict) {
    for (const Json& action : binding["spec"]["validationActions"].items()) {
      if (action.text() == "Deny") Deny(policy, &binding, verdict.message, verdict.reason);
      if (action.text() == "Warn" && warnings_ != nullptr) {
        warnings_->push_back(fmt::format("Validation failed for {}: {}", Place(policy, &binding), verdict.message));
      }
    }
  }

  PolicySet<Policy>& all_;
  const AdmissionRequest& request_;
  bool is_dry_run_;
  std::vector<std::string>* warnings_;
  std::optional<Policy::Verdict> denial_;
  int64_t spent_ = 0;
};

Policies::Policies(const Store& store, const Catalog& catalog)
    : all_(store, catalog, "validatingadmissionpolicies", "validatingadmissionpolicybindings") {}

Outcome<void> Policies::Check(const AdmissionRequest& request, bool is_dry_run, std::vector<std::string>* warnings) {
  if (all_.empty()) return {};
  Asking asking(all_, request, is_dry_run, warnings);
  all_.Each(
      request, [&](const PolicyCall& call) { asking.Ask(call); },
      [&](const Json& policy, const Json* binding, const std::string& error) {
        asking.Misconfigured(policy, binding, error);
      });
  return asking.Take();
}

}  // namespace berth::server
