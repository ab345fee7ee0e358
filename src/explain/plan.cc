// SPDX-License-Identifier: Apache-2.0
#include "explain/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "api/document/json_writer.h"
#include "cluster/node_table.h"
#include "explain/node_state.h"
#include "explain/text_list.h"
#include "explain/wrapped_text.h"

namespace berth::explain {
namespace {

using api::Json;
using State = PodFate::State;

std::string_view StateName(State state) {
  constexpr std::array<std::string_view, 4> kNames = {"placed", "pending", "gated", "ignored"};
  return kNames[static_cast<size_t>(state)];
}

Json UsageJson(const NodeUsage& usage) {
  const auto part = [](const Usage& one) {
    return Json{{"requested", Json::Int(one.requested)}, {"allocatable", Json::Int(one.allocatable)}};
  };
  return Json{
      {"pods", part(usage.pods)}, {"cpuMilli", part(usage.cpu_milli)}, {"memoryBytes", part(usage.memory_bytes)}};
}

Json FateJson(const PodFate& fate) {
  Json map{{"namespace", Json::String(fate.ns)},
           {"name", Json::String(fate.name)},
           {"outcome", Json::String(StateName(fate.state))}};
  if (!fate.owner.empty()) map.Set("owner", std::string_view(fate.owner));
  if (!fate.node.empty()) map.Set("node", std::string_view(fate.node));
  if (!fate.message.empty()) map.Set("message", std::string_view(fate.message));
  if (fate.was_pending) map.Set("wasPending", Json::Bool(true));
  return map;
}

// Pods of one owner, or one pod without.
struct OwnerLine {
  std::map<std::string, size_t> nodes;
  std::map<std::string, size_t> messages;  // Of those that have no place.
  size_t placed = 0;
  size_t count = 0;
};

std::map<std::string, OwnerLine> ByOwner(const Json& pods) {
  std::map<std::string, OwnerLine> lines;
  for (const Json& pod : pods.items()) {
    const std::string name = fmt::format("Pod {}/{}", pod["namespace"].text(), pod["name"].text());
    OwnerLine& line = lines[pod["owner"].text().empty() ? name : pod["owner"].text()];
    ++line.count;
    if (pod["outcome"].text() == StateName(State::kPlaced)) {
      ++line.placed;
      ++line.nodes[pod["node"].text()];
    } else {
      ++line.messages[pod["outcome"].text() + ": " + pod["message"].text()];
    }
  }
  return lines;
}

std::string PercentText(const Json& usage, std::string_view name) {
  const Usage part{usage[name]["requested"].IntOr(0), usage[name]["allocatable"].IntOr(0)};
  return fmt::format("{}%", part.percent());
}

std::string NodesText(const std::map<std::string, size_t>& nodes) {
  constexpr size_t kNodesShown = 10;
  std::string text;
  size_t shown = 0;
  for (const auto& [node, count] : nodes) {
    if (shown++ == kNodesShown) return text + fmt::format(", and {} more", nodes.size() - kNodesShown);
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", node, count == 1 ? "" : fmt::format(" ({})", count));
  }
  return text;
}

// What nodes are like, as text, by name.
Result<std::map<std::string, std::string>> NodeTexts(const cluster::Cluster& cluster, Pacer& pacer) {
  std::map<std::string, std::string> texts;
  const cluster::NodeTable& nodes = cluster.nodes();
  for (uint32_t slot = 0; slot < nodes.slot_limit(); ++slot) {
    if (nodes.in_use[slot] == 0 || nodes.has_node[slot] == 0) continue;
    api::JsonWriter json;
    json.BeginObject().Key("name").String(nodes.name[slot]);
    WriteNodeKind(json, cluster, slot);
    WriteNodeUse(json, cluster, slot);
    json.EndObject();
    texts[nodes.name[slot]] = json.Take();
    BERTH_CHECK_OK(pacer.Pause());
  }
  return texts;
}

Result<std::vector<Json>> Differences(const std::map<std::string, std::string>& before,
                                      const std::map<std::string, std::string>& after, Pacer& pacer) {
  std::vector<Json> nodes;
  for (const auto& [name, text] : before) {
    if (!after.contains(name)) nodes.push_back(Json{{"name", Json::String(name)}, {"gone", Json::Bool(true)}});
  }
  for (const auto& [name, text] : after) {
    const auto known = before.find(name);
    if (known != before.end() && known->second == text) continue;
    nodes.push_back(BERTH_TRY(api::ParseTree(text)));
    BERTH_CHECK_OK(pacer.Pause());
  }
  return nodes;
}

}  // namespace

size_t PlanAnswer::unplaced() const {
  return static_cast<size_t>(
      std::ranges::count_if(pods, [](const PodFate& pod) { return pod.state == State::kPending; }));
}

Result<PlanAnswer> Plan(Surroundings& surroundings, const Question& question, Pacer& pacer) {
  PlanAnswer answer;
  const cluster::Cluster& cluster = surroundings.core().cluster();
  answer.before = MeasureTotal(cluster);
  std::map<std::string, std::string> nodes;
  if (question.shows_nodes) nodes = BERTH_TRY(NodeTexts(cluster, pacer));
  surroundings.Begin();
  BERTH_CHECK_OK(surroundings.Apply(question, pacer));
  BERTH_CHECK_OK(surroundings.Settle(pacer));
  answer.after = MeasureTotal(cluster);
  if (question.shows_nodes) {
    const auto after = BERTH_TRY(NodeTexts(cluster, pacer));
    answer.nodes = BERTH_TRY(Differences(nodes, after, pacer));
  }
  answer.pods = BERTH_TRY(surroundings.Fates(pacer));
  answer.evictions = surroundings.evictions();
  answer.still_pending = BERTH_TRY(surroundings.CountPending(pacer));
  answer.notes = surroundings.notes();
  return answer;
}

Json ToJson(const PlanAnswer& answer) {
  Json pods = Json::MakeList();
  for (const PodFate& pod : answer.pods) pods.Append(FateJson(pod));
  Json evictions = Json::MakeList();
  for (const Eviction& eviction : answer.evictions) {
    Json one{{"pod", Json::String(eviction.pod)},
             {"node", Json::String(eviction.node)},
             {"preemptor", Json::String(eviction.preemptor)},
             {"priority", Json::Int(eviction.priority)}};
    if (!eviction.owner.empty()) one.Set("owner", std::string_view(eviction.owner));
    evictions.Append(std::move(one));
  }
  Json map{{"pods", std::move(pods)},
           {"evictions", std::move(evictions)},
           {"unplaced", Json::Int(static_cast<int64_t>(answer.unplaced()))},
           {"stillPending", Json::Int(static_cast<int64_t>(answer.still_pending))},
           {"utilization", Json{{"before", UsageJson(answer.before)}, {"after", UsageJson(answer.after)}}},
           {"notKnown", TextList(answer.notes)}};
  if (answer.nodes) map.Set("nodes", Json::MakeList(*answer.nodes));
  return map;
}

std::string PlanText(const Json& answer) {
  std::string text;
  size_t placed = 0;
  for (const auto& [owner, line] : ByOwner(answer["pods"])) {
    placed += line.placed;
    text += fmt::format("{}: {} of {} placed\n", owner, line.placed, line.count);
    if (!line.nodes.empty()) text += Wrapped("on " + NodesText(line.nodes), 2);
    for (const auto& [message, count] : line.messages) text += Wrapped(fmt::format("{} {}", count, message), 2);
  }
  for (const Json& eviction : answer["evictions"].items()) {
    text += Wrapped(fmt::format("evicts {} (priority {}) from {} for {}", eviction["pod"].text(),
                                eviction["priority"].text(), eviction["node"].text(), eviction["preemptor"].text()),
                    0);
  }
  const Json& before = answer["utilization"]["before"];
  const Json& after = answer["utilization"]["after"];
  text +=
      fmt::format("cpu {} -> {}, memory {} -> {}, pods {} -> {}\n", PercentText(before, "cpuMilli"),
                  PercentText(after, "cpuMilli"), PercentText(before, "memoryBytes"), PercentText(after, "memoryBytes"),
                  before["pods"]["requested"].text(), after["pods"]["requested"].text());
  text +=
      fmt::format("{} placed, {} pending, {} evicted", placed, answer["unplaced"].text(), answer["evictions"].size());
  if (answer["stillPending"].IntOr(0) > 0) {
    text += fmt::format("; {} that waited before wait on", answer["stillPending"].text());
  }
  return text + "\n";
}

}  // namespace berth::explain
