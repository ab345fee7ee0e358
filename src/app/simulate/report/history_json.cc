// SPDX-License-Identifier: Apache-2.0
#include "api/document/json_writer.h"
#include "api/document/value.h"
#include "api/document/yaml_writer.h"
#include "app/simulate/report/history_report.h"
#include "app/simulate/report/statistics.h"

namespace berth::simulate {
namespace {

using api::JsonWriter;

double SecondsOf(Duration duration) { return static_cast<double>(duration.nanos) / 1e9; }

void WriteWaiting(JsonWriter& json, const WaitingTime& waiting) {
  json.BeginObject().Key("count").UInt(waiting.count);
  json.Key("p50Seconds").Double(SecondsOf(waiting.p50)).Key("p90Seconds").Double(SecondsOf(waiting.p90));
  json.Key("p99Seconds").Double(SecondsOf(waiting.p99)).Key("maxSeconds").Double(SecondsOf(waiting.max));
  json.EndObject();
}

void WriteSummary(JsonWriter& json, const History& history) {
  const HistorySummary summary = Summarize(history);
  json.Key("summary").BeginObject();
  json.Key("durationSeconds").Double(SecondsOf(history.end - history.start));
  json.Key("pods").UInt(history.pods.size()).Key("placed").UInt(summary.placed);
  json.Key("neverPlaced").UInt(summary.never_placed).Key("attempts").UInt(history.attempts);
  json.Key("evictions").UInt(history.evictions.size()).Key("peakPending").UInt(history.peak_pending);
  json.Key("meanCpuUtilization").Double(summary.cpu_mean).Key("meanMemoryUtilization").Double(summary.memory_mean);
  json.Key("states").BeginObject();
  for (const auto& [state, count] : summary.states) {
    if (count > 0) json.Key(StateName(state)).UInt(count);
  }
  json.EndObject().Key("waitingTime");
  WriteWaiting(json, summary.waiting);
  json.Key("waitingTimeByPriority").BeginObject();
  for (const auto& [priority, waiting] : summary.waiting_by_priority) {
    json.Key(std::to_string(priority));
    WriteWaiting(json, waiting);
  }
  json.EndObject().EndObject();
}

void WritePod(JsonWriter& json, const PodLife& life, Time start) {
  json.BeginObject().Key("namespace").String(life.ns).Key("name").String(life.name);
  json.Key("priority").Int(life.priority).Key("state").String(StateName(life.state));
  json.Key("createdSeconds").Double(SecondsOf(life.created - start));
  if (life.bound) {
    json.Key("boundSeconds").Double(SecondsOf(*life.bound - start));
    json.Key("waitedSeconds").Double(SecondsOf(*life.bound - life.created));
  }
  if (life.ended) json.Key("endedSeconds").Double(SecondsOf(*life.ended - start));
  if (!life.node.empty()) json.Key("node").String(life.node);
  if (life.was_pending) json.Key("attempts").Int(life.attempts);
  if (!life.message.empty()) json.Key("message").String(life.message);
  if (!life.replaces.empty()) json.Key("replaces").String(life.replaces);
  json.EndObject();
}

void WriteEviction(JsonWriter& json, const TimedEviction& eviction, Time start) {
  json.BeginObject().Key("atSeconds").Double(SecondsOf(eviction.at - start)).Key("victim").String(eviction.victim);
  json.Key("victimPriority").Int(eviction.victim_priority).Key("node").String(eviction.node);
  json.Key("cause").String(eviction.preemptor.empty() ? "drain" : "preemption");
  if (!eviction.preemptor.empty()) {
    json.Key("preemptor").String(eviction.preemptor).Key("preemptorPriority").Int(eviction.preemptor_priority);
  }
  json.EndObject();
}

void WriteSample(JsonWriter& json, const Sample& sample, Time start) {
  json.BeginObject().Key("atSeconds").Double(SecondsOf(sample.at - start)).Key("pending").UInt(sample.pending());
  json.Key("active").UInt(sample.active).Key("backoff").UInt(sample.backoff);
  json.Key("unschedulable").UInt(sample.unschedulable).Key("binding").UInt(sample.binding);
  json.Key("gated").UInt(sample.gated).Key("running").UInt(sample.running);
  json.Key("cpuRequestedMilli").Int(sample.cpu_requested_milli);
  json.Key("cpuAllocatableMilli").Int(sample.cpu_allocatable_milli);
  json.Key("memoryRequestedBytes").Int(sample.memory_requested_bytes);
  json.Key("memoryAllocatableBytes").Int(sample.memory_allocatable_bytes).EndObject();
}

void WriteHistory(const History& history, JsonWriter& json) {
  json.BeginObject();
  WriteSummary(json, history);
  json.Key("pods").BeginArray();
  for (const PodLife& life : history.pods) WritePod(json, life, history.start);
  json.EndArray().Key("evictions").BeginArray();
  for (const TimedEviction& eviction : history.evictions) WriteEviction(json, eviction, history.start);
  json.EndArray().Key("events").BeginObject();
  for (const auto& [reason, count] : history.events) json.Key(reason).UInt(count);
  json.EndObject().Key("samples").BeginArray();
  for (const Sample& sample : history.samples) WriteSample(json, sample, history.start);
  json.EndArray().Key("notes").BeginArray();
  for (const std::string& note : history.notes) json.String(note);
  json.EndArray().EndObject();
}

}  // namespace

std::string HistoryJson(const History& history) {
  JsonWriter json(2);
  WriteHistory(history, json);
  return json.Take() + "\n";
}

std::string HistoryYaml(const History& history) {
  JsonWriter tree = JsonWriter::OfTree();
  WriteHistory(history, tree);
  const Result<api::Document> document = tree.TakeTree();
  if (!document) return HistoryJson(history);  // Larger than a document may be; JSON is YAML too.
  return api::ToYaml(document->root());
}

}  // namespace berth::simulate
