// SPDX-License-Identifier: Apache-2.0
#include "conformance/queue_writer.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace berth::conformance {
namespace {

using queue::QueuedPod;

class QueueWriter {
 public:
  QueueWriter(const queue::PluginNames& names, const cluster::PodGroups& groups, Time start, api::JsonWriter& json)
      : names_(names), groups_(groups), start_(start), json_(json) {}

  // `pods` in the order of `less`.
  template <class Less>
  void List(std::string_view key, std::vector<QueuedPod*> pods, Less less, bool with_expiry) {
    std::ranges::sort(pods, [&](const QueuedPod* a, const QueuedPod* b) { return less(*a, *b); });
    json_.Key(key).BeginArray();
    for (const QueuedPod* pod : pods) Pod(*pod, with_expiry);
    json_.EndArray();
  }
  void Strings(std::string_view key, std::vector<std::string> values, bool sorted) {
    if (sorted) std::ranges::sort(values);
    json_.Key(key).BeginArray();
    for (const std::string& value : values) json_.String(value);
    json_.EndArray();
  }

 private:
  void Pod(const QueuedPod& pod, bool with_expiry, bool is_member = false) {
    json_.BeginObject();
    if (pod.group == nullptr) {
      json_.Key("pod").String(pod.key);
    } else {
      Group(*pod.group);
    }
    if (groups_.enabled() && !is_member) json_.Key("priority").Int(pod.ForSort().priority);
    json_.Key("attempts").Int(pod.attempts);
    json_.Key("unschedulableCount").Int(pod.unschedulable_count).Key("consecutiveErrors").Int(pod.consecutive_errors);
    json_.Key("timestampMs").Int(Millis(pod.timestamp));
    if (with_expiry) json_.Key("expiryMs").Int(Millis(pod.backoff_expiry));
    Strings("unschedulablePlugins", Names(pod.unschedulable_plugins), true);
    Strings("pendingPlugins", Names(pod.pending_plugins), true);
    if (pod.gating_plugin) json_.Key("gatingPlugin").String(names_.name(*pod.gating_plugin));
    json_.Key("flushed").Bool(pod.was_flushed).EndObject();
  }
  void Group(const queue::QueuedGroup& group) {
    json_.Key("group").String(group.root.ns + "/" + group.root.name);
    const api::GroupSpec* spec = groups_.SpecOf(group.root);
    if (!group.root.is_composite && spec != nullptr) json_.Key("minCount").Int(spec->min_count.value_or(0));
    json_.Key("members").BeginObject();
    for (const auto& [name, members] : group.members) {
      json_.Key(name).BeginArray();
      for (const auto& member : members) Pod(*member, false, true);
      json_.EndArray();
    }
    json_.EndObject();
  }
  int64_t Millis(Time time) const { return (time - start_).nanos / Milliseconds(1).nanos; }
  std::vector<std::string> Names(queue::PluginSet plugins) const {
    std::vector<std::string> names;
    plugins.AnyOf([&](queue::PluginId plugin) {
      names.push_back(names_.name(plugin));
      return false;
    });
    return names;
  }

  const queue::PluginNames& names_;
  const cluster::PodGroups& groups_;
  Time start_;
  api::JsonWriter& json_;
};

std::vector<std::string> MemberNames(const queue::WaitingMembers& members) {
  std::vector<std::string> names;
  members.ForEach([&](const QueuedPod& member) { names.push_back(member.key); });
  return names;
}

std::string LogEntry(const queue::InFlight::Entry& entry) {
  using Kind = queue::InFlight::Entry::Kind;
  switch (entry.kind) {
    case Kind::kPop: return "pod:" + entry.uid;
    case Kind::kForceActivate: return "ForceActivate";
    case Kind::kUnschedulableTimeout: return "UnschedulableTimeout";
    case Kind::kChange: break;
  }
  return std::string(framework::ToString(entry.change.event.resource)) + "/" +
         framework::ActionToString(entry.change.event.action);
}

void WriteInFlight(const queue::InFlight& in_flight, bool by_name, QueueWriter& writer) {
  std::vector<std::string> log;
  std::vector<std::string> uids;
  for (const queue::InFlight::Entry& entry : in_flight.log()) {
    log.push_back(LogEntry(entry));
    if (entry.kind == queue::InFlight::Entry::Kind::kPop) uids.push_back(entry.uid);
  }
  // Members of one group are popped together.
  for (auto begin = log.begin(); begin != log.end();) {
    const auto is_event = [](const std::string& entry) { return !entry.starts_with("pod:"); };
    const auto end = std::find_if(begin, log.end(), is_event);
    if (by_name) std::sort(begin, end);
    begin = end == log.end() ? end : end + 1;
  }
  writer.Strings("inFlight", std::move(uids), true);
  writer.Strings("inFlightEvents", std::move(log), false);
}

}  // namespace

void WriteQueueState(const queue::SchedulingQueue& queue, const queue::PluginNames& names,
                     const cluster::Cluster& cluster, Time start, api::JsonWriter& json) {
  QueueWriter writer(names, cluster.groups, start, json);
  const auto name_of = [](const QueuedPod& pod) {
    return pod.group == nullptr ? pod.key : pod.group->root.ns + "/" + pod.group->root.name;
  };
  const auto by_name = [&](const QueuedPod& a, const QueuedPod& b) { return name_of(a) < name_of(b); };
  // Pods before groups.
  const auto by_kind = [&](const QueuedPod& a, const QueuedPod& b) {
    return std::pair(a.group != nullptr, name_of(a)) < std::pair(b.group != nullptr, name_of(b));
  };
  const auto by_expiry = [&](const QueuedPod& a, const QueuedPod& b) {
    return a.backoff_expiry != b.backoff_expiry ? a.backoff_expiry < b.backoff_expiry : by_name(a, b);
  };
  writer.List("active", queue.active().pods(), queue.active().order(), false);
  writer.List("backoff", queue.backoff().rejected().pods(), queue.backoff().rejected().order(), true);
  writer.List("errorBackoff", queue.backoff().failed().pods(), by_expiry, true);
  std::vector<QueuedPod*> waiting;
  std::vector<QueuedPod*> gated;
  queue.unschedulable().ForEach([&](QueuedPod& pod) { (pod.is_gated() ? gated : waiting).push_back(&pod); });
  writer.List("unschedulable", std::move(waiting), by_kind, false);
  writer.List("gated", std::move(gated), by_kind, false);
  WriteInFlight(queue.in_flight(), cluster.groups.enabled(), writer);
  if (cluster.groups.enabled()) {
    writer.Strings("pendingMembers", MemberNames(queue.pending()), true);
    writer.Strings("incompleteMembers", MemberNames(queue.incomplete()), true);
  }
  json.Key("schedulingCycle").Int(queue.scheduling_cycle());
  json.Key("nominated").BeginObject();
  for (const auto& [node, pods] : cluster.nominated.by_node()) {
    std::vector<std::string> pod_names;
    for (const cluster::PodPtr& pod : pods) pod_names.push_back(pod->full_name());
    writer.Strings(node, std::move(pod_names), false);
  }
  json.EndObject();
  writer.Strings("assumed", cluster.assumed_uids(), true);
}

}  // namespace berth::conformance
