// SPDX-License-Identifier: Apache-2.0
#include "conformance/group_writer.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "api/document/json_writer.h"
#include "conformance/decision_writer.h"
#include "framework/claim_effects.h"

namespace berth::conformance {
namespace {

using scheduler::GroupAttempt;
using scheduler::IssuedEffect;
using scheduler::Rehearsal;
using MemberOutcome = GroupAttempt::Member::Outcome;

// The pending pods of the groups below, by name.
std::vector<cluster::PodPtr> Members(const scheduler::Core& core, const cluster::GroupKey& root) {
  std::vector<cluster::PodPtr> members;
  core.pods().ForEach([&](const cluster::PodPtr& pod) {
    if (!pod->node_name.empty() || pod->spec().scheduling_group.empty()) return;
    const cluster::GroupKey key = cluster::PodGroups::KeyOf(*pod);
    bool is_below = key == root;
    std::optional<cluster::GroupKey> parent = core.cluster().groups.ParentOf(key);
    for (size_t depth = 0; !is_below && parent && depth < 10; ++depth) {
      is_below = *parent == root;
      parent = core.cluster().groups.ParentOf(*parent);
    }
    if (is_below) members.push_back(pod);
  });
  std::ranges::sort(members, {}, [](const cluster::PodPtr& pod) { return pod->full_name(); });
  return members;
}

std::string_view OutcomeOf(const GroupAttempt& attempt) {
  const auto any = [&](MemberOutcome outcome) {
    return std::ranges::any_of(attempt.members, [&](const auto& entry) { return entry.second.outcome == outcome; });
  };
  if (any(MemberOutcome::kError)) return "error";
  if (any(MemberOutcome::kScheduled)) return "scheduled";
  return any(MemberOutcome::kUnschedulable) ? "unschedulable" : "skipped";
}

void WriteMember(api::JsonWriter& json, const GroupAttempt::Member& member, bool had_nomination, bool wide) {
  constexpr std::string_view kNames[] = {"scheduled", "unschedulable", "error", "skipped"};
  json.BeginObject().Key("outcome").String(kNames[static_cast<size_t>(member.outcome)]);
  if (!member.node_name.empty()) json.Key("bound").String(member.node_name);
  json.Key("message").String(member.message);
  if (member.nomination && (had_nomination || !member.nomination->empty())) {
    json.Key("nominate").String(*member.nomination);
  }
  if (wide) {
    WriteNames(json, "unschedulablePlugins",
               {member.unschedulable_plugins.begin(), member.unschedulable_plugins.end()});
    WriteNames(json, "pendingPlugins", {member.pending_plugins.begin(), member.pending_plugins.end()});
  }
  json.EndObject();
}

void WriteConditions(api::JsonWriter& json, const api::PodGroup& group, const GroupAttempt& attempt) {
  std::vector<api::PodCondition> conditions = group.conditions;
  if (const auto written = attempt.conditions.find(group.meta.name); written != attempt.conditions.end()) {
    const auto old = std::ranges::find(conditions, written->second.type, &api::PodCondition::type);
    if (old != conditions.end()) {
      *old = written->second;
    } else {
      conditions.push_back(written->second);
    }
  }
  json.BeginArray();
  for (const api::PodCondition& condition : conditions) {
    json.BeginObject().Key("type").String(condition.type).Key("status").String(condition.status);
    json.Key("reason").String(condition.reason).Key("message").String(condition.message).EndObject();
  }
  json.EndArray();
}

void WriteGenerated(api::JsonWriter& json, const std::vector<scheduler::PlacementCall>& calls) {
  json.Key("generated").BeginArray();
  for (const scheduler::PlacementCall& call : calls) {
    Names names;
    for (const auto& [name, score] : call.placements) {
      if (!name.empty()) names.push_back(name);
    }
    if (names.empty() && call.status.ok()) continue;
    json.BeginObject().Key("group").String(call.group.ToString());
    WriteNames(json, "names", names);
    if (!call.status.ok()) {
      json.Key("code").String(ToString(call.status.code)).Key("text").String(call.status.message());
    }
    json.EndObject();
  }
  json.EndArray();
}

void WriteScored(api::JsonWriter& json, const std::vector<scheduler::PlacementCall>& calls) {
  json.Key("scored").BeginArray();
  for (const scheduler::PlacementCall& call : calls) {
    json.BeginObject().Key("group").String(call.group.ToString()).Key("score").BeginObject();
    for (const auto& [name, score] : call.placements) json.Key(name).Int(score);
    json.EndObject().EndObject();
  }
  json.EndArray();
}

// What the effects make of claims: "namespace/name" to the claim, null if it is deleted.
std::map<std::string, std::optional<api::ResourceClaim>> ClaimsAfter(const scheduler::Core& core,
                                                                     const std::vector<IssuedEffect>& effects) {
  std::map<std::string, std::optional<api::ResourceClaim>> claims;
  const auto change = [&](const std::string& ns, const std::string& name, const auto& apply) {
    std::optional<api::ResourceClaim>& claim = claims[ns + "/" + name];
    if (!claim) {
      const api::ResourceClaim* stored = core.cluster().objects.resource_claims.Find(ns, name);
      claim = stored == nullptr ? api::ResourceClaim() : *stored;
    }
    apply(*claim);
  };
  // The recorded server knows no conflicts: of several who reserve one claim the last one's write stays. Who is last is
  // a race of upstream's goroutines, but nearly always the member that was last in their order.
  std::vector<const framework::BindClaim*> binds;
  for (const IssuedEffect& issued : effects) {
    if (const auto* bind = std::get_if<framework::BindClaim>(&issued.effect)) binds.push_back(bind);
  }
  std::ranges::stable_sort(binds, {},
                           [](const auto* bind) { return std::pair(bind->pod->creation_timestamp, bind->pod->name); });
  for (const framework::BindClaim* bind : binds) {
    const std::string name =
        bind->claim.meta.name.empty() ? bind->pod->name + "-extended-resources-gen" : bind->claim.meta.name;
    const api::ResourceClaim* stored = core.cluster().objects.resource_claims.Find(bind->pod->ns(), name);
    change(bind->pod->ns(), name, [&](api::ResourceClaim& claim) {
      claim.reserved_for = stored == nullptr ? std::vector<api::ResourceClaimConsumer>() : stored->reserved_for;
      (void)framework::Apply(*bind, claim, Time{});
    });
  }
  for (const IssuedEffect& issued : effects) {
    if (const auto* unreserve = std::get_if<framework::UnreserveClaim>(&issued.effect)) {
      change(unreserve->pod->ns(), unreserve->claim_name,
             [&](api::ResourceClaim& claim) { (void)framework::Apply(*unreserve, claim); });
    } else if (const auto* free = std::get_if<framework::DeallocateClaim>(&issued.effect)) {
      change(free->pod->ns(), free->claim_name,
             [&](api::ResourceClaim& claim) { (void)framework::Apply(*free, claim); });
    } else if (const auto* gone = std::get_if<framework::DeleteClaim>(&issued.effect)) {
      claims[gone->pod->ns() + "/" + gone->claim_name] = std::nullopt;
    }
  }
  // Recorded is what differs afterwards.
  std::erase_if(claims, [&](const auto& entry) {
    const auto& [key, claim] = entry;
    const size_t slash = key.find('/');
    const api::ResourceClaim* stored =
        core.cluster().objects.resource_claims.Find(key.substr(0, slash), key.substr(slash + 1));
    return claim && stored != nullptr && claim->allocation.has_value() == stored->allocation.has_value() &&
           claim->reserved_for == stored->reserved_for;
  });
  return claims;
}

void WriteClaimsAfter(api::JsonWriter& json, const scheduler::Core& core, const std::vector<IssuedEffect>& effects) {
  json.Key("claims").BeginObject();
  for (const auto& [name, claim] : ClaimsAfter(core, effects)) {
    json.Key(name).BeginObject();
    if (!claim) {
      json.Key("state").String("deleted").EndObject();
      continue;
    }
    json.Key("state").String(claim->allocation ? "allocated" : "free");
    Names consumers;
    for (const api::ResourceClaimConsumer& consumer : claim->reserved_for) {
      consumers.push_back(consumer.resource + "/" + consumer.name);
    }
    WriteNames(json, "reservedFor", Sorted(std::move(consumers)));
    json.EndObject();
  }
  json.EndObject();
}

// Carries out everything but the bindings, and returns all that the core wanted.
std::vector<IssuedEffect> CarryOutAll(Rehearsal& rehearsal, std::vector<IssuedEffect> effects) {
  for (size_t i = 0; i < effects.size(); ++i) {
    if (std::holds_alternative<framework::BindPod>(effects[i].effect)) continue;
    std::ranges::move(rehearsal.Done(effects[i].id), std::back_inserter(effects));
  }
  return effects;
}

}  // namespace

std::string WriteGroup(Rehearsal& rehearsal, const cluster::GroupKey& root, bool wide) {
  const scheduler::Core& core = rehearsal.core();
  const std::vector<cluster::PodPtr> members = Members(core, root);
  api::JsonWriter json;
  json.BeginObject();
  if (members.empty()) return json.Key("outcome").String("empty").EndObject().Take();
  const Rehearsal::GroupFinding finding = rehearsal.TryGroup(root);
  if (finding.attempt == nullptr) {
    json.Key("outcome").String("gated");
    if (!wide) json.Key("group").BeginObject().Key("pods").BeginObject().EndObject().EndObject();
    for (const cluster::PodPtr& pod : members) {
      const framework::Status gate = FirstGate(core, *pod);
      if (gate.ok()) continue;
      json.Key("preEnqueue");
      WriteStatus(json, gate);
      break;
    }
    return json.EndObject().Take();
  }
  const GroupAttempt attempt = *finding.attempt;
  std::set<std::string> nominated;
  for (const cluster::PodPtr& pod : members) {
    if (!pod->nominated_node_name.empty()) nominated.insert(pod->full_name());
  }
  json.Key("outcome").String(OutcomeOf(attempt)).Key("group").BeginObject().Key("pods").BeginObject();
  for (const auto& [name, member] : attempt.members) {
    json.Key(name);
    WriteMember(json, member, nominated.contains(name), wide);
  }
  json.EndObject();
  if (root.is_composite) json.Key("groups").BeginObject();
  core.cluster().groups.ForEachLeaf(root, [&](const cluster::GroupKey& key, const cluster::PodGroupState& state) {
    if (state.object == nullptr) return;
    json.Key(root.is_composite ? key.name : "conditions");
    WriteConditions(json, *state.object, attempt);
  });
  if (root.is_composite) json.EndObject();
  if (wide) {
    WriteGenerated(json, attempt.generated);
    WriteScored(json, attempt.scored);
    if (attempt.post_filter) {
      json.Key("postFilter").BeginObject().Key("plugin").String(attempt.post_filter->plugin);
      json.Key("code").String(ToString(attempt.post_filter->code));
      WriteNames(json, "reasons", attempt.post_filter->reasons);
      json.EndObject();
    }
  }
  const std::vector<IssuedEffect> effects = CarryOutAll(rehearsal, finding.effects);
  Names victims;
  for (const IssuedEffect& issued : effects) {
    if (const auto* evict = std::get_if<framework::EvictPod>(&issued.effect)) {
      victims.push_back(evict->victim->full_name());
    }
  }
  WriteNames(json, "victims", Sorted(std::move(victims)));
  json.EndObject();
  WriteVolumes(json, effects);
  WriteClaimsAfter(json, core, effects);
  return json.EndObject().Take();
}

}  // namespace berth::conformance
