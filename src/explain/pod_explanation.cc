// SPDX-License-Identifier: Apache-2.0
#include "explain/pod_explanation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace berth::explain {
namespace {

using Where = QueuePlace::Where;

std::string WaitingSummary(const PodExplanation& pod) {
  const std::string plugins = fmt::format("{}", fmt::join(pod.place.waits_for, ", "));
  switch (pod.place.where) {
    case Where::kActive: return fmt::format("is number {} of {} to be tried", pod.place.place, pod.place.length);
    case Where::kBackoff: return fmt::format("was turned down by {} and backs off", plugins);
    case Where::kErrorBackoff: return "backs off after an internal error";
    case Where::kUnschedulable: return fmt::format("fits nowhere for {}, and waits for a change", plugins);
    case Where::kGated: return fmt::format("is held back by {}", plugins);
    case Where::kNoGroup: return "waits for an object of its group";
    case Where::kGroupTried: return "waits for the end of its group's attempt";
    case Where::kExtenders: return "is being tried: extenders are asked";
    case Where::kPermit: return fmt::format("has a node and waits for {}", plugins);
    case Where::kBinding: return "has a node and is being bound";
    case Where::kNowhere: return "is not to be scheduled by this scheduler";
  }
  return {};
}

}  // namespace

Result<PodExplanation> ExplainPod(const scheduler::Core& core, const PodQuestion& question, Time now) {
  const std::string full_name = question.ns + "/" + question.name;
  const cluster::PodPtr pod = core.pods().Find(full_name);
  if (pod == nullptr) return Fail(Code::kNotFound, fmt::format("pod {}: not found", full_name));
  PodExplanation answer;
  answer.ns = pod->ns();
  answer.name = pod->name;
  answer.uid = pod->uid;
  answer.priority = pod->priority();
  answer.scheduler_name = pod->spec().scheduler_name;
  answer.node = pod->node_name;
  answer.nominated_node = pod->nominated_node_name;
  answer.place = PlaceOf(core, *pod, now);
  const bool waits = pod->node_name.empty();
  answer.summary = waits ? WaitingSummary(answer) : fmt::format("is on node {}", pod->node_name);
  const std::vector<const scheduler::AttemptRecord*> records = core.records().Of(pod->uid);
  for (auto record = records.rbegin(); record != records.rend(); ++record) {
    answer.attempts.push_back(Explain(core, **record, question.limit));
  }
  if (!core.records().is_on()) {
    answer.notes.emplace_back("this scheduler keeps no records of attempts (--decision-records=0)");
  } else if (records.empty() && (!waits || answer.place.attempts > 0)) {
    answer.notes.emplace_back("no attempt is remembered: another scheduler made it, or it was too long ago");
  }
  if (records.empty()) return answer;
  const scheduler::AttemptRecord& last = *records.back();
  if (last.group != nullptr && (!question.why_not.empty() || question.all_nodes)) {
    answer.notes.emplace_back("attempts of groups are not remembered node by node");
    return answer;
  }
  if (!question.why_not.empty()) answer.why_not = FindNode(core, last, question.why_not);
  if (question.all_nodes) answer.nodes = FindNodes(core, last);
  return answer;
}

void WritePodExplanation(api::JsonWriter& json, const PodExplanation& answer) {
  json.BeginObject().Key("pod").BeginObject();
  json.Key("namespace").String(answer.ns).Key("name").String(answer.name).Key("uid").String(answer.uid);
  json.Key("priority").Int(answer.priority).Key("schedulerName").String(answer.scheduler_name);
  json.Text("node", answer.node).Text("nominatedNode", answer.nominated_node).EndObject();
  json.Key("summary").String(answer.summary).Key("queue");
  WritePlace(json, answer.place);
  json.Key("attempts").BeginArray();
  for (const Explanation& attempt : answer.attempts) WriteExplanation(json, attempt);
  json.EndArray();
  const std::vector<Explanation::ScorePlugin> plugins =
      answer.attempts.empty() ? std::vector<Explanation::ScorePlugin>() : answer.attempts.front().score_plugins;
  if (answer.why_not) WriteFinding(json.Key("whyNot"), *answer.why_not, plugins);
  if (!answer.nodes.empty()) {
    json.Key("nodes").BeginArray();
    for (const NodeFinding& finding : answer.nodes) WriteFinding(json, finding, plugins);
    json.EndArray();
  }
  json.Key("notes").BeginArray();
  for (const std::string& note : answer.notes) json.String(note);
  json.EndArray().EndObject();
}

}  // namespace berth::explain
