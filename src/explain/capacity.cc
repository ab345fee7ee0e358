// SPDX-License-Identifier: Apache-2.0
#include "explain/capacity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "cluster/node_table.h"
#include "explain/text_list.h"
#include "explain/utilization.h"
#include "explain/wrapped_text.h"
#include "framework/plugin.h"
#include "plugins/helpers/zone_labels.h"

namespace berth::explain {
namespace {

using api::Json;
using cluster::NodeSlot;

constexpr std::string_view kInstanceLabel = "node.kubernetes.io/instance-type";

// Whose verdict on a node does not change with the pods on other nodes, and that is not about anything but what
// RoomOn counts.
constexpr std::array<std::string_view, 7> kLocal = {"NodeName",        "NodeUnschedulable", "NodeDeclaredFeatures",
                                                    "NodeAffinity",    "TaintToleration",   "NodePorts",
                                                    "NodeResourcesFit"};

bool IsLocal(const framework::Profile& profile, const framework::Cycle& cycle) {
  for (size_t i = 0; i < profile.plugin_count(); ++i) {
    const framework::Plugin& plugin = profile.plugin(i);
    if (cycle.skip_filter()[i] != 0 || dynamic_cast<const framework::FilterPlugin*>(&plugin) == nullptr) continue;
    if (std::ranges::find(kLocal, plugin.name()) == kLocal.end()) return false;
  }
  return profile.Find("NodeResourcesFit") != nullptr;
}

struct Room {
  int64_t count = std::numeric_limits<int64_t>::max();
  std::string end;

  void Bound(int64_t allocatable, int64_t requested, int64_t each, std::string_view reason) {
    if (each <= 0) return;
    const int64_t fits = std::max<int64_t>(0, cluster::WrapSub(allocatable, requested) / each);
    if (fits < count) {
      count = fits;
      end = reason;
    }
  }
};

Room RoomOn(const cluster::NodeTable& nodes, NodeSlot slot, const cluster::PodTemplate& pod) {
  const uint32_t i = slot.index;
  const cluster::Resources& each = pod.requests;
  Room room;
  room.Bound(nodes.allocatable_pods[i], nodes.pod_count[i], 1, "Too many pods");
  room.Bound(nodes.allocatable_cpu[i], nodes.requested_cpu[i], each.cpu_milli, "Insufficient cpu");
  room.Bound(nodes.allocatable_memory[i], nodes.requested_memory[i], each.memory_bytes, "Insufficient memory");
  room.Bound(nodes.allocatable_ephemeral[i], nodes.requested_ephemeral[i], each.ephemeral_bytes,
             "Insufficient ephemeral-storage");
  for (const auto& [name, amount] : each.scalars) {
    const cluster::ScalarColumn* column = nodes.Scalar(name->id);
    room.Bound(column == nullptr ? 0 : column->allocatable[i], nodes.Requested(slot, name->id), amount,
               "Insufficient " + name->text);
  }
  if (!pod.host_ports.empty()) room.Bound(1, 0, 1, "node(s) didn't have free ports for the requested pod ports");
  return room;
}

void AddVerdicts(const framework::Candidates& candidates, CapacityAnswer& answer) {
  candidates.ForEachVerdict([&](const framework::Verdict& verdict, size_t count) {
    for (const std::string& reason : candidates.reasons().reasons(verdict.reason))
      answer.ends[reason] += static_cast<int64_t>(count);
  });
}

class Count {
 public:
  Count(Surroundings& surroundings, int64_t limit) : surroundings_(surroundings), limit_(limit) {}

