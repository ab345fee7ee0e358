// SPDX-License-Identifier: Apache-2.0
#include "server/policies/mutating_policies.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

#include "server/model/resource.h"
#include "server/model/strategy.h"
#include "server/policies/request_view.h"
#include "server/store/object_bounds.h"

namespace berth::server {
namespace {

// What no policy changes.
void KeepIdentity(Json& object, const Json& before) {
  for (const std::string_view name : {"apiVersion", "kind"}) object.Set(name, before[name]);
  Json& metadata = object.Make("metadata");
  for (const std::string_view name :
       {"name", "generateName", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp",
        "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "managedFields"}) {
    if (const Json* const value = before["metadata"].Find(name)) {
      metadata.Set(name, *value);
    } else {
      metadata.Erase(name);
    }
  }
}

}  // namespace

// One turn of a write.
class MutatingPolicies::Asking {
 public:
  Asking(Turns& turns, const AdmissionRequest& request)
      : turns_(turns), all_(turns.all_), request_(request), spent_(turns.spent_) {}

  Outcome<void> Run(bool is_again) {
    std::vector<PolicyCall> calls;
    all_.Each(
        request_, [&](const PolicyCall& call) { calls.push_back(call); },
        [&](const Json& policy, const Json* binding, const std::string& error) {
          Fail(policy, binding,
               fmt::format("failed to configure {}: {}", binding == nullptr ? "policy" : "binding", error),
               "Forbidden");
        });
    const std::set<std::string> again = std::exchange(turns_.again_, {});
    for (const PolicyCall& call : calls) {
      for (const Json& param : call.params) {
        const std::string key =
            fmt::format("{}/{}/{}/{}", call.object->name(), (*call.binding)["metadata"]["name"].text(),
                        param["metadata"]["namespace"].text(), param["metadata"]["name"].text());
        if (!is_again || again.contains(key)) Ask(call, param, key);
      }
    }
    if (errors_.empty()) return {};
    Refusal refusal = Forbidden(request_.resource, request_.name, "admission request denied by policy");
    StatusError& error = refusal.error();
    error.message = errors_.front().message;
    error.reason = errors_.front().reason;
    for (Error& found : errors_)
      error.causes.push_back({.reason = {}, .message = std::move(found.message), .field = {}});
    return refusal;
  }

 private:
  void Ask(const PolicyCall& call, const Json& param, const std::string& key) {
    if (IsTooExpensive(call)) return;
    const Mutations& mutations = all_.Get(*call.object);
    const Resource& as = *call.as;
    const Json old = InForm(request_.old, request_.resource, as);
    const Json asked = DescribeRequest(request_, as, turns_.is_dry_run_, DescribeUser(request_.user));
    const Json ns = all_.NamespaceOf(request_);
    const Json before = *request_.object;
    Json subject = InForm(request_.object, request_.resource, as);
    std::string error;
    const std::optional<bool> matches = mutations.Matches({subject, old, asked, ns, param}, spent_, error);
    if (!matches) return Fail(*call.policy, call.binding.get(), error, "Invalid");
    if (!*matches) return;
    for (size_t i = 0; i < mutations.size(); ++i) {
      if (IsTooExpensive(call)) return;
      auto changed = mutations.Apply(i, {subject, old, asked, ns, param}, as.schema(), spent_);
      if (changed) {
        KeepIdentity(*changed, subject);
        const Outcome<void> fits = CheckBounds(as, *changed);
        if (!fits) changed = std::unexpected(fits.error().message);
      }
      if (!changed) {
        Fail(*call.policy, call.binding.get(), changed.error(), "Invalid");
        continue;
      }
      subject = *std::move(changed);
      SetDefaults(as, subject);
    }
    *request_.object = &as == &request_.resource ? std::move(subject) : InForm(&subject, as, request_.resource);
    if (*request_.object != before) {
      turns_.has_changed_ = true;
      turns_.again_.merge(turns_.asked_);
    }
    if (mutations.is_repeated()) turns_.asked_.insert(key);
  }

  void SetDefaults(const Resource& as, Json& object) const {
    if (request_.subresource == "status") {
      as.strategy->DefaultStatus(object);
    } else {
      as.strategy->Default(object, request_.verb == Verb::kCreate);
    }
  }

  // Denies the write if so, whatever the policy says of failures.
  bool IsTooExpensive(const PolicyCall& call) {
    if (spent_ <= kPoliciesSpentMax) return false;
    Deny(*call.policy, call.binding.get(), kPoliciesTooExpensive, "Forbidden");
    return true;
  }

  void Fail(const Json& policy, const Json* binding, std::string_view message, std::string reason) {
    if (policy["spec"]["failurePolicy"].text() == "Ignore") return;
    Deny(policy, binding, message, std::move(reason));
  }

  void Deny(const Json& policy, const Json* binding, std::string_view message, std::string reason) {
    const std::string& name = policy["metadata"]["name"].text();
    const std::string place =
        binding == nullptr ? fmt::format("policy \"{}\"", name)
                           : fmt::format("policy '{}' with binding '{}'", name, (*binding)["metadata"]["name"].text());
    errors_.push_back({fmt::format("{} denied request: {}", place, message), std::move(reason)});
  }

  struct Error {
    std::string message;
    std::string reason;
  };

  Turns& turns_;
  PolicySet<Mutations>& all_;
  const AdmissionRequest& request_;
  int64_t& spent_;
  std::vector<Error> errors_;
};

MutatingPolicies::MutatingPolicies(const Store& store, const Catalog& catalog)
    : all_(store, catalog, "mutatingadmissionpolicies", "mutatingadmissionpolicybindings") {}

Outcome<void> MutatingPolicies::Turns::First(const AdmissionRequest& request) {
  if (all_.empty()) return {};
  BERTH_CHECK_OK(Asking(*this, request).Run(false));
  if (!asked_.empty()) left_ = *request.object;
  return {};
}

Outcome<void> MutatingPolicies::Turns::Second(const AdmissionRequest& request) {
  if (!asked_.empty() && *request.object != left_) again_.merge(asked_);
  if (again_.empty()) return {};
  return Asking(*this, request).Run(true);
}

}  // namespace berth::server
