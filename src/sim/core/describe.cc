// SPDX-License-Identifier: Apache-2.0
#include "sim/core/describe.h"

#include "base/overloaded.h"

#include <fmt/format.h>

namespace berth::sim {
namespace {

std::string Name(const cluster::PodPtr& pod) { return fmt::format("{} ({})", pod->full_name(), pod->uid); }

std::string DescribeObject(const api::Object& object) {
  const api::ObjectMeta& meta = api::MetaOf(object);
  std::string text = fmt::format("put {} {} ({}) version {}", api::KindOf(object), api::FullName(meta), meta.uid,
                                 meta.resource_version);
  if (meta.deletion_timestamp) text += " terminating";
  if (const auto* pod = std::get_if<api::Pod>(&object)) {
    text += fmt::format(" priority {} {}", pod->spec.priority.value_or(0), pod->status.phase);
    if (!pod->node_name.empty()) text += " on " + pod->node_name;
    if (!pod->status.nominated_node_name.empty()) text += " nominated " + pod->status.nominated_node_name;
  }
  return text;
}

std::string DescribeEffect(const framework::Effect& effect) {
  return std::visit(
      Overloaded{
          [](const framework::BindPod& bind) { return fmt::format("bind {} to {}", Name(bind.pod), bind.node_name); },
          [](const framework::UpdatePersistentVolume& update) { return "update volume " + update.volume.meta.name; },
          [](const framework::UpdatePersistentVolumeClaim& update) { return "update claim " + update.claim.meta.name; },
          [](const framework::EvictPod& evict) {
            return fmt::format("evict {} from {} for {}", Name(evict.victim), evict.node_name, Name(evict.preemptor));
          },
          [](const framework::NominatePod& nominate) {
            return fmt::format("nominate {} to {}", Name(nominate.pod), nominate.node_name);
          },
          [](const framework::PatchPodStatus& patch) {
            return fmt::format("patch {}: {}, nominated {}", Name(patch.pod),
                               patch.condition ? patch.condition->message : "-",
                               patch.nominated_node_name.value_or("-"));
          },
          [](const framework::PatchPodGroupStatus& patch) {
            return fmt::format("patch group {}: {} {}", api::FullName(patch.group->meta), patch.condition.status,
                               patch.condition.message);
          },
          [](const framework::RecordEvent& event) {
            return fmt::format("event {}: {} {}", Name(event.pod), event.reason, event.note);
          },
          [](const framework::ReadPod& read) { return "read " + Name(read.pod); },
          [](const framework::CallExtender& call) {
            return fmt::format("{} of extender {} about {}", call.verb, call.extender, Name(call.pod));
          },
          [](const framework::BindClaim& bind) {
            return fmt::format("bind claim {} for {}", api::FullName(bind.claim.meta), Name(bind.pod));
          },
          [](const framework::UnreserveClaim& unreserve) {
            return fmt::format("unreserve claim {} for {}", unreserve.claim_name, Name(unreserve.pod));
          },
          [](const framework::DeallocateClaim& deallocate) { return "deallocate claim " + deallocate.claim_name; },
          [](const framework::DeleteClaim& deletion) { return "delete claim " + deletion.claim_name; },
          [](const framework::CancelExtenderCall& cancellation) { return fmt::format("cancel {}", cancellation.id); },
      },
      effect);
}

}  // namespace

std::string Describe(const ApiModel::What& what) {
  return std::visit(Overloaded{
                        [](const scheduler::PutObject& put) { return DescribeObject(put.object); },
                        [](const scheduler::RemoveObject& removed) {
                          return fmt::format("remove {} {}{}", removed.kind, removed.name,
                                             removed.final_state_unknown ? " (found gone)" : "");
                        },
                        [](const scheduler::EffectAnswer& answer) {
                          constexpr const char* kCodes[] = {"ok", "failed", "unknown"};
                          return fmt::format("answer {} {} {}", answer.id, kCodes[static_cast<size_t>(answer.code)],
                                             answer.message);
                        },
                        [](const scheduler::ScheduleNext&) { return std::string("schedule"); },
                        [](const scheduler::PassTime&) { return std::string("time"); },
                        [](const scheduler::Reconfigure&) { return std::string("reconfigure"); },
                    },
                    what);
}

std::string Describe(const scheduler::IssuedEffect& issued) {
  return fmt::format("{} {}", issued.id, DescribeEffect(issued.effect));
}

}  // namespace berth::sim
