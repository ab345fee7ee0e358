// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/device_claim_maker.h"

#include <fmt/format.h>

#include "api/document/field_error.h"
#include "server/controllers/device_claim_names.h"
#include "server/controllers/event_report.h"
#include "server/controllers/owned_pods.h"

namespace berth::server {
namespace {

constexpr std::string_view kClaimManager = "ResourceClaimController";
constexpr size_t kClaimConsumersMax = 256;

// Both names have a part in it, however long they are.
std::string GenerateName(std::string_view pod, std::string_view entry) {
  constexpr size_t kBaseMax = 57;  // A name of 63 characters has room for a dash and five more behind it.
  std::string base = fmt::format("{}-{}-", pod, entry);
  if (base.size() <= kBaseMax) return base;
  const auto part = [&](std::string_view name) { return name.substr(0, name.size() * kBaseMax / base.size()); };
  return fmt::format("{}-{}", part(pod), part(entry));
}

// It has a node, perhaps not from a scheduler, which would have reserved its claims before.
bool WaitsForDevices(const PodInfo& pod) {
  return pod.has_device_claims && !pod.node.empty() && pod.phase == PodInfo::Phase::kPending;
}

}  // namespace

void DeviceClaimMaker::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  const bool is_deletion = change.type == Change::Type::kDeleted;
  if (&object.resource() == &pods_) {
    const PodInfo* pod = cluster_.pods.Find(object.key());
    const bool may_lack = pod != nullptr && pod->has_device_claims && pod->is_active() &&
                          (pod->awaits_device_claims || WaitsForDevices(*pod) || change.before == nullptr);
    if (is_deletion) {
      Forget(object.key());
    } else if (may_lack) {
      enqueue(object.key(), {});
    }
  } else if (&object.resource() == &claims_) {
    for (const std::string& key : cluster_.pods.UsingDeviceClaim(object.key())) {
      if (is_deletion || WaitsForDevices(*cluster_.pods.Find(key))) enqueue(key, {});
    }
  } else if (&object.resource() == &templates_ && !is_deletion) {
    const auto found = waiting_.find(object.key());
    if (found == waiting_.end()) return;
    for (const std::string& pod : found->second) enqueue(pod, {});
    waiting_.erase(found);
  }
}

void DeviceClaimMaker::Forget(const std::string& pod) {
  for (auto& [key, pods] : waiting_) pods.erase(pod);
  std::erase_if(waiting_, [](const auto& each) { return each.second.empty(); });
}

std::optional<Duration> DeviceClaimMaker::Sync(const std::string& key) {
  const PodInfo* found = cluster_.pods.Find(key);
  if (found == nullptr || !found->is_active()) return std::nullopt;
  const ObjectPtr pod = found->object;
  const bool has_node = !found->node.empty();
  const Json tree = pod->Tree();
  std::map<std::string, std::string> names;  // That the status does not have yet.
  for (const Json& entry : tree["spec"]["resourceClaims"].items()) {
    if (!entry.Has("resourceClaimTemplateName")) continue;
    const Outcome<std::string> claim = ClaimOf(*pod, tree, entry);
    if (!claim) {
      ReportEvent(cluster_, *pod, "resource_claim",
                  {.type = "Warning",
                   .reason = "FailedResourceClaimCreation",
                   .message = fmt::format("PodResourceClaim {}: {}", entry["name"].text(), claim.error().message)});
      // A template may come, other reasons may go.
      return claim.error().code == 404 ? std::nullopt : std::optional(kRetry);
    }
    if (*claim != DeviceClaimName(tree, entry)) names.emplace(entry["name"].text(), *claim);
  }
  const bool is_done = WriteNames(*pod, names) && (!has_node || Reserve(*pod, tree));
  return is_done ? std::nullopt : std::optional(kRetry);
}

Outcome<std::string> DeviceClaimMaker::ClaimOf(const StoredObject& pod, const Json& tree, const Json& entry) {
  const std::optional<std::string> name = DeviceClaimName(tree, entry);
  if (name && name->empty()) return std::string();
  if (name) {
    const ObjectPtr claim = cluster_.store().Find(claims_, pod.ns(), *name);
    if (claim != nullptr && IsMadeFor(*claim->tree(), pod.uid())) return *name;
  }
  const std::string made = FindMade(pod, entry["name"].text());
  return made.empty() ? MakeClaim(pod, entry) : made;
}

