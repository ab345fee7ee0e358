// SPDX-License-Identifier: Apache-2.0
#include "web/queue_summary.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "api/document/json_writer.h"

namespace berth::web {
namespace {

using queue::QueuedPod;
using scheduler::Core;

enum State : uint8_t { kActive, kBackoff, kUnschedulable, kGated, kAwaitsGroup, kBinding, kStates };
constexpr std::array<std::string_view, kStates> kStateNames = {"active", "backoff",     "unschedulable",
                                                               "gated",  "awaitsGroup", "binding"};
// Pods younger than these, and older ones.
constexpr std::array<Duration, 4> kAges = {Seconds(10), Minutes(1), Minutes(10), Minutes(60)};

// Pods by age.
struct Ages {
  size_t pods = 0;
  std::array<size_t, kAges.size() + 1> counts{};
  std::optional<Time> oldest;

  void Add(std::optional<Time> since, Time now) {
    ++pods;
    if (!since) return;
    const auto age = std::ranges::find_if(kAges, [&](Duration limit) { return now - *since < limit; });
    ++counts[static_cast<size_t>(age - kAges.begin())];
    if (!oldest || *since < *oldest) oldest = since;
  }
};

struct Reason {
  std::string plugin;  // Empty: no plugin is to blame.
  std::string text;    // Empty: the plugin has said none.
  auto operator<=>(const Reason&) const = default;
};

struct Turned {
  size_t pods = 0;
  size_t nodes_max = 0;  // That one pod was turned down by, at most.
  std::vector<std::string> examples;
};

// A pod is kept while the core may forget it. REQUIRES: dropped where the core may be touched.
struct Waiting {
  cluster::PodPtr pod;
  State state;
  queue::PluginSet plugins;  // That turned it down or hold it back.
};

std::vector<Waiting> Collect(const Core& core) {
  const queue::SchedulingQueue& queue = core.queue();
  std::vector<Waiting> all;
  const auto add = [&](const QueuedPod& entity, State state) {
    entity.ForEach([&](const QueuedPod& own) { all.push_back({own.pod, state, own.rejectors()}); });
  };
  for (const QueuedPod* pod : queue.active().pods()) add(*pod, kActive);
  for (const QueuedPod* pod : queue.backoff().rejected().pods()) add(*pod, kBackoff);
  for (const QueuedPod* pod : queue.backoff().failed().pods()) add(*pod, kBackoff);
  queue.unschedulable().ForEach([&](const QueuedPod& pod) { add(pod, pod.is_gated() ? kGated : kUnschedulable); });
  queue.incomplete().ForEach([&](const QueuedPod& pod) { add(pod, kAwaitsGroup); });
  queue.pending().ForEach([&](const QueuedPod& pod) { add(pod, kAwaitsGroup); });
  return all;
}

// The reasons of one pod, each with the number of nodes that were turned down for it.
std::map<Reason, size_t> ReasonsOf(const Core& core, const Waiting& waiting) {
  std::map<Reason, size_t> reasons;
  const scheduler::DecisionRecords& records = core.records();
  const auto add = [&](const scheduler::RecordedRejection& rejection) {
    const std::string plugin(rejection.plugin ? records.PluginName(*rejection.plugin) : "");
    for (const std::string& text : rejection.reasons) reasons[{plugin, text}] += rejection.nodes.size();
  };
  const std::vector<const scheduler::AttemptRecord*> attempts = records.Of(waiting.pod->uid);
  if (!attempts.empty() && waiting.state != kGated) {
    const scheduler::AttemptRecord& last = *attempts.back();
    if (last.verdicts != nullptr) std::ranges::for_each(last.verdicts->rejections, add);
    if (last.verdicts != nullptr && last.verdicts->absent) add(*last.verdicts->absent);
    if (reasons.empty() && last.message != nullptr) reasons[{"", *last.message}] = 0;
  }
  if (!reasons.empty()) return reasons;
  waiting.plugins.AnyOf([&](queue::PluginId plugin) {
    reasons[{std::string(records.PluginName(plugin)), ""}] = 0;
    return false;
  });
  return reasons;
}

void WriteStates(api::JsonWriter& json, const std::array<Ages, kStates>& states) {
  json.Key("states").BeginObject();
  for (size_t i = 0; i < kStates; ++i) {
    json.Key(kStateNames[i]).BeginObject().Key("pods").UInt(states[i].pods);
    if (states[i].oldest) {
      json.Key("oldest").String(FormatTime(*states[i].oldest)).Key("ages").BeginArray();
      for (const size_t count : states[i].counts) json.UInt(count);
      json.EndArray();
    }
    json.EndObject();
  }
  json.EndObject();
}

void WriteReasons(api::JsonWriter& json, const std::map<Reason, Turned>& reasons) {
  std::vector<const std::pair<const Reason, Turned>*> sorted;
  for (const auto& entry : reasons) sorted.push_back(&entry);
  std::ranges::sort(sorted, [](const auto* a, const auto* b) {
    return a->second.pods != b->second.pods ? a->second.pods > b->second.pods : a->first < b->first;
  });
  if (sorted.size() > QueueSummary::kReasonsMax) sorted.resize(QueueSummary::kReasonsMax);
  json.Key("reasonCount").UInt(reasons.size()).Key("reasons").BeginArray();
  for (const auto* entry : sorted) {
    const auto& [reason, turned] = *entry;
    json.BeginObject().Text("plugin", reason.plugin).Text("reason", reason.text);
    json.Key("pods").UInt(turned.pods).Key("nodes").UInt(turned.nodes_max).Key("examples").BeginArray();
    for (const std::string& name : turned.examples) json.String(name);
    json.EndArray().EndObject();
  }
  json.EndArray();
}

}  // namespace

Result<QueueSummary> SummarizeQueue(const Core& core, explain::Pacer& pacer, Time now) {
  std::array<Ages, kStates> states;
  std::map<Reason, Turned> reasons;
  const std::vector<Waiting> all = Collect(core);
  for (const Waiting& waiting : all) {
    states[waiting.state].Add(waiting.pod->creation_timestamp, now);
    for (auto& [reason, nodes] : ReasonsOf(core, waiting)) {
      Turned& turned = reasons[reason];
      ++turned.pods;
      turned.nodes_max = std::max(turned.nodes_max, nodes);
      if (turned.examples.size() < QueueSummary::kExamplesMax) turned.examples.push_back(waiting.pod->full_name());
    }
    BERTH_CHECK_OK(pacer.Pause());
  }
  states[kBinding].pods = core.bindings().size();
  api::JsonWriter json;
  json.BeginObject();
  WriteStates(json, states);
  json.Key("attempts").Int(core.queue().scheduling_cycle());
  json.Key("podsOnNodes").UInt(core.cluster().pod_count());
  WriteReasons(json, reasons);
  json.EndObject();
  return QueueSummary{.json = json.Take(), .pods = all.size()};
}

}  // namespace berth::web
