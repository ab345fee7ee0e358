// SPDX-License-Identifier: Apache-2.0
#include "server/policies/policies.h"

#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <optional>
#include <utility>

#include "api/parts/selector.h"
#include "server/model/label_selector.h"
#include "server/model/resource.h"
#include "server/policies/policy_match.h"
#include "server/policies/request_view.h"

namespace berth::server {
namespace {

constexpr std::string_view kGroup = "admissionregistration.k8s.io";

Json TheClusterItself() {
  return Json{{"username", Json::String("system:admin")},
              {"groups", Json::MakeList({Json::String("system:masters"), Json::String("system:authenticated")})}};
}

int CodeOf(std::string_view reason) {
  if (reason == "Forbidden") return 403;
  return reason == "RequestEntityTooLarge" ? 413 : 422;
}

}  // namespace

// One write that policies are asked about.
class Policies::Asking {
 public:
  Asking(Policies& policies, const AdmissionRequest& request, bool is_dry_run, std::vector<std::string>* warnings)
      : policies_(policies), request_(request), is_dry_run_(is_dry_run), warnings_(warnings) {}

  void Ask(const StoredObject& object) {
    const TreePtr policy = object.tree();
    const Json& spec = (*policy)["spec"];
    const auto match = FindMatch(spec["matchConstraints"], request_, policies_.store_, policies_.catalog_);
    if (!match) return Misconfigured(*policy, nullptr, match.error());
    if (*match == nullptr) return;
    const Resource* kind = nullptr;
    if (const Json& named = spec["paramKind"]; named.is_map()) {
      kind = policies_.catalog_.FindKind(named["apiVersion"].text(), named["kind"].text());
      if (kind == nullptr || !kind->is_served) {
        const std::string& version = named["apiVersion"].text();
        return Misconfigured(
            *policy, nullptr,
            fmt::format("failed to find resource referenced by paramKind: '{}{}, Kind={}'",
                        version.find('/') == std::string::npos ? "/" : "", version, named["kind"].text()));
      }
    }
    for (const auto& [key, stored] : policies_.store_.All(policies_.binding_kind_)) {
      const TreePtr binding = stored->tree();
      if ((*binding)["spec"]["policyName"].text() == object.name()) AskBy(object, *policy, *binding, **match, kind);
    }
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
  // Upstream has a budget for each binding alone.
  static constexpr int64_t kSpentMax = 100'000'000;

  using Params = std::expected<std::vector<Json>, std::string>;

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

  void Misconfigured(const Json& policy, const Json* binding, const std::string& what) {
    if (policy["spec"]["failurePolicy"].text() == "Ignore") return;
    Deny(policy, binding, fmt::format("failed to configure {}: {}", binding == nullptr ? "policy" : "binding", what),
         {});
  }

  void AskBy(const StoredObject& object, const Json& policy, const Json& binding, const Resource& as,
             const Resource* kind) {
    const auto match = FindMatch(binding["spec"]["matchResources"], request_, policies_.store_, policies_.catalog_);
    if (!match) return Misconfigured(policy, &binding, match.error());
    if (*match == nullptr) return;
    const Params params = FindParams(binding["spec"]["paramRef"], kind);
    if (!params) return Misconfigured(policy, &binding, params.error());
    if (params->empty()) return;
    const Policy& compiled = policies_.Get(object);
    const Json subject = InForm(request_.object, request_.resource, as);
    const Json old = InForm(request_.old, request_.resource, as);
    const Json asked = DescribeRequest(request_, as, is_dry_run_, request_.user ? request_.user() : TheClusterItself());
    const Json ns = NamespaceOf();
    for (const Json& param : *params) {
      if (spent_ > kSpentMax) {
        return Deny(policy, &binding, "all policies together cost more than can be spent on one write", "Forbidden");
      }
      for (const Policy::Verdict& verdict : compiled.Judge({subject, old, asked, ns, param}, spent_)) {
        if (verdict.denies) Act(policy, binding, verdict);
      }
    }
  }

  void Act(const Json& policy, const Json& binding, const Policy::Verdict& verdict) {
    for (const Json& action : binding["spec"]["validationActions"].items()) {
      if (action.text() == "Deny") Deny(policy, &binding, verdict.message, verdict.reason);
      if (action.text() == "Warn" && warnings_ != nullptr) {
        warnings_->push_back(fmt::format("Validation failed for {}: {}", Place(policy, &binding), verdict.message));
      }
    }
  }

  // The objects that a binding names; one null if there is nothing to name.
  Params FindParams(const Json& reference, const Resource* kind) const {
    if (kind == nullptr || !reference.is_map()) {
      const std::string& ns = reference["namespace"].text();
      if (kind != nullptr && kind->namespaced && ns.empty() && NamespaceOfRequest(request_).empty())
        return NeedsNamespace();
      return std::vector<Json>(1);
    }
    const std::string& given = reference["namespace"].text();
    std::string ns;
    if (kind->namespaced) {
      ns = given.empty() ? NamespaceOfRequest(request_) : given;
      if (ns.empty()) return NeedsNamespace();
    } else if (!given.empty()) {
      return std::unexpected("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
    }
    std::vector<Json> found;
    if (const std::string& name = reference["name"].text(); !name.empty()) {
      if (const ObjectPtr object = policies_.store_.Find(*kind->stored, ns, name)) {
        found.push_back(FromStored(*kind, object->Tree()));
      }
    } else {
      const Result<api::Selector> selector = api::Selector::Compile(ReadLabelSelector(reference["selector"]));
      if (!selector) return std::unexpected(selector.error().message);
      for (const auto& [key, object] : policies_.store_.All(*kind->stored)) {
        if (object->ns() == ns && selector->Matches(object->labels())) {
          found.push_back(FromStored(*kind, object->Tree()));
        }
      }
    }
    if (found.empty() && reference["parameterNotFoundAction"].text() == "Deny") {
      return std::unexpected("no params found for policy binding with `Deny` parameterNotFoundAction");
    }
    return found;
  }

  static std::unexpected<std::string> NeedsNamespace() {
    return std::unexpected<std::string>(
        "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
  }

  Json NamespaceOf() const {
    if (IsNamespaceItself(request_.resource) || request_.ns.empty()) return {};
    const ObjectPtr found = policies_.store_.Find(policies_.namespace_kind_, "", request_.ns);
    return found == nullptr ? Json() : found->Tree();
  }

  Policies& policies_;
  const AdmissionRequest& request_;
  bool is_dry_run_;
  std::vector<std::string>* warnings_;
  std::optional<Policy::Verdict> denial_;
  int64_t spent_ = 0;
};

Policies::Policies(const Store& store, const Catalog& catalog)
    : store_(store),
      catalog_(catalog),
      kind_(catalog.Get(kGroup, "validatingadmissionpolicies")),
      binding_kind_(catalog.Get(kGroup, "validatingadmissionpolicybindings")),
      namespace_kind_(catalog.Get("", "namespaces")) {}

Outcome<void> Policies::Check(const AdmissionRequest& request, bool is_dry_run, std::vector<std::string>* warnings) {
  // No policy can keep another from being changed.
  if (request.resource.group == kGroup) return {};
  const Store::Objects& all = store_.All(kind_);
  if (all.size() < compiled_.size()) {
    std::erase_if(compiled_, [&](const auto& entry) { return !all.contains(entry.first); });
  }
  Asking asking(*this, request, is_dry_run, warnings);
  for (const auto& [name, object] : all) asking.Ask(*object);
  return asking.Take();
}

const Policy& Policies::Get(const StoredObject& object) {
  Compiled& entry = compiled_[std::string(object.name())];
  if (entry.policy == nullptr || entry.revision != object.revision()) {
    entry = {.revision = object.revision(), .policy = std::make_unique<const Policy>((*object.tree())["spec"])};
  }
  return *entry.policy;
}

}  // namespace berth::server
