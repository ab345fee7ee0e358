// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/owned_pods.h"

#include <algorithm>
#include <tuple>

#include "server/model/metadata.h"

namespace berth::server {
namespace {

constexpr std::string_view kHashAlphabet = "bcdfghjklmnpqrstvwxz2456789";

// The pods of `owner` that it does not select any more.
std::vector<ObjectPtr> StraysOf(const Cluster& cluster, const StoredObject& owner, const PodClaim& claim) {
  std::vector<ObjectPtr> strays;
  const bool may_have_some =
      claim.counts_ended || std::ranges::any_of(cluster.pods.TalliesOf(owner.uid()), [&](const auto& entry) {
        return entry.second.active > 0 && !claim.selector.Matches(entry.first);
      });
  if (!may_have_some) return strays;
  for (const std::string& key : cluster.pods.OfOwner(owner.uid())) {
    const PodInfo& pod = *cluster.pods.Find(key);
    const bool counts = claim.counts_ended || pod.is_active();
    if (counts && !claim.selector.Matches(pod.object->labels())) strays.push_back(pod.object);
  }
  return strays;
}

}  // namespace

Json ControllerReference(const StoredObject& owner) {
  return Json{{"apiVersion", Json::String(owner.resource().api_version)},
              {"kind", Json::String(owner.resource().kind)},
              {"name", Json::String(owner.name())},
              {"uid", Json::String(owner.uid())},
              {"controller", Json::Bool(true)},
              {"blockOwnerDeletion", Json::Bool(true)}};
}

const Json& ControllerAmong(const Json& owners) {
  static const Json kNone;
  for (const Json& owner : owners.items()) {
    if (owner["controller"].AsBool()) return owner;
  }
  return kNone;
}

Outcome<void> EditObject(const Cluster& cluster, const StoredObject& object,
                         std::move_only_function<void(Json& changed)> edit) {
  const auto written =
      cluster.objects.Update(object.resource(), object.ns(), object.name(),
                             {.manager = std::string(kControllerManager)}, [&](const Json& current) -> Outcome<Json> {
                               Json changed = current;
                               if (changed["metadata"]["uid"].text() == object.uid()) edit(changed);
                               return changed;
                             });
  if (!written) return std::unexpected(written.error());
  return {};
}

bool TakeOver(const Controller& controller, const Cluster& cluster, const StoredObject& owner,
              const StoredObject& object, std::string_view finalizer) {
  return Succeeded(controller, EditObject(cluster, object, [&](Json& changed) {
                     Json& metadata = changed.Make("metadata");
                     metadata.Make("ownerReferences").Append(ControllerReference(owner));
                     if (!finalizer.empty()) AddFinalizer(metadata, finalizer);
                   }));
}

bool Release(const Controller& controller, const Cluster& cluster, const StoredObject& owner,
             const StoredObject& object, std::string_view finalizer) {
  return Succeeded(controller, EditObject(cluster, object, [&](Json& changed) {
                     Json& metadata = changed.Make("metadata");
                     RemoveOwners(metadata, {owner.uid()});
                     if (!finalizer.empty()) RemoveFinalizer(metadata, finalizer);
                   }));
}

Json PodFromTemplate(const Json& pod_template, const StoredObject& owner) {
  Json pod{{"apiVersion", Json::String("v1")}, {"kind", Json::String("Pod")}, {"spec", pod_template["spec"]}};
  Json& metadata = pod.Make("metadata");
  for (const std::string_view part : {"labels", "annotations", "finalizers"}) {
    if (pod_template["metadata"].Has(part)) metadata.Set(part, pod_template["metadata"][part]);
  }
  metadata.Set("namespace", owner.ns());
  metadata.Set("ownerReferences", Json::MakeList({ControllerReference(owner)}));
  return pod;
}

std::vector<PodInfo> PodsOf(const Cluster& cluster, const StoredObject& owner) {
  std::vector<PodInfo> pods;
  for (const std::string& key : cluster.pods.OfOwner(owner.uid())) pods.push_back(*cluster.pods.Find(key));
  return pods;
}

bool ClaimPods(const Controller& controller, const Cluster& cluster, const StoredObject& owner, const PodClaim& claim) {
  std::vector<ObjectPtr> adopted;
  const std::string prefix = ObjectKey(owner.ns(), "");
  const PodIndex::Keys& orphans = cluster.pods.OfOwner("");
  for (auto at = orphans.lower_bound(prefix); at != orphans.end() && at->starts_with(prefix); ++at) {
    const PodInfo& pod = *cluster.pods.Find(*at);
    if (!pod.is_deleting && claim.selector.Matches(pod.object->labels()) && claim.can_use(pod)) {
      adopted.push_back(pod.object);
    }
  }
  const std::vector<ObjectPtr> released = StraysOf(cluster, owner, claim);
  return std::ranges::all_of(
             adopted,
             [&](const ObjectPtr& pod) { return TakeOver(controller, cluster, owner, *pod, claim.finalizer); }) &&
         std::ranges::all_of(released, [&](const ObjectPtr& pod) {
           return Release(controller, cluster, owner, *pod, claim.finalizer);
         });
}

std::optional<Duration> Availability::Next(const std::vector<PodInfo>& pods) const {
  std::optional<Duration> next;
  for (const PodInfo& pod : pods) {
    if (!pod.is_ready || !pod.is_active() || DueOf(pod) <= now_) continue;
    const Duration left = DueOf(pod) - now_;
    next = next ? std::min(*next, left) : left;
  }
  return next;
}

void SortForRemoval(std::vector<PodInfo>& pods, const std::map<std::string, size_t>& crowds) {
  const auto rank = [&](const PodInfo& pod) {
    const auto crowd = crowds.find(pod.node);
    return std::make_tuple(!pod.node.empty(), pod.phase == PodInfo::Phase::kRunning, pod.is_ready, pod.deletion_cost,
                           crowd == crowds.end() ? 0 : -static_cast<int64_t>(crowd->second), -pod.object->revision());
  };
  std::ranges::sort(pods, {}, rank);
}

bool DeletePod(const Cluster& cluster, const PodInfo& pod) {
  const auto deleted =
      cluster.objects.Delete(pod.object->resource(), pod.object->ns(), pod.object->name(), {.uid = pod.object->uid()});
  return deleted || deleted.error().code == 404;
}

std::string TemplateHash(const Json& pod_template, int64_t collisions) {
  std::string hashed = pod_template.ToText();
  if (collisions > 0) hashed += std::to_string(collisions);
  // FNV-1a, as upstream hashes; what it hashes differs.
  uint32_t hash = 2166136261;
  for (const char c : hashed) hash = (hash ^ static_cast<uint8_t>(c)) * 16777619;
  return HashText(hash);
}

std::string HashText(uint32_t hash) {
  std::string text;
  for (const char digit : std::to_string(hash))
    text += kHashAlphabet[static_cast<size_t>(digit) % kHashAlphabet.size()];
  return text;
}

bool WriteStatus(const Cluster& cluster, const StoredObject& object, std::move_only_function<void(Json& status)> edit) {
  const auto written = cluster.objects.Update(object.resource(), object.ns(), object.name(),
                                              {.manager = std::string(kControllerManager), .subresource = "status"},
                                              [&](const Json& current) -> Outcome<Json> {
                                                Json changed = current;
                                                edit(changed.Make("status"));
                                                return changed;
                                              });
  return written || written.error().code == 404;
}

}  // namespace berth::server
