// SPDX-License-Identifier: Apache-2.0
#include "world/elsewhere.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/overloaded.h"
#include "plugins/helpers/volume_claims.h"

namespace berth::world {
namespace {

using What = decltype(scheduler::Input::what);

bool IsPodElsewhere(const cluster::PodInfo& pod, const scheduler::Core& core, const World& world) {
  const cluster::PodPtr known = core.pods().Find(pod.full_name());
  return known != nullptr && known->uid == pod.uid &&
         world.store().Find(world.catalog().Get("", "pods"), pod.ns(), pod.name) == nullptr;
}

bool IsClaimElsewhere(std::string_view ns, std::string_view name, const scheduler::Core& core, const World& world) {
  return core.cluster().objects.resource_claims.Find(ns, name) != nullptr &&
         world.store().Find(world.catalog().Get("resource.k8s.io", "resourceclaims"), ns, name) == nullptr;
}

void Bind(api::PersistentVolumeClaim claim, const std::string& volume, std::vector<What>& told) {
  claim.volume_name = volume;
  claim.phase = "Bound";
  claim.meta.annotations.Set(std::string(plugins::kBindCompletedAnnotation), "yes");
  Touch(claim.meta);
  told.emplace_back(scheduler::PutObject{std::move(claim)});
}

void BindVolume(api::PersistentVolume volume, const scheduler::Core& core, std::vector<What>& told) {
  const auto& reference = volume.claim_ref;
  const api::PersistentVolumeClaim* claim =
      reference ? core.cluster().objects.persistent_volume_claims.Find(reference->ns, reference->name) : nullptr;
  volume.phase = "Bound";
  Touch(volume.meta);
  told.emplace_back(scheduler::PutObject{volume});
  if (claim != nullptr) Bind(*claim, volume.meta.name, told);
}

void Provision(const api::PersistentVolumeClaim& claim, std::vector<What>& told) {
  api::PersistentVolume volume;
  volume.meta.name = volume.meta.uid = "pvc-" + claim.meta.uid;
  volume.meta.resource_version = claim.meta.resource_version;
  volume.capacity = claim.requests;
  volume.access_modes = claim.access_modes;
  volume.storage_class_name = claim.storage_class_name.value_or("");
  volume.volume_mode = claim.volume_mode;
  volume.phase = "Bound";
  volume.claim_ref = api::ObjectReference{.kind = "PersistentVolumeClaim",
                                          .api_version = "v1",
                                          .ns = claim.meta.ns,
                                          .name = claim.meta.name,
                                          .uid = claim.meta.uid,
                                          .resource_version = {}};
  told.emplace_back(scheduler::PutObject{volume});
  Bind(claim, volume.meta.name, told);
}

// Of the claim as it is now; nothing if it is gone.
template <class Change>
void ChangeClaim(std::string_view ns, std::string_view name, const scheduler::Core& core, std::vector<What>& told,
                 Change change) {
  const api::ResourceClaim* found = core.cluster().objects.resource_claims.Find(ns, name);
  if (found == nullptr) return;
  api::ResourceClaim claim = *found;
  change(claim);
  Touch(claim.meta);
  claim.status += ' ';  // Another one than before: only that is looked at.
  told.emplace_back(scheduler::PutObject{std::move(claim)});
}

void BindDevices(const framework::BindClaim& bind, const scheduler::Core& core, std::vector<What>& told) {
  ChangeClaim(bind.claim.meta.ns, bind.claim.meta.name, core, told, [&](api::ResourceClaim& claim) {
    if (bind.allocation && !claim.allocation) claim.allocation = bind.allocation;
    const api::ResourceClaimConsumer consumer = bind.consumer();
    if (std::ranges::find(claim.reserved_for, consumer) == claim.reserved_for.end()) {
      claim.reserved_for.push_back(consumer);
    }
  });
}

}  // namespace

void Touch(api::ObjectMeta& meta) { meta.resource_version += '0'; }

bool IsElsewhere(const framework::Effect& effect, const scheduler::Core& core, const World& world) {
  const auto pod = [&](const cluster::PodPtr& each) { return IsPodElsewhere(*each, core, world); };
  const auto claim = [&](const auto& each) { return IsClaimElsewhere(each.pod->ns(), each.claim_name, core, world); };
  const auto find = [&](std::string_view plural, const api::ObjectMeta& meta) {
    return world.store().Find(world.catalog().Get("", plural), meta.ns, meta.name) == nullptr;
  };
  return std::visit(
      Overloaded{
          [&](const framework::BindPod& each) { return pod(each.pod); },
          [&](const framework::EvictPod& each) { return pod(each.victim); },
          [&](const framework::NominatePod& each) { return pod(each.pod); },
          [&](const framework::PatchPodStatus& each) { return pod(each.pod); },
          [&](const framework::ReadPod& each) { return pod(each.pod); },
          [&](const framework::UpdatePersistentVolume& each) { return find("persistentvolumes", each.volume.meta); },
          [&](const framework::UpdatePersistentVolumeClaim& each) {
            return find("persistentvolumeclaims", each.claim.meta);
          },
          [&](const framework::BindClaim& each) {
            // One for extended resources is made for its pod.
            if (each.claim.meta.name.empty()) return pod(each.pod);
            return IsClaimElsewhere(each.claim.meta.ns, each.claim.meta.name, core, world);
          },
          [&](const framework::UnreserveClaim& each) { return claim(each); },
          [&](const framework::DeallocateClaim& each) { return claim(each); },
          [&](const framework::DeleteClaim& each) { return claim(each); },
          [&](const framework::PatchPodGroupStatus& each) {
            const server::Resource* groups = world.catalog().FindKept("PodGroup");
            return groups == nullptr ||
                   world.store().Find(*groups, each.group->meta.ns, each.group->meta.name) == nullptr;
          },
          [](const auto&) { return false; },
      },
      effect);
}

std::vector<What> CarryOutElsewhere(const scheduler::IssuedEffect& issued, const scheduler::Core& core) {
  std::vector<What> told;
  std::visit(Overloaded{
                 [&](const framework::EvictPod& each) {
                   told.emplace_back(scheduler::RemoveObject{"Pod", each.victim->ns(), each.victim->name});
                 },
                 [&](const framework::UpdatePersistentVolume& each) { BindVolume(each.volume, core, told); },
                 [&](const framework::UpdatePersistentVolumeClaim& each) { Provision(each.claim, told); },
                 [&](const framework::BindClaim& each) { BindDevices(each, core, told); },
                 [&](const framework::UnreserveClaim& each) {
                   ChangeClaim(each.pod->ns(), each.claim_name, core, told, [&](api::ResourceClaim& claim) {
                     std::erase_if(claim.reserved_for,
                                   [&](const auto& consumer) { return consumer.uid == each.consumer_uid(); });
                   });
                 },
                 [&](const framework::DeallocateClaim& each) {
                   ChangeClaim(each.pod->ns(), each.claim_name, core, told, [](api::ResourceClaim& claim) {
                     claim.allocation.reset();
                     claim.reserved_for.clear();
                     claim.devices.clear();
                   });
                 },
                 [&](const framework::DeleteClaim& each) {
                   told.emplace_back(scheduler::RemoveObject{"ResourceClaim", each.pod->ns(), each.claim_name});
                 },
                 [](const auto&) {},  // A binding stays assumed; of statuses nobody is told.
             },
             issued.effect);
  told.emplace_back(scheduler::EffectAnswer{issued.id, scheduler::EffectAnswer::Code::kOk, ""});
  return told;
}

}  // namespace berth::world
