// SPDX-License-Identifier: Apache-2.0
#include "client/orders/orders.h"

#include <fmt/format.h>

#include "api/document/json_writer.h"
#include "client/orders/claim_json.h"
#include "client/orders/status_patch.h"

namespace berth::client {
namespace {

using api::JsonWriter;
using cluster::PodInfo;

constexpr std::string_view kCore = "/api/v1";

ObjectPath PathOf(const PodInfo& pod) { return PodPath(pod.ns(), pod.name); }

std::string Quoted(std::string_view text) {
  std::string out;
  api::AppendQuoted(out, text);
  return out;
}

api::Document BindingOf(const PodInfo& pod, const std::string& node_name) {
  JsonWriter out = JsonWriter::OfTree();
  out.BeginObject().Key("kind").String("Binding").Key("apiVersion").String("v1");
  out.Key("metadata").BeginObject().Key("name").String(pod.name).Key("namespace").String(pod.ns());
  out.Key("uid").String(pod.uid).EndObject();
  out.Key("target").BeginObject().Key("kind").String("Node").Key("name").String(node_name).EndObject();
  return out.EndObject().TakeTree().value();
}

std::string PatchOf(const PodInfo& pod, const StatusChange& change, Time now) {
  static const std::vector<api::PodCondition> kNone;
  return StatusPatch(pod.status ? pod.status->conditions : kNone, pod.nominated_node_name, change, now);
}

api::PodCondition PreemptedCondition(const PodInfo& victim, const framework::EvictPod& evict) {
  return {.type = "DisruptionTarget",
          .status = "True",
          .reason = "PreemptionByScheduler",
          .message = fmt::format("{}: preempting to accommodate a higher priority {}",
                                 evict.preemptor->spec().scheduler_name, evict.preemptor_type()),
          .observed_generation = victim.generation,
          .last_transition_time = {}};
}

std::string ReferenceJson(const api::ObjectReference& reference) {
  JsonWriter out;
  out.BeginObject().Key("kind").String(reference.kind).Key("namespace").String(reference.ns);
  out.Key("name").String(reference.name).Key("uid").String(reference.uid);
  out.Key("apiVersion").String(reference.api_version);
  if (!reference.resource_version.empty()) out.Key("resourceVersion").String(reference.resource_version);
  return out.EndObject().Take();
}

// One that the object lacks is added, one that it has keeps its value unless the core changed it.
void SetAnnotations(const api::ObjectMeta& meta, std::vector<JsonMember>& members) {
  for (const auto& [key, value] : meta.annotations) {
    members.push_back({{"metadata", "annotations", key}, Quoted(value)});
  }
}

UpdateOrder UpdateOf(std::string_view resource, const api::ObjectMeta& meta) {
  UpdateOrder order{{kCore, resource, meta.ns, meta.name}, "", meta.resource_version, {}};
  SetAnnotations(meta, order.members);
  return order;
}

struct Translator {
  Time wall;

