// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/devices/device_claim_maker.h"

#include <fmt/format.h>

#include "api/document/field_error.h"
#include "server/controllers/device_claim_names.h"
#include "server/controllers/event_report.h"
#include "server/controllers/owned_pods.h"

namespace berth::server {
namespace {

constexpr std::string_view kClaimManager = "ResourceClaimController";
constexpr size_t kClaimConsumersMax = 256;
// Before the key of a group.
constexpr std::string_view kGroupMark = "podgroup:";

std::string GroupMark(std::string_view key) { return fmt::format("{}{}", kGroupMark, key); }

// Both names have a part in it, however long they are.
std::string GenerateName(std::string_view owner, std::string_view entry) {
  constexpr size_t kBaseMax = 57;  // A name of 63 characters has room for a dash and five more behind it.
  std::string base = fmt::format("{}-{}-", owner, entry);
  if (base.size() <= kBaseMax) return base;
  const auto part = [&](std::string_view name) { return name.substr(0, name.size() * kBaseMax / base.size()); };
  return fmt::format("{}-{}", part(owner), part(entry));
}

// After a claim could not be made: a template may come, other reasons may go.
std::optional<Duration> WhenToLookAgain(const StatusError& error) {
  return error.code == 404 ? std::nullopt : std::optional(kRetry);
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
  } else if (&object.resource() == &groups_) {
    OnGroupChange(object, is_deletion, enqueue);
  } else if (&object.resource() == &claims_) {
    const Json owner = ControllerOf(*object.tree());
    if (is_deletion && owner["kind"].text() == groups_.kind) {
      enqueue(GroupMark(ObjectKey(object.ns(), owner["name"].text())), {});
    }
    for (const std::string& key : cluster_.pods.UsingDeviceClaim(object.key())) {
      if (is_deletion || WaitsForDevices(*cluster_.pods.Find(key))) enqueue(key, {});
    }
  } else if (&object.resource() == &templates_ && !is_deletion) {
    const auto found = waiting_.find(object.key());
    if (found == waiting_.end()) return;
    for (const std::string& owner : found->second) enqueue(owner, {});
    waiting_.erase(found);
  }
}

void DeviceClaimMaker::OnGroupChange(const StoredObject& group, bool is_deletion, const Enqueue& enqueue) {
  if (is_deletion) return Forget(GroupMark(group.key()));
  if (HasGate(Gate::kDRAWorkloadResourceClaims) && !(*group.tree())["spec"]["resourceClaims"].empty()) {
    enqueue(GroupMark(group.key()), {});
  }
  for (const std::string& pod : cluster_.pods.InGroup(group.key())) {
    if (cluster_.pods.Find(pod)->awaits_device_claims) enqueue(pod, {});
  }
}

void DeviceClaimMaker::Forget(const std::string& owner) {
  for (auto& [key, owners] : waiting_) owners.erase(owner);
  std::erase_if(waiting_, [](const auto& each) { return each.second.empty(); });
}

std::optional<Duration> DeviceClaimMaker::Sync(const std::string& key) {
  if (key.starts_with(kGroupMark)) {
    const Store::Objects& all = cluster_.store().All(groups_);
    const auto found = all.find(key.substr(kGroupMark.size()));
    if (found == all.end() || found->second->is_being_deleted()) return std::nullopt;
    return SyncGroup(*ObjectPtr(found->second));
  }
  const PodInfo* found = cluster_.pods.Find(key);
  if (found == nullptr || !found->is_active()) return std::nullopt;
  return SyncPod(PodInfo(*found));
}

std::optional<Duration> DeviceClaimMaker::SyncPod(const PodInfo& pod) {
  const Json tree = pod.object->Tree();
  const ObjectPtr group = GroupOf(pod);
  // Without its group nobody knows which claims are its own.
  if (group == nullptr && !pod.group.empty() && HasGate(Gate::kGenericWorkload)) return std::nullopt;
  const Json shared = SharedOf(group);
  Names names;
  for (const Json& entry : tree["spec"]["resourceClaims"].items()) {
    if (!entry.Has("resourceClaimTemplateName")) continue;
    if (IsShared(shared, entry)) {
      // It will be looked at again when its group has the claim.
      const std::optional<std::string> claim = DeviceClaimName(shared, entry);
      if (claim && claim != DeviceClaimName(tree, entry)) names.emplace(entry["name"].text(), *claim);
    } else if (const Outcome<void> added = AddClaim(*pod.object, tree, entry, names); !added) {
      return WhenToLookAgain(added.error());
    }
  }
  const bool is_done = WriteNames(*pod.object, names) && (pod.node.empty() || Reserve(*pod.object, tree, group));
  return is_done ? std::nullopt : std::optional(kRetry);
}

std::optional<Duration> DeviceClaimMaker::SyncGroup(const StoredObject& group) {
  const Json tree = group.Tree();
  Names names;
  for (const Json& entry : tree["spec"]["resourceClaims"].items()) {
    if (!entry.Has("resourceClaimTemplateName")) continue;
    if (const Outcome<void> added = AddClaim(group, tree, entry, names); !added) return WhenToLookAgain(added.error());
  }
  return WriteNames(group, names) ? std::nullopt : std::optional(kRetry);
}

bool DeviceClaimMaker::HasGate(Gate gate) const { return cluster_.objects.catalog().gates().Enabled(gate); }

ObjectPtr DeviceClaimMaker::GroupOf(const PodInfo& pod) const {
  return pod.group.empty() ? nullptr : cluster_.store().Find(groups_, pod.object->ns(), pod.group);
}

Json DeviceClaimMaker::SharedOf(const ObjectPtr& group) const {
  return group != nullptr && HasGate(Gate::kDRAWorkloadResourceClaims) ? group->Tree() : Json();
}

Outcome<void> DeviceClaimMaker::AddClaim(const StoredObject& owner, const Json& tree, const Json& entry, Names& names) {
  const Outcome<std::string> claim = ClaimOf(owner, tree, entry);
  if (!claim) {
    ReportEvent(cluster_, owner, "resource_claim",
                {.type = "Warning",
                 .reason = "FailedResourceClaimCreation",
                 .message = fmt::format("{}ResourceClaim {}: {}", owner.resource().kind, entry["name"].text(),
                                        claim.error().message)});
    return std::unexpected(claim.error());
  }
  if (*claim != DeviceClaimName(tree, entry)) names.emplace(entry["name"].text(), *claim);
  return {};
}

Outcome<std::string> DeviceClaimMaker::ClaimOf(const StoredObject& owner, const Json& tree, const Json& entry) {
  const std::optional<std::string> name = DeviceClaimName(tree, entry);
  if (name && name->empty()) return std::string();
  if (name) {
    const ObjectPtr claim = cluster_.store().Find(claims_, owner.ns(), *name);
    if (claim != nullptr && IsMadeFor(*claim->tree(), owner.uid())) return *name;
  }
  const std::string made = FindMade(owner, entry["name"].text());
  return made.empty() ? MakeClaim(owner, entry) : made;
}

std::string DeviceClaimMaker::FindMade(const StoredObject& owner, const std::string& entry) const {
  const std::string prefix = std::string(owner.ns()) + "/";
  const Store::Objects& all = cluster_.store().All(claims_);
  const std::string start = prefix + GenerateName(owner.name(), entry);
  for (auto at = all.lower_bound(start); at != all.end() && at->first.starts_with(start); ++at) {
    const TreePtr claim = at->second->tree();
    const bool is_for_entry = (*claim)["metadata"]["annotations"][kPodClaimAnnotation].text() == entry;
    if (is_for_entry && IsMadeFor(*claim, owner.uid())) return std::string(at->second->name());
  }
  return {};
}

Outcome<std::string> DeviceClaimMaker::MakeClaim(const StoredObject& owner, const Json& entry) {
  const std::string& wanted = entry["resourceClaimTemplateName"].text();
  const ObjectPtr found = cluster_.store().Find(templates_, owner.ns(), wanted);
  if (found == nullptr) {
    const bool is_group = &owner.resource() == &groups_;
    waiting_[ObjectKey(owner.ns(), wanted)].insert(is_group ? GroupMark(owner.key()) : owner.key());
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
  metadata.Set("generateName", GenerateName(owner.name(), entry["name"].text()));
  metadata.Set("namespace", owner.ns());
  metadata.Make("annotations").Set(kPodClaimAnnotation, entry["name"].text());
  Json reference = ControllerReference(owner);
  reference.Erase("blockOwnerDeletion");
  metadata.Set("ownerReferences", Json::MakeList({std::move(reference)}));
  const auto created =
      cluster_.objects.Create(claims_, owner.ns(), std::move(claim), {.manager = std::string(kControllerManager)});
  if (created) return std::string((*created)->name());
  Succeeded(*this, created);
  StatusError error = created.error();
  error.code = 422;
  error.message = "create ResourceClaim : " + error.message;
  return std::unexpected(std::move(error));
}

bool DeviceClaimMaker::WriteNames(const StoredObject& owner, const Names& names) {
  if (names.empty()) return true;
  const auto written = cluster_.objects.Update(
      owner.resource(), owner.ns(), owner.name(), {.manager = std::string(kClaimManager), .subresource = "status"},
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

bool DeviceClaimMaker::Reserve(const StoredObject& pod, const Json& tree, const ObjectPtr& group) {
  bool is_done = true;
  const Json shared = SharedOf(group);
  for (const Json& entry : tree["spec"]["resourceClaims"].items()) {
    const std::optional<std::string> name = DeviceClaimName(tree, entry);
    const ObjectPtr found = name ? cluster_.store().Find(claims_, pod.ns(), *name) : nullptr;
    if (found == nullptr) continue;
    const TreePtr claim = found->tree();
    const bool is_shared = IsShared(shared, entry);
    const StoredObject& consumer = is_shared ? *group : pod;
    if (entry.Has("resourceClaimTemplateName") && !IsMadeFor(*claim, consumer.uid())) continue;
    const bool can_be = (*claim)["status"].Has("allocation") && !found->is_being_deleted() &&
                        (*claim)["status"]["reservedFor"].size() < kClaimConsumersMax;
    if (!can_be || IsReservedFor(*claim, pod.uid(), is_shared ? group->name() : std::string_view())) continue;
    Json::List consumers = (*claim)["status"]["reservedFor"].items();
    Json reference{{"resource", Json::String(consumer.resource().plural)},
                   {"name", Json::String(consumer.name())},
                   {"uid", Json::String(consumer.uid())}};
    if (is_shared) reference.Set("apiGroup", groups_.group);
    consumers.push_back(std::move(reference));
    is_done &= WriteStatus(cluster_, *found,
                           [&](Json& status) { status.Set("reservedFor", Json::MakeList(std::move(consumers))); });
  }
  return is_done;
}

}  // namespace berth::server
