// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "api/document/json_writer.h"
#include "app/command_line/text_table.h"
#include "app/explain/explanation_text.h"
#include "app/replay/run.h"

namespace berth::replay {
namespace {

using api::JsonWriter;
using Counts = std::map<std::string, size_t>;

std::string CountTable(std::string head, const Counts& counts) {
  if (counts.empty()) return {};
  simulate::TextTable table;
  table.Add({std::move(head), "COUNT"});
  for (const auto& [name, count] : counts) table.Add({name, std::to_string(count)});
  return "\n" + table.ToString();
}

std::string AttemptText(const AttemptReport& attempt) {
  std::string text =
      fmt::format("\n{}, attempt {} at {}: {}{}\n", attempt.pod, attempt.number, FormatTimeMicro(attempt.time),
                  attempt.outcome, attempt.node.empty() ? "" : " to " + attempt.node);
  if (!attempt.message.empty()) text += "  " + attempt.message + "\n";
  if (attempt.explanation) text += "  " + explain::ExplanationText(*attempt.explanation);
  return text;
}

void WriteCounts(JsonWriter& json, std::string_view key, const Counts& counts) {
  json.Key(key).BeginObject();
  for (const auto& [name, count] : counts) json.Key(name).UInt(count);
  json.EndObject();
}

void WriteAttempt(JsonWriter& json, const AttemptReport& attempt) {
  json.Key("attempt").BeginObject().Key("pod").String(attempt.pod).Key("number").UInt(attempt.number);
  json.Key("time").String(FormatTimeMicro(attempt.time)).Key("outcome").String(attempt.outcome);
  if (!attempt.node.empty()) json.Key("node").String(attempt.node);
  if (!attempt.message.empty()) json.Key("message").String(attempt.message);
  if (attempt.explanation) {
    json.Key("explanation");
    explain::WriteExplanation(json, *attempt.explanation);
  }
  json.EndObject();
}

}  // namespace

std::string TableReport(const Report& report) {
  std::string text = fmt::format("{} steps from {} to {}{}\n", report.steps, FormatTimeMicro(report.start),
                                 FormatTimeMicro(report.end), report.problem ? "" : ", all with the recorded effects");
  if (report.unfinished) text += fmt::format("The log is unfinished: {}\n", *report.unfinished);
  text += CountTable("INPUT", report.inputs) + CountTable("EFFECT", report.effects) +
          CountTable("ATTEMPT", report.attempts);
  text += fmt::format("\nQueue: {} active, {} backing off, {} unschedulable; {} on their way to a node\n",
                      report.active, report.backing_off, report.unschedulable, report.binding);
  if (report.attempt) text += AttemptText(*report.attempt);
  return text;
}

std::string JsonReport(const Report& report) {
  JsonWriter json(2);
  json.BeginObject().Key("steps").UInt(report.steps);
  json.Key("start").String(FormatTimeMicro(report.start)).Key("end").String(FormatTimeMicro(report.end));
  WriteCounts(json, "inputs", report.inputs);
  WriteCounts(json, "effects", report.effects);
  WriteCounts(json, "attempts", report.attempts);
  json.Key("queue").BeginObject().Key("active").UInt(report.active).Key("backingOff").UInt(report.backing_off);
  json.Key("unschedulable").UInt(report.unschedulable).EndObject().Key("binding").UInt(report.binding);
  if (report.attempt) WriteAttempt(json, *report.attempt);
  if (report.unfinished) json.Key("unfinished").String(*report.unfinished);
  if (report.problem) json.Key("problem").String(report.problem->message);
  return json.EndObject().Take() + "\n";
}

}  // namespace berth::replay
