// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/namespaces/quota_controller.h"

#include <algorithm>
#include <utility>

namespace berth::server {
namespace {

constexpr std::string_view kOverdue = "overdue:";  // Not part of a name.

// What can use more or less without being made or deleted.
bool CanVary(const Resource& resource) {
  return (resource.group.empty() && (resource.plural == "pods" || resource.plural == "services" ||
                                     resource.plural == "persistentvolumeclaims")) ||
         resource.group == "resource.k8s.io";
}

}  // namespace

void QuotaController::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  const Resource& resource = object.resource();
  if (&resource == &quotas_) OnQuota(change, enqueue);
  if (spaces_.empty()) return;
  const QuotaView view = View();
  const auto enqueue_all = [&](const std::string& ns, const Space& space) {
    for (const auto& [name, tally] : space.quotas) enqueue(ObjectKey(ns, name), kSettle);
  };
  if (&resource == &classes_) {
    // What a class stands for may be another resource now.
    for (auto& [ns, space] : spaces_) {
      for (const auto& [key, usage] : std::map(space.objects)) {
        if (key.first == claims_.index) CountClaim(space, ns, key.second, view);
      }
      enqueue_all(ns, space);
    }
    return;
  }
  const auto found = spaces_.find(object.ns());
  if (found == spaces_.end() || !found->second.is_known || !HasQuotas(resource)) return;
  const bool is_gone = change.type == Change::Type::kDeleted;
  bool differs = Count(found->second, object, is_gone, view);
  if (&resource == &pods_) {
    const TreePtr pod = object.tree();
    if (const std::string& claim = (*pod)["status"]["extendedResourceClaimStatus"]["resourceClaimName"].text();
        !claim.empty()) {
      differs = CountClaim(found->second, object.ns(), claim, view) || differs;
    }
    if (const std::optional<Time> overdue = OverdueAt(*pod); overdue && !is_gone) {
      enqueue(std::string(kOverdue) + object.key(), *overdue - view.now + Seconds(1));
    }
  }
  if (differs) enqueue_all(found->first, found->second);
}

void QuotaController::OnQuota(const Change& change, const Enqueue& enqueue) {
  const StoredObject& quota = *change.object;
  const std::string ns(quota.ns());
  const std::string name(quota.name());
  if (change.type == Change::Type::kDeleted) {
    spaces_[ns].quotas.erase(name);
    if (spaces_[ns].quotas.empty()) spaces_.erase(ns);
    return;
  }
  spaces_[ns].quotas.try_emplace(name);
  enqueue(quota.key(), Duration{});
}

bool QuotaController::Count(Space& space, const StoredObject& object, bool is_gone, const QuotaView& view) {
  const std::pair key(object.resource().index, std::string(object.name()));
  const auto present = space.objects.find(key);
  const bool is_known = present != space.objects.end();
  if (is_gone ? !is_known : is_known && !CanVary(object.resource())) return false;
  const UsagePtr before = is_known ? present->second : nullptr;
  UsagePtr now;
  if (!is_gone) {
    QuotaUsage usage = UsageOf(object.resource(), *object.tree(), view);
    if (before != nullptr && *before == usage) return false;
    if (space.last == nullptr || *space.last != usage) {
      space.last = std::make_shared<const QuotaUsage>(std::move(usage));
    }
    now = space.last;
  }
  for (auto& [name, tally] : space.quotas) {
    if (tally.spec.is_null()) continue;
    if (before != nullptr && IsInScopes(tally.spec, *before)) SubtractAmounts(tally.used, before->amounts);
    if (now != nullptr && IsInScopes(tally.spec, *now)) AddAmounts(tally.used, now->amounts);
  }
  if (is_gone) {
    space.objects.erase(present);
  } else {
    space.objects[key] = now;
  }
  return true;
}

bool QuotaController::CountClaim(Space& space, std::string_view ns, const std::string& name, const QuotaView& view) {
  const ObjectPtr claim = cluster_.store().Find(claims_, ns, name);
  return claim != nullptr && Count(space, *claim, false, view);
}

void QuotaController::CountAll(Space& space, std::string_view ns, const QuotaView& view) {
  const std::string prefix = std::string(ns) + "/";
  for (const auto& resource : cluster_.objects.catalog().all()) {
    if (!HasQuotas(*resource)) continue;
    const Store::Objects& all = cluster_.store().All(*resource);
    for (auto at = all.lower_bound(prefix); at != all.end() && at->first.starts_with(prefix); ++at) {
      Count(space, *at->second, false, view);
    }
  }
  space.is_known = true;
}

Json QuotaController::StatusOf(const Json& quota, const Tally& tally, const QuotaView& view) const {
  const Json& hard = quota["spec"]["hard"];
  Json used = Json::MakeMap();
  for (const Json::Member& limit : hard.members()) {
    const bool is_counted = std::ranges::any_of(cluster_.objects.catalog().all(), [&](const auto& resource) {
      return resource->is_served && HasQuotas(*resource) && CountsUnder(*resource, limit.name, view);
    });
    const auto own = tally.used.find(limit.name.text());
    if (is_counted) {
      used.Set(limit.name, own == tally.used.end() ? "0" : own->second.String());
    } else if (const Json* old = quota["status"]["used"].Find(limit.name); old != nullptr) {
      used.Set(limit.name, *old);
    }
  }
  Json status = Json::MakeMap();
  if (!hard.empty()) status.Set("hard", hard);
  if (!used.empty()) status.Set("used", std::move(used));
  return status;
}

std::optional<Duration> QuotaController::Sync(const std::string& key) {
  if (key.starts_with(kOverdue)) return SyncOverduePod(key.substr(kOverdue.size()));
  const size_t slash = key.find('/');
  const std::string ns = key.substr(0, slash);
  const std::string name = key.substr(slash + 1);
  const ObjectPtr quota = cluster_.store().Find(quotas_, ns, name);
  if (quota == nullptr) return std::nullopt;
  const QuotaView view = View();
  Space& space = spaces_[ns];
  if (!space.is_known) CountAll(space, ns, view);
  Tally& tally = space.quotas[name];
  const TreePtr tree = quota->tree();
  if (tally.spec != (*tree)["spec"]) {
    tally = {.spec = (*tree)["spec"], .used = {}};
    for (const auto& [id, usage] : space.objects) {
      if (IsInScopes(tally.spec, *usage)) AddAmounts(tally.used, usage->amounts);
    }
  }
  Json status = StatusOf(*tree, tally, view);
  if (status == (*tree)["status"]) return std::nullopt;
  const auto written =
      cluster_.objects.Update(quotas_, ns, name, {.manager = std::string(kControllerManager), .subresource = "status"},
                              [&](const Json& current) -> Outcome<Json> {
                                Json changed = current;
                                changed.Set("status", status);
                                return changed;
                              });
  return Succeeded(*this, written) ? std::nullopt : std::optional(kRetry);
}

std::optional<Duration> QuotaController::SyncOverduePod(const std::string& key) {
  const size_t slash = key.find('/');
  const auto space = spaces_.find(key.substr(0, slash));
  const ObjectPtr pod = cluster_.store().Find(pods_, key.substr(0, slash), key.substr(slash + 1));
  if (space == spaces_.end() || !space->second.is_known || pod == nullptr) return std::nullopt;
  if (!Count(space->second, *pod, false, View())) return std::nullopt;
  for (const auto& [name, tally] : space->second.quotas) Sync(ObjectKey(space->first, name));
  return std::nullopt;
}

}  // namespace berth::server
