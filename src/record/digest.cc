// SPDX-License-Identifier: Apache-2.0
#include "base/checksum.h"
#include "record/fields.h"
#include "record/input_log.h"

namespace berth::record {

// The pods of effects are known from the inputs; what tells them and their versions apart is enough.
void Fields(Encoder& archive, const cluster::PodPtr& pod) {
  archive(pod != nullptr);
  if (pod == nullptr) return;
  archive(pod->ns(), pod->name, pod->uid, pod->resource_version, pod->generation, pod->node_name,
          pod->nominated_node_name);
}

void Fields(Encoder& archive, const framework::BindPod& effect) {
  const auto& [pod, node_name] = effect;
  archive(pod, node_name);
}

void Fields(Encoder& archive, const framework::UpdatePersistentVolume& effect) {
  const auto& [volume] = effect;
  archive(volume);
}

void Fields(Encoder& archive, const framework::UpdatePersistentVolumeClaim& effect) {
  const auto& [claim] = effect;
  archive(claim);
}

void Fields(Encoder& archive, const framework::EvictPod& effect) {
  const auto& [victim, preemptor, node_name, group] = effect;
  archive(victim, preemptor, node_name, group ? std::string(effect.preemptor_type()) : std::string(),
          group ? group->uid : std::string());
}

void Fields(Encoder& archive, const framework::NominatePod& effect) {
  const auto& [pod, node_name] = effect;
  archive(pod, node_name);
}

void Fields(Encoder& archive, const framework::PatchPodStatus& effect) {
  const auto& [pod, condition, nominated_node_name, node_allocatable_claims] = effect;
  archive(pod, condition, nominated_node_name, node_allocatable_claims);
}

void Fields(Encoder& archive, const framework::PatchPodGroupStatus& effect) {
  const auto& [group, condition] = effect;
  archive(group->meta.ns, group->meta.name, group->meta.uid, group->meta.resource_version, condition);
}

void Fields(Encoder& archive, const framework::RecordEvent& effect) {
  const auto& [pod, type, reason, action, note, reporter, related] = effect;
  archive(pod, type, reason, action, note, reporter);
  if (related) archive(*related);
}

void Fields(Encoder& archive, const framework::ReadPod& effect) {
  const auto& [pod] = effect;
  archive(pod);
}

void Fields(Encoder& archive, const framework::CallExtender& effect) {
  const auto& [pod, extender, verb, body] = effect;
  archive(pod, uint64_t{extender}, verb, body);
}

void Fields(Encoder& archive, const framework::CancelExtenderCall& effect) {
  const auto& [id] = effect;
  archive(id);
}

void Fields(Encoder& archive, const framework::BindClaim& effect) {
  const auto& [pod, claim, allocation, stamps_allocation, request_mappings, group] = effect;
  archive(pod, claim, allocation, stamps_allocation, request_mappings, group);
}

void Fields(Encoder& archive, const framework::UnreserveClaim& effect) {
  const auto& [pod, claim_name, claim_uid, group_uid] = effect;
  archive(pod, claim_name, claim_uid, group_uid);
}

void Fields(Encoder& archive, const framework::DeallocateClaim& effect) {
  const auto& [pod, claim_name, claim_uid, resource_version] = effect;
  archive(pod, claim_name, claim_uid, resource_version);
}

void Fields(Encoder& archive, const framework::DeleteClaim& effect) {
  const auto& [pod, claim_name, claim_uid] = effect;
  archive(pod, claim_name, claim_uid);
}

void Fields(Encoder& archive, const scheduler::IssuedEffect& issued) {
  const auto& [id, effect] = issued;
  archive(id, effect);
}

uint64_t DigestOf(const std::vector<scheduler::IssuedEffect>& effects) {
  Encoder archive;
  archive(effects);
  return Fnv1a(archive.Take());
}

}  // namespace berth::record
