// SPDX-License-Identifier: Apache-2.0
#include "conformance/decision_writer.h"

#include <algorithm>
#include <map>
#include <vector>

#include "api/document/json_writer.h"

namespace berth::conformance {

using cluster::NodeSlot;

Names Sorted(Names names) {
  std::ranges::sort(names);
  return names;
}

Names NodeNames(std::span<const NodeSlot> slots, const cluster::NodeTable& nodes) {
  Names names;
  for (const NodeSlot slot : slots) names.push_back(nodes.name[slot.index]);
  return Sorted(std::move(names));
}

void WriteNames(api::JsonWriter& json, std::string_view key, const Names& names) {
  json.Key(key).BeginArray();
  for (const std::string& name : names) json.String(name);
  json.EndArray();
}

void WriteStatus(api::JsonWriter& json, std::string_view plugin, framework::StatusCode code, Names reasons) {
  json.BeginObject().Key("plugin").String(plugin).Key("code").String(ToString(code));
  WriteNames(json, "reasons", Sorted(std::move(reasons)));
  json.EndObject();
}

void WriteStatus(api::JsonWriter& json, const framework::Status& status) {
  WriteStatus(json, status.plugin, status.code, status.reasons);
}

void WriteScores(api::JsonWriter& json, const scheduler::Decision& decision, const cluster::NodeTable& nodes) {
  json.Key("scores").BeginObject();
  for (size_t i = 0; i < decision.feasible.size(); ++i) {
    json.Key(nodes.name[decision.feasible[i].index]).BeginObject().Key("total").Int(decision.scores->totals[i]);
    json.Key("plugins").BeginObject();
    for (size_t p = 0; p < decision.scores->plugin_count; ++p) {
      const framework::PluginScores& column = decision.scores->plugins[p];
      json.Key(column.plugin->name()).Int(column.scores[i] * column.weight);
    }
    json.EndObject().EndObject();
  }
  json.EndObject();
}

void WriteVolumes(api::JsonWriter& json, const std::vector<scheduler::IssuedEffect>& effects) {
  json.Key("volumes").BeginObject();
  for (const scheduler::IssuedEffect& issued : effects) {
    if (const auto* bound = std::get_if<framework::UpdatePersistentVolume>(&issued.effect)) {
      const api::ObjectReference& claim = *bound->volume.claim_ref;
      json.Key(claim.ns + "/" + claim.name).String(bound->volume.meta.name);
    } else if (const auto* provisioned = std::get_if<framework::UpdatePersistentVolumeClaim>(&issued.effect)) {
      json.Key(api::FullName(provisioned->claim.meta)).String("provision");
    }
  }
  json.EndObject();
}

Names VictimNames(const framework::PreemptionCandidate& candidate) {
  Names names;
  for (const cluster::PodPtr& victim : candidate.victims) names.push_back(victim->full_name());
  return Sorted(std::move(names));
}

namespace {

using scheduler::Decision;
using scheduler::Outcome;
using scheduler::Rehearsal;
using Attempt = scheduler::Core::LastAttempt;

// node -> status, for every node that was rejected.
void WriteFilter(api::JsonWriter& json, const scheduler::Core& core, const Attempt& attempt) {
  const framework::Diagnosis& diagnosis = attempt.decision.diagnosis;
  const cluster::NodeTable& nodes = core.cluster().nodes();
  json.Key("filter").BeginObject();
  for (const NodeSlot slot : core.cluster().order()) {
    if (std::ranges::find(attempt.decision.feasible, slot) != attempt.decision.feasible.end()) continue;
    json.Key(nodes.name[slot.index]);
    const framework::Verdict& verdict = diagnosis.candidates->verdict(slot);
    if (verdict.code == framework::StatusCode::kSuccess) {
      WriteStatus(json, diagnosis.absent);
    } else {
      WriteStatus(json, attempt.profile->plugin(verdict.plugin).name(), verdict.code,
                  diagnosis.candidates->reasons().reasons(verdict.reason));
    }
  }
  json.EndObject();
}

void WriteDevices(api::JsonWriter& json, const api::AllocationResult& allocation) {
  json.BeginArray();
  for (const api::DeviceRequestAllocationResult& result : allocation.results) {
    json.BeginObject().Key("request").String(result.request).Key("driver").String(result.driver);
    json.Key("pool").String(result.pool).Key("device").String(result.device);
    if (result.admin_access) json.Key("adminAccess").Bool(true);
    if (result.consumed_capacity) {
      json.Key("consumedCapacity").BeginObject();
      for (const auto& [name, amount] : *result.consumed_capacity) json.Key(name).String(amount.String());
      json.EndObject();
    }
    json.EndObject();
  }
  json.EndArray();
}

// claim -> the devices that it has or gets, and which containers use the claim for extended resources.
void WriteClaims(api::JsonWriter& json, const scheduler::Core& core,
                 const std::vector<scheduler::IssuedEffect>& effects) {
  const framework::BindClaim* extended = nullptr;
  json.Key("claims").BeginObject();
  for (const scheduler::IssuedEffect& issued : effects) {
    const auto* bind = std::get_if<framework::BindClaim>(&issued.effect);
    if (bind == nullptr) continue;
    const api::ObjectMeta& meta = bind->claim.meta;
    if (meta.name.empty()) extended = bind;
    json.Key(meta.ns + "/" + (meta.name.empty() ? bind->pod->name + "-extended-resources-gen" : meta.name));
    const api::ResourceClaim* stored = core.cluster().objects.resource_claims.Find(meta.ns, meta.name);
    WriteDevices(json, bind->allocation ? *bind->allocation : *stored->allocation);
  }
  json.EndObject();
  if (extended == nullptr) return;
  json.Key("requestMappings").BeginArray();
  for (const api::ExtendedResourceClaimStatus::Mapping& mapping : extended->request_mappings) {
    json.BeginObject().Key("containerName").String(mapping.container_name);
    json.Key("resourceName").String(mapping.resource_name).Key("requestName").String(mapping.request_name).EndObject();
  }
  json.EndArray();
}

void WritePreemption(api::JsonWriter& json, const scheduler::Core& core, const Attempt& attempt) {
  const framework::PostFilterResult& result = *attempt.decision.post_filter;
  const cluster::NodeTable& nodes = core.cluster().nodes();
  json.Key("preemption").BeginObject().Key("code").String(ToString(result.status.code));
  json.Key("plugin").String(result.status.plugin).Key("message").String(result.status.message());
  if (result.nominated_node_name) {
    json.Key("nominated").String(*result.nominated_node_name);
    json.Key("clearsNomination").Bool(result.nominated_node_name->empty());
  }
  const framework::PreemptionReport* report = attempt.cycle->preemption_report();
  if (report != nullptr) {
    json.Key("candidates").BeginObject();
    for (const framework::PreemptionCandidate& candidate : report->candidates) {
      json.Key(nodes.name[candidate.node.index]).BeginObject();
      WriteNames(json, "victims", VictimNames(candidate));
      json.Key("pdbViolations").Int(candidate.pdb_violations).EndObject();
    }
    json.EndObject();
    if (report->nominated) {
      WriteNames(json, "acceptable", NodeNames(report->acceptable, nodes));
      WriteNames(json, "victims", VictimNames(report->candidates[*report->nominated]));
    }
  }
  json.EndObject();
}

void WriteScheduled(api::JsonWriter& json, const scheduler::Core& core, const Rehearsal::Finding& finding) {
  const Attempt& attempt = *finding.attempt;
  const Decision& decision = attempt.decision;
  const cluster::NodeTable& nodes = core.cluster().nodes();
  if (decision.nominated_fast_path) {
    json.Key("nominatedFastPath").Bool(true);
  } else {
    WriteFilter(json, core, attempt);
    if (decision.pre_filter.node_names) WriteNames(json, "preFilterNodes", *decision.pre_filter.node_names);
  }
  WriteNames(json, "feasible", NodeNames(decision.feasible, nodes));
  WriteNames(json, "best", NodeNames(decision.best, nodes));
  if (decision.scores != nullptr) WriteScores(json, decision, nodes);
  if (!attempt.refusal.ok()) {
    json.Key("reserve");
    WriteStatus(json, attempt.refusal);
    json.Key("message").String(attempt.refusal.message());
    return;
  }
  json.Key("bound").String(nodes.name[decision.node.index]);
  WriteVolumes(json, finding.effects);
}

void WriteUnschedulable(api::JsonWriter& json, const scheduler::Core& core, const Attempt& attempt) {
  const Decision& decision = attempt.decision;
  const framework::Diagnosis& diagnosis = decision.diagnosis;
  json.Key("message").String(decision.message).Key("fullMessage").String(decision.full_message);
  if (diagnosis.candidates == nullptr) return;  // No nodes at all.
  if (diagnosis.pre_filter_message.empty()) {
    WriteFilter(json, core, attempt);
  } else {
    json.Key("preFilter");
    WriteStatus(json, diagnosis.absent);
  }
  WriteNames(json, "unschedulablePlugins",
             {diagnosis.unschedulable_plugins.begin(), diagnosis.unschedulable_plugins.end()});
  WriteNames(json, "pendingPlugins", {diagnosis.pending_plugins.begin(), diagnosis.pending_plugins.end()});
  if (decision.post_filter) WritePreemption(json, core, attempt);
}

std::string_view OutcomeOf(const Attempt& attempt) {
  if (!attempt.refusal.ok()) return attempt.refusal.is_rejected() ? "unschedulable" : "error";
  switch (attempt.decision.outcome) {
    case Outcome::kScheduled: return "scheduled";
    case Outcome::kUnschedulable: return "unschedulable";
    case Outcome::kError: return "error";
    case Outcome::kWaiting: return "waiting";  // For an extender: not here.
  }
  return {};
}

void WriteDecided(api::JsonWriter& json, const scheduler::Core& core, const Rehearsal::Finding& finding) {
  const Attempt& attempt = *finding.attempt;
  const std::string_view outcome = OutcomeOf(attempt);
  json.Key("outcome").String(outcome);
  if (outcome == "error") {
    json.Key("message").String(attempt.refusal.ok() ? attempt.decision.message : attempt.refusal.message());
  } else if (attempt.decision.outcome == Outcome::kScheduled) {
    WriteScheduled(json, core, finding);
  } else if (attempt.decision.outcome == Outcome::kUnschedulable) {
    WriteUnschedulable(json, core, attempt);
  }
}

}  // namespace

framework::Status FirstGate(const scheduler::Core& core, const cluster::PodInfo& pod) {
  std::map<std::string_view, const framework::PreEnqueuePlugin*> gates;
  const framework::Profile& profile = *core.policy().ProfileOf(pod);
  for (size_t i = 0; i < profile.plugin_count(); ++i) {
    const auto* gate = dynamic_cast<const framework::PreEnqueuePlugin*>(&profile.plugin(i));
    if (gate != nullptr) gates.emplace(profile.plugin(i).name(), gate);
  }
  for (const auto& [name, gate] : gates) {
    framework::Status status = gate->PreEnqueue(pod, core.cluster());
    if (status.ok()) continue;
    status.plugin = name;
    return status;
  }
  return framework::Status::Success();
}

std::string WriteFinding(const scheduler::Core& core, const Rehearsal::Finding& finding, const CarryOut& carry_out) {
  using Kind = Rehearsal::Finding::Kind;
  api::JsonWriter json;
  json.BeginObject();
  switch (finding.kind) {
    case Kind::kUnknown:
    case Kind::kIgnored: json.Key("outcome").String("ignored"); break;
    case Kind::kSkipped: json.Key("outcome").String("skipped"); break;
    case Kind::kGated:
      json.Key("outcome").String("gated").Key("preEnqueue");
      WriteStatus(json, FirstGate(core, *finding.pod));
      break;
    case Kind::kDecided:
      WriteDecided(json, core, finding);
      if (!finding.node_name.empty()) WriteClaims(json, core, carry_out());
      break;
  }
  json.EndObject();
  return json.Take();
}

}  // namespace berth::conformance
