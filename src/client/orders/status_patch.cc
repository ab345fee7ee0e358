// SPDX-License-Identifier: Apache-2.0
#include "client/orders/status_patch.h"

#include <algorithm>

#include "api/document/json_writer.h"

namespace berth::client {
namespace {

using api::JsonWriter;
using api::PodCondition;

const PodCondition* Find(const std::vector<PodCondition>& conditions, const std::string& type) {
  const auto found = std::ranges::find(conditions, type, &PodCondition::type);
  return found == conditions.end() ? nullptr : &*found;
}

// A condition that says the same is left alone, even if it was observed of an older generation.
bool SaysTheSame(const PodCondition& a, const PodCondition& b) {
  return a.status == b.status && a.reason == b.reason && a.message == b.message;
}

void WriteTime(JsonWriter& out, const std::optional<Time>& time) {
  out.Key("lastTransitionTime");
  time ? out.String(FormatTime(*time)) : out.Null();
}

// The conditions of pods say when they were probed, which the scheduler never does.
void WriteNew(JsonWriter& out, const PodCondition& condition, bool is_of_pod) {
  out.BeginObject();
  if (is_of_pod) out.Key("lastProbeTime").Null();
  WriteTime(out, condition.last_transition_time);
  if (is_of_pod) {
    out.Text("message", condition.message);
  } else {
    out.Key("message").String(condition.message);
  }
  if (condition.observed_generation != 0) out.Key("observedGeneration").Int(condition.observed_generation);
  out.Text("reason", condition.reason);
  out.Key("status").String(condition.status).Key("type").String(condition.type).EndObject();
}

void WriteTextChange(JsonWriter& out, std::string_view key, const std::string& before, const std::string& after,
                     bool is_optional) {
  if (before == after) return;
  out.Key(key);
  after.empty() && is_optional ? out.Null() : out.String(after);
}

void WriteChange(JsonWriter& out, const PodCondition& before, const PodCondition& after, bool is_of_pod) {
  out.BeginObject();
  if (before.last_transition_time != after.last_transition_time) WriteTime(out, after.last_transition_time);
  WriteTextChange(out, "message", before.message, after.message, is_of_pod);
  if (before.observed_generation != after.observed_generation) {
    out.Key("observedGeneration");
    after.observed_generation == 0 ? out.Null() : out.Int(after.observed_generation);
  }
  WriteTextChange(out, "reason", before.reason, after.reason, is_of_pod);
  if (before.status != after.status) out.Key("status").String(after.status);
  out.Key("type").String(after.type).EndObject();
}

// Where the list has elements, a patch of it states their order.
void WriteOrder(JsonWriter& out, const std::vector<PodCondition>& conditions, const std::string* added) {
  out.Key("$setElementOrder/conditions").BeginArray();
  for (const PodCondition& condition : conditions) {
    out.BeginObject().Key("type").String(condition.type).EndObject();
  }
  if (added != nullptr) out.BeginObject().Key("type").String(*added).EndObject();
  out.EndArray();
}

void WriteConditions(JsonWriter& out, const std::vector<PodCondition>& conditions, const PodCondition* before,
                     const PodCondition& after, bool is_of_pod) {
  if (!conditions.empty()) WriteOrder(out, conditions, before == nullptr ? &after.type : nullptr);
  out.Key("conditions").BeginArray();
  before == nullptr ? WriteNew(out, after, is_of_pod) : WriteChange(out, *before, after, is_of_pod);
  out.EndArray();
}

}  // namespace

std::string StatusPatch(const std::vector<PodCondition>& conditions, const std::string& nominated_node_name,
                        const StatusChange& change, Time now) {
  const bool nominates = change.nominated_node_name && *change.nominated_node_name != nominated_node_name;
  std::optional<PodCondition> after = change.condition;
  const PodCondition* before = after ? Find(conditions, after->type) : nullptr;
  if (after) {
    after->last_transition_time =
        before != nullptr && before->status == after->status ? before->last_transition_time : std::optional(now);
  }
  const bool says_more = after && (before == nullptr || !SaysTheSame(*before, *after));
  if (!says_more && !nominates) return "";
  JsonWriter out;
  out.BeginObject().Key("status").BeginObject();
  if (after && (before == nullptr || *before != *after)) WriteConditions(out, conditions, before, *after, true);
  if (nominates) {
    out.Key("nominatedNodeName");
    change.nominated_node_name->empty() ? out.Null() : out.String(*change.nominated_node_name);
  }
  out.EndObject().EndObject();
  return out.Take();
}

std::string GroupStatusPatch(const std::vector<PodCondition>& conditions, PodCondition after, Time now) {
  const PodCondition* before = Find(conditions, after.type);
  const bool turns = before == nullptr || before->status != after.status;
  after.last_transition_time = turns ? std::optional(now) : before->last_transition_time;
  if (before != nullptr && *before == after) return "";
  JsonWriter out;
  out.BeginObject().Key("status").BeginObject();
  WriteConditions(out, conditions, before, after, false);
  out.EndObject().EndObject();
  return out.Take();
}

}  // namespace berth::client
