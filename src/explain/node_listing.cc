// SPDX-License-Identifier: Apache-2.0
#include "explain/node_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "scheduler/inspection.h"

namespace berth::explain {
namespace {

// The reasons of one attempt for which the node was turned down, each with its plugin.
using Reasons = std::vector<std::pair<std::string, std::string>>;

Reasons ReasonsOf(const scheduler::DecisionRecords& records, const scheduler::RecordedVerdicts& verdicts,
                  cluster::NodeSlot slot) {
  Reasons reasons;
  const auto add = [&](const scheduler::RecordedRejection& rejection) {
    const std::string plugin(rejection.plugin ? records.PluginName(*rejection.plugin) : "");
    for (const std::string& reason : rejection.reasons) reasons.emplace_back(plugin, reason);
  };
  for (const scheduler::RecordedRejection& rejection : verdicts.rejections) {
    if (rejection.nodes.Contains(slot)) add(rejection);
  }
  return reasons;
}

void AddRefusals(const scheduler::Core& core, cluster::NodeSlot slot, NodeListing& listing) {
  const scheduler::DecisionRecords& records = core.records();
  const std::vector<cluster::PodPtr> waiting = scheduler::QueuedPods(core.queue());
  listing.all_waiting = waiting.size() <= NodeListing::kWaitingMax;
  // Pods that are alike share their verdicts.
  std::unordered_map<const scheduler::RecordedVerdicts*, Reasons> known;
  std::map<std::pair<std::string, std::string>, NodeListing::Refusal> refusals;
  for (size_t i = 0; i < std::min(waiting.size(), NodeListing::kWaitingMax); ++i) {
    const std::vector<const scheduler::AttemptRecord*> attempts = records.Of(waiting[i]->uid);
    if (attempts.empty() || attempts.back()->verdicts == nullptr) continue;
    const scheduler::AttemptRecord& last = *attempts.back();
    if (records.NameOf(last, slot, core.cluster().nodes()).empty()) continue;  // Another node had its place then.
    const auto [entry, is_new] = known.try_emplace(last.verdicts.get());
    if (is_new) entry->second = ReasonsOf(records, *last.verdicts, slot);
    for (const auto& reason : entry->second) {
      NodeListing::Refusal& refusal = refusals[reason];
      ++refusal.pods;
      if (refusal.examples.size() < NodeListing::Refusal::kExamplesMax) {
        refusal.examples.push_back(waiting[i]->full_name());
      }
    }
  }
  for (auto& [reason, refusal] : refusals) {
    refusal.plugin = reason.first;
    refusal.reason = reason.second;
    listing.refusals.push_back(std::move(refusal));
  }
  std::ranges::stable_sort(listing.refusals, std::greater(), &NodeListing::Refusal::pods);
}

}  // namespace

Result<NodeListing> ListNode(const scheduler::Core& core, const std::string& node, size_t limit) {
  const cluster::NodeTable& nodes = core.cluster().nodes();
  cluster::NodeSlot slot;
  if (!nodes.Find(node, slot) || nodes.has_node[slot.index] == 0) {
    return Fail(Code::kNotFound, fmt::format("node {}: not found", node));
  }
  std::vector<cluster::PodPtr> pods = nodes.pods[slot.index].pods;
  std::ranges::sort(pods, {}, [](const cluster::PodPtr& pod) { return std::tie(pod->ns(), pod->name); });
  NodeListing answer{.node = node, .count = pods.size(), .pods = {}, .refusals = {}};
  if (pods.size() > limit) pods.resize(limit);
  for (const cluster::PodPtr& pod : pods) {
    const api::OwnerReference& owner = pod->pod_template->controller;
    answer.pods.push_back({.ns = pod->ns(),
                           .name = pod->name,
                           .owner = owner.kind.empty() ? "" : fmt::format("{} {}", owner.kind, owner.name),
                           .priority = pod->priority(),
                           .requests = pod->requests()});
  }
  AddRefusals(core, slot, answer);
  return answer;
}

void WriteNodeListing(api::JsonWriter& json, const NodeListing& answer) {
  json.BeginObject().Key("node").String(answer.node).Key("podCount").UInt(answer.count).Key("pods").BeginArray();
  for (const NodeListing::Pod& pod : answer.pods) {
    json.BeginObject().Key("namespace").String(pod.ns).Key("name").String(pod.name).Text("owner", pod.owner);
    json.Key("priority").Int(pod.priority).Key("requests").BeginObject();
    const auto amount = [&](std::string_view name, int64_t value) {
      if (value != 0) json.Key(name).Int(value);
    };
    amount("cpu", pod.requests.cpu_milli);
    amount("memory", pod.requests.memory_bytes);
    amount("ephemeral-storage", pod.requests.ephemeral_bytes);
    for (const auto& [name, value] : pod.requests.scalars) amount(name->text, value);
    json.EndObject().EndObject();
  }
  json.EndArray().Key("allWaiting").Bool(answer.all_waiting).Key("refused").BeginArray();
  for (const NodeListing::Refusal& refusal : answer.refusals) {
    json.BeginObject().Text("plugin", refusal.plugin).Key("reason").String(refusal.reason);
    json.Key("pods").UInt(refusal.pods).Key("examples").BeginArray();
    for (const std::string& name : refusal.examples) json.String(name);
    json.EndArray().EndObject();
  }
  json.EndArray().EndObject();
}

}  // namespace berth::explain