  // Nothing if the pod looks beyond its node.
  Result<std::optional<CapacityAnswer>> ByNode(const api::Pod& pod, Pacer& pacer) {
    scheduler::Core& core = surroundings_.core();
    const cluster::PodPtr made = core.MakePod(pod);
    const framework::Profile* profile = core.policy().ProfileOf(*made);
    if (profile == nullptr) return Invalid("no profile has the scheduler name " + pod.spec.scheduler_name);
    const std::unique_ptr<framework::Cycle> cycle = core.MakeCycle(*profile, made, surroundings_.now());
    framework::Candidates& candidates = cycle->candidates();
    candidates.Reset(cycle->order(), cycle->nodes().slot_limit());
    const framework::PreFilterOutcome outcome = profile->RunPreFilter(*cycle);
    if (!IsLocal(*profile, *cycle) || outcome.node_names) return std::nullopt;
    CapacityAnswer answer;
    if (!outcome.status.ok()) {
      for (const std::string& reason : outcome.status.reasons) {
        answer.ends[reason] = static_cast<int64_t>(cycle->order().size());
      }
      return answer;
    }
    profile->RunFilters(*cycle, candidates);
    if (!candidates.error().ok()) return Fail(Code::kInternal, candidates.error().message());
    BERTH_CHECK_OK(pacer.Pause());
    AddVerdicts(candidates, answer);
    for (const NodeSlot slot : candidates.nodes()) {
      const Room room = RoomOn(core.cluster().nodes(), slot, *made->pod_template);
      answer.count += room.count;
      ++answer.ends[room.end];
      Place(slot, room.count, answer);
    }
    return answer;
  }

  Result<CapacityAnswer> OneByOne(const std::vector<api::Pod>& mix, Pacer& pacer) {
    CapacityAnswer answer;
    for (; answer.count < limit_; ++answer.count) {
      for (const api::Pod& pod : mix) {
        BERTH_CHECK_OK(pacer.Pause());
        if (!BERTH_TRY(Put(pod, answer))) return answer;
      }
    }
    answer.is_limited = true;
    return answer;
  }

 private:
  void Place(NodeSlot slot, int64_t count, CapacityAnswer& answer) const {
    if (count == 0) return;
    const api::Node& node = *surroundings_.core().cluster().nodes().node[slot.index];
    answer.nodes[node.meta.name] += count;
    answer.zones[std::string(node.meta.labels.Get(plugins::kZoneLabel))] += count;
    answer.classes[NodeClass(node)] += count;
  }

  // False if it fits nowhere.
  Result<bool> Put(api::Pod pod, CapacityAnswer& answer) {
    scheduler::Core& core = surroundings_.core();
    pod.meta.name = fmt::format("capacity-{}", ++made_);
    pod.meta.uid = pod.meta.name;
    pod.spec.preemption_policy = "Never";
    const std::string name = api::FullName(pod.meta);
    surroundings_.Tell(scheduler::PutObject{std::move(pod)});
    surroundings_.Tell(scheduler::ScheduleNext{name});
    const auto& attempt = core.last_attempt();
    if (!attempt || attempt->pod->full_name() != name) {
      return Invalid("the pod is not tried: it is gated, or of another scheduler");
    }
    if (const cluster::PodPtr placed = core.cluster().FindPod(attempt->pod->uid)) {
      NodeSlot slot;
      if (core.cluster().nodes().Find(placed->node_name, slot)) Place(slot, 1, answer);
      return true;
    }
    const framework::Diagnosis& diagnosis = attempt->decision.diagnosis;
    if (diagnosis.candidates != nullptr) AddVerdicts(*diagnosis.candidates, answer);
    if (answer.ends.empty()) ++answer.ends[attempt->decision.full_message];
    return false;
  }

  Surroundings& surroundings_;
  const int64_t limit_;
  size_t made_ = 0;
};

Json MapJson(const std::map<std::string, int64_t>& map, std::string_view key, std::string_view value) {
  Json list = Json::MakeList();
  for (const auto& [name, count] : map) {
    Json one = Json::MakeMap();
    one.Set(key, std::string_view(name));
    one.Set(value, Json::Int(count));
    list.Append(std::move(one));
  }
  return list;
}

void AddLines(const Json& list, std::string_view title, std::string_view key, size_t shown_max, std::string& text) {
  if (list.empty()) return;
  text += fmt::format("{}\n", title);
  std::vector<const Json*> lines;
  for (const Json& line : list.items()) lines.push_back(&line);
  std::ranges::stable_sort(lines, std::greater(), [](const Json* line) { return (*line)["count"].IntOr(0); });
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i == shown_max) {
      text += fmt::format("  and {} more\n", lines.size() - shown_max);
      break;
    }
    const std::string& name = (*lines[i])[key].text();
    text += Wrapped(fmt::format("{:>8} {}", (*lines[i])["count"].text(), name.empty() ? "(none)" : name), 0);
  }
}

}  // namespace