std::string DeviceClaimMaker::FindMade(const StoredObject& pod, const std::string& entry) const {
  const std::string prefix = std::string(pod.ns()) + "/";
  const Store::Objects& all = cluster_.store().All(claims_);
  const std::string start = prefix + GenerateName(pod.name(), entry);
  for (auto at = all.lower_bound(start); at != all.end() && at->first.starts_with(start); ++at) {
    const TreePtr claim = at->second->tree();
    const bool is_for_entry = (*claim)["metadata"]["annotations"][kPodClaimAnnotation].text() == entry;
    if (is_for_entry && IsMadeFor(*claim, pod.uid())) return std::string(at->second->name());
  }
  return {};
}

Outcome<std::string> DeviceClaimMaker::MakeClaim(const StoredObject& pod, const Json& entry) {
  const std::string& wanted = entry["resourceClaimTemplateName"].text();
  const ObjectPtr found = cluster_.store().Find(templates_, pod.ns(), wanted);
  if (found == nullptr) {
    waiting_[ObjectKey(pod.ns(), wanted)].insert(pod.key());
    const std::string quoted = api::GoQuote(wanted);
    return std::unexpected(StatusError{
        .code = 404,
        .message = fmt::format("resource claim template {}: resourceclaimtemplate.resource.k8s.io {} not found", quoted,
                               quoted)});
  }
  const Json spec = found->Tree()["spec"];
  Json claim{{"apiVersion", Json::String(claims_.api_version)},
             {"kind", Json::String(claims_.kind)},
             {"metadata", spec["metadata"]},
             {"spec", spec["spec"]}};
  Json& metadata = claim.Make("metadata");
  metadata.Set("generateName", GenerateName(pod.name(), entry["name"].text()));
  metadata.Set("namespace", pod.ns());
  metadata.Make("annotations").Set(kPodClaimAnnotation, entry["name"].text());
  Json owner = ControllerReference(pod);
  owner.Erase("blockOwnerDeletion");
  metadata.Set("ownerReferences", Json::MakeList({std::move(owner)}));
  const auto created =
      cluster_.objects.Create(claims_, pod.ns(), std::move(claim), {.manager = std::string(kControllerManager)});
  if (created) return std::string((*created)->name());
  Succeeded(*this, created);
  StatusError error = created.error();
  error.code = 422;
  error.message = "create ResourceClaim : " + error.message;
  return std::unexpected(std::move(error));
}

bool DeviceClaimMaker::WriteNames(const StoredObject& pod, const std::map<std::string, std::string>& names) {
  if (names.empty()) return true;
  const auto written = cluster_.objects.Update(
      pods_, pod.ns(), pod.name(), {.manager = std::string(kClaimManager), .subresource = "status"},
      [&](const Json& current) -> Outcome<Json> {
        Json changed = current;
        std::map<std::string, Json> statuses;
        for (const Json& status : current["status"]["resourceClaimStatuses"].items()) {
          statuses.emplace(status["name"].text(), status);
        }
        for (const auto& [name, claim] : names) {
          statuses[name] = Json{{"name", Json::String(name)}, {"resourceClaimName", Json::String(claim)}};
        }
        Json list = Json::MakeList();
        for (auto& [name, status] : statuses) list.Append(std::move(status));
        changed.Make("status").Set("resourceClaimStatuses", std::move(list));
        return changed;
      });
  return Succeeded(*this, written);
}

bool DeviceClaimMaker::Reserve(const StoredObject& pod, const Json& tree) {
  bool is_done = true;
  for (const Json& entry : tree["spec"]["resourceClaims"].items()) {
    const std::optional<std::string> name = DeviceClaimName(tree, entry);
    const ObjectPtr found = name ? cluster_.store().Find(claims_, pod.ns(), *name) : nullptr;
    if (found == nullptr) continue;
    const TreePtr claim = found->tree();
    if (entry.Has("resourceClaimTemplateName") && !IsMadeFor(*claim, pod.uid())) continue;
    const bool can_be = (*claim)["status"].Has("allocation") && !found->is_being_deleted() &&
                        (*claim)["status"]["reservedFor"].size() < kClaimConsumersMax;
    if (!can_be || IsReservedFor(*claim, pod.uid())) continue;
    Json::List consumers = (*claim)["status"]["reservedFor"].items();
    consumers.push_back(
        Json{{"resource", Json::String("pods")}, {"name", Json::String(pod.name())}, {"uid", Json::String(pod.uid())}});
    is_done &= WriteStatus(cluster_, *found,
                           [&](Json& status) { status.Set("reservedFor", Json::MakeList(std::move(consumers))); });
  }
  return is_done;
}

}  // namespace berth::server
