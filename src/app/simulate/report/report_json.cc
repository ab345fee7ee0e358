// SPDX-License-Identifier: Apache-2.0
#include "api/document/json_writer.h"
#include "api/document/value.h"
#include "api/document/yaml_writer.h"
#include "app/simulate/report/report.h"
#include "explain/utilization.h"

namespace berth::simulate {
namespace {

using explain::Measure;
using explain::NodeUsage;
using explain::Usage;
using explain::Utilization;

using api::JsonWriter;

void WriteNames(JsonWriter& json, std::string_view key, const std::vector<std::string>& names) {
  json.Key(key).BeginArray();
  for (const std::string& name : names) json.String(name);
  json.EndArray();
}

void WriteUInt(JsonWriter& json, std::string_view key, size_t number) { json.Key(key).UInt(number); }

void WritePod(JsonWriter& json, const PodLife& life) {
  const Fate fate = FateOf(life);
  json.BeginObject().Key("namespace").String(life.ns).Key("name").String(life.name);
  json.Key("priority").Int(life.priority).Key("outcome").String(FateName(fate));
  if (!life.node.empty() && fate != Fate::kEvicted) json.Key("node").String(life.node);
  if (!life.message.empty()) json.Key("message").String(life.message);
  if (!life.replaces.empty()) json.Key("replaces").String(life.replaces);
  if (life.attempts > 0) json.Key("attempts").Int(life.attempts);
  if (!life.volumes.empty()) {
    json.Key("volumes").BeginArray();
    for (const VolumeBinding& binding : life.volumes) {
      json.BeginObject().Key("claim").String(binding.claim).Key("volume").String(binding.volume);
      json.Key("provisioned").Bool(binding.is_new).EndObject();
    }
    json.EndArray();
  }
  if (!life.explanations.empty()) {
    json.Key("explanations").BeginArray();
    for (const explain::Explanation& explanation : life.explanations) explain::WriteExplanation(json, explanation);
    json.EndArray();
  }
  json.EndObject();
}

void WriteEviction(JsonWriter& json, const TimedEviction& eviction, const Replacements& replacements) {
  json.BeginObject().Key("victim").String(eviction.victim).Key("victimPriority").Int(eviction.victim_priority);
  json.Key("node").String(eviction.node).Key("preemptor").String(eviction.preemptor);
  json.Key("preemptorPriority").Int(eviction.preemptor_priority);
  if (!eviction.owner.empty()) {
    json.Key("owner").String(eviction.owner);
    if (const std::string_view made = replacements.Of(eviction.victim); !made.empty()) {
      json.Key("replacement").String(made);
    }
  }
  json.EndObject();
}

void WriteUsage(JsonWriter& json, std::string_view key, const Usage& usage) {
  json.Key(key).BeginObject().Key("requested").Int(usage.requested).Key("allocatable").Int(usage.allocatable);
  json.Key("percent").Int(usage.percent()).EndObject();
}

void WriteNode(JsonWriter& json, const NodeUsage& node, const std::vector<std::string>& extended) {
  json.BeginObject().Key("name").String(node.name);
  if (!node.zone.empty()) json.Key("zone").String(node.zone);
  WriteUsage(json, "pods", node.pods);
  WriteUsage(json, "cpuMilli", node.cpu_milli);
  WriteUsage(json, "memoryBytes", node.memory_bytes);
  for (size_t i = 0; i < extended.size(); ++i) {
    if (node.extended[i].is_offered) WriteUsage(json, extended[i], node.extended[i]);
  }
  json.EndObject();
}

void WriteSummary(JsonWriter& json, const Summary& summary) {
  json.Key("summary").BeginObject();
  WriteUInt(json, "running", summary.running);
  WriteUInt(json, "pending", summary.pending);
  WriteUInt(json, "scheduled", summary.scheduled);
  WriteUInt(json, "unschedulable", summary.unschedulable);
  WriteUInt(json, "gated", summary.gated);
  WriteUInt(json, "ignored", summary.ignored);
  WriteUInt(json, "evicted", summary.evicted);
  json.EndObject();
}

void WriteReport(const Simulation& simulation, JsonWriter& json) {
  json.BeginObject();
  WriteSummary(json, SummarizeFates(simulation.history()));
  json.Key("pods").BeginArray();
  const History& history = simulation.history();
  for (const PodLife& life : history.pods) WritePod(json, life);
  json.EndArray().Key("evictions").BeginArray();
  const Replacements replacements(history);
  for (const TimedEviction& eviction : history.evictions) WriteEviction(json, eviction, replacements);
  json.EndArray().Key("nodes").BeginArray();
  const Utilization utilization = Measure(simulation.cluster());
  for (const NodeUsage& node : utilization.nodes) WriteNode(json, node, utilization.extended);
  json.EndArray();
  WriteNames(json, "notes", history.notes);
  json.EndObject();
}

}  // namespace

std::string JsonReport(const Simulation& simulation) {
  JsonWriter json(2);
  WriteReport(simulation, json);
  return json.Take() + "\n";
}

std::string YamlReport(const Simulation& simulation) {
  JsonWriter tree = JsonWriter::OfTree();
  WriteReport(simulation, tree);
  const Result<api::Document> document = tree.TakeTree();
  if (!document) return JsonReport(simulation);  // Larger than a document may be; JSON is YAML too.
  return api::ToYaml(document->root());
}

}  // namespace berth::simulate