std::string NodeClass(const api::Node& node) {
  if (const std::string* type = node.meta.labels.Find(kInstanceLabel)) return *type;
  const api::Quantity* cpu = node.allocatable.Find("cpu");
  const api::Quantity* memory = node.allocatable.Find("memory");
  return fmt::format("{} cpu, {}", FormatCpu(cpu == nullptr ? 0 : cpu->MilliValue()),
                     FormatBytes(memory == nullptr ? 0 : memory->Value()));
}

Result<CapacityQuestion> ParseCapacityQuestion(const Json& body) {
  CapacityQuestion question;
  if (!body.is_map()) return Invalid("question: must be an object");
  for (const Json::Member& member : body.members()) {
    if (member.name != "pods" && member.name != "limit") {
      return Invalid(fmt::format("question: unknown field \"{}\"", member.name));
    }
  }
  if (!body["pods"].is_list() || body["pods"].empty()) return Invalid("pods: must be a list of manifests");
  if (body["pods"].size() > kMixMax) return Invalid(fmt::format("pods: has more than {}", kMixMax));
  question.pods = body["pods"].items();
  if (body.Has("limit")) {
    question.limit = body["limit"].IntOr(0);
    if (question.limit < 1 || question.limit > kCapacityLimit) {
      return Invalid(fmt::format("limit: must be a number from 1 to {}", kCapacityLimit));
    }
  }
  return question;
}

Json ToJson(const CapacityQuestion& question) {
  return Json{{"pods", Json::MakeList(question.pods)}, {"limit", Json::Int(question.limit)}};
}

Result<CapacityAnswer> FindCapacity(Surroundings& surroundings, const CapacityQuestion& question, Pacer& pacer) {
  std::vector<api::Pod> mix;
  for (size_t i = 0; i < question.pods.size(); ++i) {
    Result<api::Pod> pod = surroundings.Complete(question.pods[i]);
    if (!pod) return Fail(pod.error().code, fmt::format("pods[{}]: {}", i, pod.error().message));
    mix.push_back(*std::move(pod));
  }
  Count count(surroundings, question.limit);
  std::optional<CapacityAnswer> counted;
  if (mix.size() == 1) counted = BERTH_TRY(count.ByNode(mix.front(), pacer));
  CapacityAnswer answer = counted ? *std::move(counted) : BERTH_TRY(count.OneByOne(mix, pacer));
  answer.notes = surroundings.notes();
  return answer;
}

Json ToJson(const CapacityAnswer& answer) {
  return Json{{"count", Json::Int(answer.count)},
              {"limited", Json::Bool(answer.is_limited)},
              {"nodes", MapJson(answer.nodes, "node", "count")},
              {"zones", MapJson(answer.zones, "zone", "count")},
              {"nodeClasses", MapJson(answer.classes, "nodeClass", "count")},
              {"ends", MapJson(answer.ends, "reason", "count")},
              {"notKnown", TextList(answer.notes)}};
}

std::string CapacityText(const Json& answer) {
  constexpr size_t kNodesShown = 10;
  std::string text = fmt::format("room for {}{}\n", answer["count"].text(),
                                 answer["limited"].AsBool() ? " or more: counting ended there" : "");
  AddLines(answer["zones"], "by zone", "zone", kNodesShown, text);
  AddLines(answer["nodeClasses"], "by kind of node", "nodeClass", kNodesShown, text);
  AddLines(answer["nodes"], "by node", "node", kNodesShown, text);
  AddLines(answer["ends"], "what ends it, and on how many nodes", "reason", kNodesShown, text);
  return text;
}

}  // namespace berth::explain
