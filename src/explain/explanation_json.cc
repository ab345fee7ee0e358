// SPDX-License-Identifier: Apache-2.0
#include "explain/explanation.h"

namespace berth::explain {
namespace {

using api::JsonWriter;

void WriteNames(JsonWriter& json, std::string_view key, const std::vector<std::string>& names) {
  json.Key(key).BeginArray();
  for (const std::string& name : names) json.String(name);
  json.EndArray();
}

void WriteSeconds(JsonWriter& json, std::string_view key, Duration duration) {
  json.Key(key).Double(static_cast<double>(duration.nanos) / 1e9);
}

void WriteTime(JsonWriter& json, std::string_view key, const std::optional<Time>& time) {
  if (time) json.Key(key).String(FormatTimeMicro(*time));
}

void WriteRejections(JsonWriter& json, const Explanation& explanation) {
  json.Key("rejections").BeginArray();
  for (const Rejection& rejection : explanation.rejections) {
    json.BeginObject().Key("plugin").String(rejection.plugin).Text("code", rejection.code);
    WriteNames(json, "reasons", rejection.reasons);
    json.Key("count").UInt(rejection.count);
    WriteNames(json, "nodes", rejection.nodes);
    json.EndObject();
  }
  json.EndArray();
}

void WriteScore(JsonWriter& json, const NodeScore& score, const std::vector<Explanation::ScorePlugin>& plugins) {
  json.BeginObject().Key("node").String(score.node).Key("total").Int(score.total).Key("plugins").BeginObject();
  for (size_t i = 0; i < score.by_plugin.size(); ++i) json.Key(plugins[i].name).Int(score.by_plugin[i]);
  json.EndObject().EndObject();
}

void WritePreemption(JsonWriter& json, const Explanation& explanation) {
  if (explanation.preemption.empty()) return;
  json.Key("preemption").BeginObject().Key("message").String(explanation.preemption);
  json.Key("candidateCount").UInt(explanation.option_count);
  json.Key("candidates").BeginArray();
  for (const PreemptionOption& option : explanation.options) {
    json.BeginObject().Key("node").String(option.node);
    WriteNames(json, "victims", option.victims);
    json.Key("pdbViolations").UInt(option.pdb_violations);
    json.Key("highestPriority").Int(option.highest_priority).Key("prioritySum").Int(option.priority_sum);
    json.Key("chosen").Bool(option.is_chosen).EndObject();
  }
  json.EndArray().EndObject();
}

void WriteGroup(JsonWriter& json, const Explanation& explanation) {
  if (explanation.group.empty()) return;
  json.Key("group").BeginObject().Key("name").String(explanation.group);
  json.Text("preemption", explanation.group_preemption);
  json.Key("domains").BeginArray();
  for (const DomainFailure& domain : explanation.domains) {
    json.BeginObject().Key("group").String(domain.group).Key("name").String(domain.name);
    json.Key("message").String(domain.message).Key("members").BeginObject();
    for (const auto& [name, message] : domain.members) json.Key(name).String(message);
    json.EndObject().EndObject();
  }
  json.EndArray().EndObject();
}

void WriteTrail(JsonWriter& json, const Explanation& explanation) {
  json.Key("wokenBy").BeginObject().Key("cause").String(explanation.woken_by);
  json.Text("plugin", explanation.called_by).EndObject();
  json.Key("declinedEvents").BeginObject().Key("count").UInt(explanation.declined_events);
  json.Text("last", explanation.last_declined).EndObject();
  json.Key("waitedSeconds").BeginObject();
  WriteSeconds(json, "active", explanation.active);
  WriteSeconds(json, "backoff", explanation.backoff);
  WriteSeconds(json, "unschedulable", explanation.unschedulable);
  json.EndObject();
}

}  // namespace

void WriteExplanation(JsonWriter& json, const Explanation& explanation) {
  json.BeginObject().Key("number").Int(explanation.number);
  json.Key("began").String(FormatTimeMicro(explanation.began));
  json.Key("decided").String(FormatTimeMicro(explanation.decided));
  json.Key("outcome").String(explanation.outcome).Text("message", explanation.message);
  if (!explanation.chosen.empty()) json.Key("node").String(explanation.chosen);
  if (explanation.is_nominated_node) json.Key("nominatedNode").Bool(true);
  json.Key("nodeCount").UInt(explanation.node_count);
  json.Key("feasibleCount").UInt(explanation.feasible_count);
  json.Key("tiedCount").UInt(explanation.tied_count);
  WriteNames(json, "tied", explanation.tied);
  WriteRejections(json, explanation);
  json.Key("scores").BeginArray();
  for (const NodeScore& score : explanation.scores) WriteScore(json, score, explanation.score_plugins);
  json.EndArray();
  WritePreemption(json, explanation);
  WriteGroup(json, explanation);
  WriteTrail(json, explanation);
  WriteTime(json, "permitted", explanation.permitted);
  WriteTime(json, explanation.was_refused ? "refused" : "bound", explanation.ended);
  json.EndObject();
}

void WriteFinding(JsonWriter& json, const NodeFinding& finding, const std::vector<Explanation::ScorePlugin>& plugins) {
  json.BeginObject().Key("node").String(finding.node).Key("verdict").String(ToString(finding.verdict));
  if (finding.verdict == NodeFinding::Verdict::kRejected) {
    json.Key("plugin").String(finding.plugin).Key("code").String(finding.code);
    WriteNames(json, "reasons", finding.reasons);
  }
  if (finding.score) WriteScore(json.Key("score"), *finding.score, plugins);
  if (finding.chosen_score) WriteScore(json.Key("chosenScore"), *finding.chosen_score, plugins);
  json.EndObject();
}

}  // namespace berth::explain