  Order operator()(const framework::BindPod& bind) const {
    return {0, bind.pod->uid, BindOrder{PathOf(*bind.pod), BindingOf(*bind.pod, bind.node_name)}};
  }
  Order operator()(const framework::UpdatePersistentVolume& update) const {
    UpdateOrder order = UpdateOf("persistentvolumes", update.volume.meta);
    if (update.volume.claim_ref) {
      order.members.push_back({{"spec", "claimRef"}, ReferenceJson(*update.volume.claim_ref)});
    }
    return {0, update.volume.meta.uid, std::move(order)};
  }
  Order operator()(const framework::UpdatePersistentVolumeClaim& update) const {
    return {0, update.claim.meta.uid, UpdateOf("persistentvolumeclaims", update.claim.meta)};
  }
  Order operator()(const framework::EvictPod& evict) const {
    const PodInfo& victim = *evict.victim;
    const StatusChange change{PreemptedCondition(victim, evict), std::nullopt};
    return {0, victim.uid, EvictOrder{PathOf(victim), PatchOf(victim, change, wall)}};
  }
  Order operator()(const framework::NominatePod& nominate) const {
    return Patch(*nominate.pod, {std::nullopt, nominate.node_name});
  }
  Order operator()(const framework::PatchPodStatus& patch) const {
    if (patch.node_allocatable_claims) {
      return {0, patch.pod->uid,
              PatchOrder{PathOf(*patch.pod), NodeAllocatablePatch(patch.pod->uid, *patch.node_allocatable_claims)}};
    }
    return Patch(*patch.pod, {patch.condition, patch.nominated_node_name});
  }
  Order operator()(const framework::PatchPodGroupStatus& patch) const {
    const api::ObjectMeta& meta = patch.group->meta;
    return {0, meta.uid,
            PatchOrder{{"/apis/scheduling.k8s.io/v1beta1", "podgroups", meta.ns, meta.name},
                       GroupStatusPatch(patch.group->conditions, patch.condition, wall)}};
  }
  Order operator()(const framework::RecordEvent& record) const {
    const PodInfo& pod = *record.pod;
    Event event{.regarding = {.kind = "Pod",
                              .api_version = "v1",
                              .ns = pod.ns(),
                              .name = pod.name,
                              .uid = pod.uid,
                              .resource_version = pod.resource_version},
                .type = record.type,
                .reason = record.reason,
                .action = record.action,
                .note = record.note,
                .controller = record.reporter,
                .related = record.related};
    return {0, "", WriteEventOrder{std::move(event)}};
  }
  Order operator()(const framework::ReadPod& read) const {
    return {0, read.pod->uid, ReadPodOrder{PathOf(*read.pod), read.pod->resource_version}};
  }
  Order operator()(framework::CallExtender& call) const {
    return {0, "", CallExtenderOrder{call.extender, std::move(call.verb), std::move(call.body)}};
  }
  Order operator()(const framework::CancelExtenderCall& cancel) const {
    return {0, "", CancelExtenderOrder{cancel.id}};
  }
  Order operator()(const framework::BindClaim& bind) const {
    const PodInfo& pod = *bind.pod;
    const api::ResourceClaim& claim = bind.claim;
    const bool is_new = claim.meta.name.empty();
    std::optional<api::AllocationResult> allocation = bind.allocation;
    if (allocation && bind.stamps_allocation) allocation->allocation_timestamp = wall;
    BindClaimOrder order{.claim = ClaimPath(claim.meta.ns, claim.meta.name),
                         .new_claim = is_new ? NewClaimJson(claim, pod.name + "-extended-resources-") : "",
                         .uid = claim.meta.uid,
                         .allocation = allocation ? AllocationJson(*allocation) : "",
                         .timestamp = bind.stamps_allocation ? Quoted(FormatTime(wall)) : "",
                         .consumer = ConsumerJson(bind.consumer()),
                         .consumer_uid = bind.consumer().uid,
                         .pod = PathOf(pod),
                         .request_mappings = bind.request_mappings};
    return {0, is_new ? pod.uid : claim.meta.uid, std::move(order)};
  }
  Order operator()(const framework::UnreserveClaim& unreserve) const {
    std::string patch = fmt::format(
        R"({{"metadata": {{"uid": {}}}, "status": {{ "reservedFor": [ {{"$patch": "delete", "uid": {}}} ] }}}})",
        Quoted(unreserve.claim_uid), Quoted(unreserve.consumer_uid()));
    return {0, unreserve.claim_uid, PatchOrder{ClaimPath(unreserve.pod->ns(), unreserve.claim_name), std::move(patch)}};
  }
  Order operator()(const framework::DeallocateClaim& deallocate) const {
    return {0, deallocate.claim_uid,
            UpdateOrder{ClaimPath(deallocate.pod->ns(), deallocate.claim_name),
                        "status",
                        deallocate.resource_version,
                        {{{"status", "allocation"}, "null"},
                         {{"status", "reservedFor"}, "null"},
                         {{"status", "devices"}, "null"}}}};
  }
  Order operator()(const framework::DeleteClaim& order) const {
    return {0, order.claim_uid, DeleteClaimOrder{ClaimPath(order.pod->ns(), order.claim_name), order.claim_uid}};
  }

  Order Patch(const PodInfo& pod, const StatusChange& change) const {
    return {0, pod.uid, PatchOrder{PathOf(pod), PatchOf(pod, change, wall)}};
  }
};

}  // namespace

std::string ObjectPath::collection() const {
  if (ns.empty()) return fmt::format("{}/{}", api, resource);
  return fmt::format("{}/namespaces/{}/{}", api, ns, resource);
}

ObjectPath PodPath(std::string ns, std::string name) { return {kCore, "pods", std::move(ns), std::move(name)}; }

ObjectPath ClaimPath(std::string ns, std::string name) {
  return {"/apis/resource.k8s.io/v1", "resourceclaims", std::move(ns), std::move(name)};
}

Order OrderOf(scheduler::IssuedEffect issued, Time wall) {
  Order order = std::visit(Translator{wall}, issued.effect);
  order.id = issued.id;
  return order;
}

}  // namespace berth::client
