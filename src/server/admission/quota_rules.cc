// SPDX-License-Identifier: Apache-2.0
// Quotas: what is written must fit into those of its namespace.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "server/admission/pod_usage.h"
#include "server/admission/quota_usage.h"
#include "server/admission/rules.h"

namespace berth::server {
namespace {

// Whether a write of this kind can use more than there was.
bool CanUse(const AdmissionRequest& request) {
  if (request.object == nullptr || request.ns.empty() || !HasQuotas(*request.resource.stored)) return false;
  const bool is_update = request.verb == Verb::kUpdate;
  const std::string_view plural = request.resource.plural;
  if (request.resource.group.empty() && plural == "pods") {
    if (!is_update) return request.subresource.empty();
    if (request.subresource == "resize") return true;
    const auto ends = [](const Json& pod) { return !pod["spec"]["activeDeadlineSeconds"].is_null(); };
    return request.subresource.empty() && ends(*request.old) != ends(*request.object);
  }
  const bool grows = (request.resource.group.empty() && (plural == "services" || plural == "persistentvolumeclaims")) ||
                     request.resource.group == "resource.k8s.io";
  if (is_update && !grows) return false;
  return request.subresource.empty() || (request.subresource == "status" && plural == "persistentvolumeclaims");
}

std::string TextOf(const Amounts& amounts, const std::set<std::string>& names) {
  std::vector<std::string> parts;
  for (const auto& [name, amount] : amounts) {
    if (names.contains(name)) parts.push_back(fmt::format("{}={}", name, amount.String()));
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

// What the request adds. Nothing is given back: that is for when it has been carried out.
Amounts Increase(const Amounts& now, const Amounts& before) {
  Amounts more;
  for (const auto& [name, amount] : now) {
    api::Quantity rest = amount;
    if (const auto old = before.find(name); old != before.end()) rest.Sub(old->second);
    if (rest.Sign() > 0) more[name] = rest;
  }
  return more;
}

// One quota, and a request that it is about.
class QuotaCheck {
 public:
  QuotaCheck(const AdmissionRequest& request, const ObjectPtr& quota, const QuotaView& view)
      : request_(request), quota_(quota), tree_(quota->tree()), hard_(ReadAmounts((*tree_)["status"]["hard"])) {
    for (const auto& [name, amount] : hard_) {
      if (CountsUnder(*request.resource.stored, name, view)) names_.insert(name);
    }
  }

  bool IsAbout(const QuotaUsage& usage) const { return !names_.empty() && IsInScopes((*tree_)["spec"], usage); }

  Outcome<void> CheckDemands() const {
    if (request_.resource.plural == "pods" && request_.resource.group.empty()) {
      const std::string missing = MissingInPod(*request_.object, names_);
      if (!missing.empty()) return Refuse(fmt::format("failed quota: {}: must specify {}", quota_->name(), missing));
    }
    const Json& used = (*tree_)["status"]["used"];
    if (std::ranges::all_of(names_, [&](const std::string& name) { return used.Has(name); })) return {};
    return Refuse(fmt::format("status unknown for quota: {}, resources: {}", quota_->name(), fmt::join(names_, ",")));
  }

  Outcome<QuotaCharge> Charge(const Amounts& increase) const {
    Amounts used = ReadAmounts((*tree_)["status"]["used"]);
    Amounts requested;
    for (const auto& [name, amount] : increase) {
      if (hard_.contains(name)) requested.emplace(name, amount);
    }
    const Amounts before = used;
    AddAmounts(used, requested);
    std::set<std::string> exceeded;
    for (const auto& [name, amount] : requested) {
      if (used.at(name).Cmp(hard_.at(name)) > 0) exceeded.insert(name);
    }
    // What is so already is not held up.
    if (!exceeded.empty() && request_.subresource != "status") {
      return Refuse(fmt::format("exceeded quota: {}, requested: {}, used: {}, limited: {}", quota_->name(),
                                TextOf(requested, exceeded), TextOf(before, exceeded), TextOf(hard_, exceeded)));
    }
    return QuotaCharge{.quota = quota_, .used = WriteAmounts(used)};
  }

 private:
  Refusal Refuse(std::string_view why) const { return Forbidden(request_.resource, request_.name, why); }

  const AdmissionRequest& request_;
  ObjectPtr quota_;
  TreePtr tree_;
  Amounts hard_;
  std::set<std::string> names_;
};

}  // namespace

Outcome<std::vector<QuotaCharge>> ChargeQuotas(const AdmissionRequest& request, const ClusterView& cluster) {
  std::vector<QuotaCharge> charges;
  const Resource& quotas = cluster.catalog.Get("", "resourcequotas");
  if (cluster.store.Count(quotas) == 0 || !CanUse(request)) return charges;
  const std::vector<ObjectPtr> present = ObjectsIn(cluster, quotas, request.ns);
  if (present.empty()) return charges;
  const QuotaView view{.store = cluster.store, .catalog = cluster.catalog, .now = request.now};
  const Resource& resource = *request.resource.stored;
  const auto usage_of = [&](const Json& object) { return UsageOf(resource, ToStored(request.resource, object), view); };
  const QuotaUsage usage = usage_of(*request.object);
  const QuotaUsage before = request.old == nullptr ? QuotaUsage() : usage_of(*request.old);
  std::vector<QuotaCheck> checks;
  for (const ObjectPtr& quota : present) {
    QuotaCheck check(request, quota, view);
    if (!check.IsAbout(usage)) continue;
    BERTH_CHECK_OK(check.CheckDemands());
    checks.push_back(std::move(check));
  }
  for (const QuotaCheck& check : checks) {
    const bool was_in = request.old != nullptr && check.IsAbout(before);
    const Amounts increase = Increase(usage.amounts, was_in ? before.amounts : Amounts());
    if (!increase.empty()) charges.push_back(BERTH_TRY(check.Charge(increase)));
  }
  return charges;
}

}  // namespace berth::server
