// SPDX-License-Identifier: Apache-2.0
// One attempt of the core with the product's extender client, against scripted extenders.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <string>

#include "api/decode/decode.h"
#include "api/source.h"
#include "base/overloaded.h"
#include "client/orders/extender_caller.h"
#include "config/config.h"
#include "conformance/decision_writer.h"
#include "conformance/kinds.h"
#include "conformance/scripted_extenders.h"
#include "conformance/silent_observer.h"
#include "net/event_loop.h"
#include "plugins/registry.h"
#include "scheduler/core.h"

namespace berth::conformance {
namespace {

using framework::ExtenderConfiguration;
using scheduler::Decision;
using scheduler::EffectAnswer;

constexpr std::string_view kPlaceholder = "${EXTENDER}";

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) text.replace(at, from.size(), to);
  return text;
}

void WriteVictims(api::JsonWriter& json, std::string_view key,
                  const std::vector<framework::PreemptionCandidate>& candidates, const cluster::NodeTable& nodes) {
  json.Key(key).BeginObject();
  for (const framework::PreemptionCandidate& candidate : candidates) {
    json.Key(nodes.name[candidate.node.index]).BeginObject();
    WriteNames(json, "pods", VictimNames(candidate));
    json.Key("numPDBViolations").Int(candidate.pdb_violations).EndObject();
  }
  json.EndObject();
}

// Where upstream has nothing to draw by, it takes what is on top of a heap of the nodes: Go's container/heap, the
// highest total first. Berth's chooser may take any of the best.
size_t HeapTop(const std::vector<int64_t>& totals) {
  std::vector<size_t> heap(totals.size());
  std::iota(heap.begin(), heap.end(), size_t{0});
  const auto is_before = [&](size_t a, size_t b) { return totals[heap[a]] > totals[heap[b]]; };
  for (size_t root = heap.size() / 2; root-- > 0;) {
    for (size_t at = root, child = 0; (child = 2 * at + 1) < heap.size(); at = child) {
      if (child + 1 < heap.size() && is_before(child + 1, child)) ++child;
      if (!is_before(child, at)) break;
      std::swap(heap[at], heap[child]);
    }
  }
  return heap[0];
}

// Whether a preemption answer has several mistakes, of which upstream reports one by chance. It finds nodes and pods
// that are not there before nodes without victims.
bool HasSeveralMistakes(std::string_view preempt_answer, const cluster::NodeTable& nodes) {
  const Result<scheduler::PreemptAnswer> answer = scheduler::DecodePreemptAnswer(preempt_answer);
  if (!answer) return false;
  size_t unknown = 0;
  size_t empty = 0;
  for (const auto& [name, victims] : *answer) {
    cluster::NodeSlot slot;
    const bool is_known =
        nodes.Find(name, slot) && std::ranges::all_of(victims.uids, [&](const std::string& uid) {
          return std::ranges::any_of(nodes.pods[slot.index].pods, [&](const auto& pod) { return pod->uid == uid; });
        });
    if (!is_known) {
      ++unknown;
    } else if (victims.uids.empty()) {
      ++empty;
    }
  }
  return unknown > 1 || (unknown == 0 && empty > 1);
}

class SkipObserver final : public SilentObserver {
 public:
  std::vector<framework::SkippedExtender> skipped;

 private:
  void ExtenderSkipped(const cluster::PodInfo&, const framework::SkippedExtender& one) override {
    skipped.push_back(one);
  }
};

class ExtenderRun {
 public:
  explicit ExtenderRun(api::Value record) : record_(record), servers_(loop_, record["script"]) {}

  // One JSON object.
  std::string Run();

 private:
  Result<void> Prepare();
  void Step(decltype(scheduler::Input::what) what);
  void Answer(EffectAnswer answer) {
    loop_.Post([this, answer = std::move(answer)] { Step(answer); });
  }
  void CarryOut(uint64_t id, framework::Effect& effect);
  void Conclude(std::string outcome);

  void WriteDecision(const scheduler::Core::LastAttempt& attempt);
  void WriteChoice(const Decision& decision);
  void WriteExtenderScores(const Decision& decision);
  void WriteRejections(const scheduler::Core::LastAttempt& attempt);
  void WritePreemption(const scheduler::Core::LastAttempt& attempt);
  void WriteEnd();
  const std::string& Url(size_t extender) const { return configuration_.extenders[extender].url_prefix; }

  const api::Value record_;
  net::EventLoop loop_;
  ScriptedExtenders servers_;
  framework::FeatureGates gates_;
  framework::SchedulerConfiguration configuration_;
  std::unique_ptr<client::ExtenderCaller> caller_;
  SkipObserver observer_;
  std::unique_ptr<scheduler::Core> core_;
  api::JsonWriter json_;
  std::string preempt_answer_;  // The last one.
  std::string outcome_;
  std::string nominated_before_;
  std::optional<std::string> posted_binding_;  // To which node.
  std::string suggested_;
  std::optional<framework::PatchPodStatus> status_;
};

std::string ExtenderRun::Run() {
  json_.BeginObject();
  if (const Result<void> prepared = Prepare(); !prepared) {
    json_.Key("configError").String(prepared.error().message);
  } else {
    const auto guard = loop_.After(Minutes(1), [this] { Conclude("nothing within a minute"); });
    loop_.Post([this] { Step(scheduler::ScheduleNext{}); });
    loop_.Run();
    loop_.Cancel(guard);
    WriteEnd();
  }
  servers_.WriteRequests(json_);
  return Replaced(json_.EndObject().Take(), servers_.url(), kPlaceholder);
}

Result<void> ExtenderRun::Prepare() {
  configuration_ = BERTH_TRY(config::Load(Replaced(record_["config"].ToJson(), kPlaceholder, servers_.url()), gates_));
  // The recordings look at all nodes.
  configuration_.percentage_of_nodes_to_score.reset();
  for (framework::ProfileConfiguration& profile : configuration_.profiles) profile.percentage_of_nodes_to_score.reset();
  caller_ = BERTH_TRY(client::ExtenderCaller::Create(loop_, configuration_.extenders, {}));
  core_ = BERTH_TRY(scheduler::Core::Create(configuration_, plugins::BuiltIn(), gates_,
                                            std::make_unique<framework::SmallestNameChooser>(), loop_.Now()));
  core_->set_observer(&observer_);
  const api::Value objects = record_["objects"];
  for (size_t i = 0; i < objects.size(); ++i) {
    Result<api::Object> object = api::DecodeObject(objects[i]);
    if (!object && object.error().code == Code::kNotFound) continue;
    if (!object) return std::unexpected(object.error());
    BERTH_CHECK_OK(api::KeepSource(*object, objects[i]));
    if (const auto* pod = std::get_if<api::Pod>(&*object);
        pod != nullptr && api::FullName(pod->meta) == record_["pod"].text()) {
      nominated_before_ = pod->status.nominated_node_name;
    }
    Step(scheduler::PutObject{*std::move(object)});
  }
  return {};
}

void ExtenderRun::Step(decltype(scheduler::Input::what) what) {
  if (!outcome_.empty()) return;
  std::vector<scheduler::IssuedEffect> effects = core_->Step({loop_.Now(), std::move(what)});
  if (core_->last_attempt() && suggested_.empty()) WriteDecision(*core_->last_attempt());
  for (scheduler::IssuedEffect& issued : effects) CarryOut(issued.id, issued.effect);
}

void ExtenderRun::CarryOut(uint64_t id, framework::Effect& effect) {
  std::visit(Overloaded{
                 [&](framework::CallExtender& call) {
                   const bool preempts = call.verb == configuration_.extenders[call.extender].preempt_verb;
                   caller_->Call(id, call.extender, std::move(call.verb), std::move(call.body),
                                 [this, preempts](EffectAnswer answer) {
                                   if (preempts) preempt_answer_ = answer.message;
                                   Answer(std::move(answer));
                                 });
                 },
                 [&](const framework::CancelExtenderCall& cancel) { caller_->Cancel(cancel.id); },
                 [&](const framework::BindPod& bind) {
                   posted_binding_ = bind.node_name;
                   Answer({id, EffectAnswer::Code::kOk, ""});
                 },
                 [&](const framework::RecordEvent& event) {
                   if (event.reason == "Scheduled") Conclude("scheduled");
                 },
                 [&](const framework::PatchPodStatus& patch) {
                   status_ = patch;
                   const bool rejected = patch.condition && patch.condition->reason == "Unschedulable";
                   Conclude(rejected ? "unschedulable" : "error");
                 },
                 [&](const auto&) { Answer({id, EffectAnswer::Code::kOk, ""}); },
             },
             effect);
}

void ExtenderRun::Conclude(std::string outcome) {
  outcome_ = std::move(outcome);
  loop_.Stop();
}

void ExtenderRun::WriteDecision(const scheduler::Core::LastAttempt& attempt) {
  const Decision& decision = attempt.decision;
  switch (decision.outcome) {
    case scheduler::Outcome::kScheduled: return WriteChoice(decision);
    case scheduler::Outcome::kUnschedulable: return WriteRejections(attempt);
    default: return;
  }
}

void ExtenderRun::WriteChoice(const Decision& decision) {
  const cluster::NodeTable& nodes = core_->cluster().nodes();
  suggested_ = nodes.name[decision.node.index];
  json_.Key("suggested").String(suggested_);
  Names feasible;
  for (const cluster::NodeSlot slot : decision.feasible) feasible.push_back(nodes.name[slot.index]);
  WriteNames(json_, "feasible", feasible);
  if (decision.scores == nullptr) {
    WriteNames(json_, "best", {suggested_});
    return WriteNames(json_, "selectable", {suggested_});
  }
  WriteScores(json_, decision, nodes);
  WriteExtenderScores(decision);
  std::set<std::string> best;
  const std::vector<int64_t>& totals = decision.scores->totals;
  for (size_t i = 0; i < totals.size(); ++i) {
    if (totals[i] == *std::ranges::max_element(totals)) best.insert(feasible[i]);
  }
  WriteNames(json_, "best", {best.begin(), best.end()});
  const Names chosen_from = NodeNames(decision.best, nodes);
  const std::set<std::string> selectable(chosen_from.begin(), chosen_from.end());
  const bool some_have_entries = std::ranges::any_of(decision.extender_scores, [&](const auto& scores) {
    return std::ranges::any_of(scores.entries, [&](const auto& entry) { return selectable.contains(entry.host); });
  });
  if (some_have_entries) {
    WriteNames(json_, "selectable", {selectable.begin(), selectable.end()});
  } else {
    WriteNames(json_, "selectable", {feasible[HeapTop(totals)]});
  }
}

void ExtenderRun::WriteExtenderScores(const Decision& decision) {
  std::vector<const scheduler::ExtenderScores*> all;
  for (const scheduler::ExtenderScores& scores : decision.extender_scores) all.push_back(&scores);
  std::ranges::stable_sort(all, {}, [&](const scheduler::ExtenderScores* scores) { return Url(scores->extender); });
  json_.Key("extenderScores").BeginArray();
  for (const scheduler::ExtenderScores* scores : all) {
    for (const scheduler::HostPriority& entry : scores->entries) {
      json_.BeginObject().Key("extender").String(Url(scores->extender)).Key("node").String(entry.host);
      json_.Key("score").Int(entry.score).EndObject();
    }
  }
  json_.EndArray();
}

void ExtenderRun::WriteRejections(const scheduler::Core::LastAttempt& attempt) {
  const framework::Diagnosis& diagnosis = attempt.decision.diagnosis;
  const cluster::NodeTable& nodes = core_->cluster().nodes();
  if (diagnosis.candidates == nullptr) return;
  json_.Key("filter").BeginObject();
  for (const cluster::NodeSlot slot : core_->cluster().order()) {
    const framework::Verdict& verdict = diagnosis.candidates->verdict(slot);
    if (verdict.code == framework::StatusCode::kSuccess) continue;
    json_.Key(nodes.name[slot.index]);
    const bool has_plugin = verdict.plugin != framework::kNoPlugin;
    WriteStatus(json_, has_plugin ? attempt.profile->plugin(verdict.plugin).name() : "", verdict.code,
                diagnosis.candidates->reasons().reasons(verdict.reason));
  }
  for (const auto& [name, status] : diagnosis.strangers) {
    json_.Key(name);
    WriteStatus(json_, status);
  }
  json_.EndObject().Key("absentStatus");
  WriteStatus(json_, diagnosis.absent);
  WriteNames(json_, "unschedulablePlugins",
             {diagnosis.unschedulable_plugins.begin(), diagnosis.unschedulable_plugins.end()});
  WritePreemption(attempt);
}

void ExtenderRun::WritePreemption(const scheduler::Core::LastAttempt& attempt) {
  const cluster::NodeTable& nodes = core_->cluster().nodes();
  json_.Key("preemption").BeginObject();
  const bool has_failed = attempt.decision.post_filter->status.code == framework::StatusCode::kError;
  // Where upstream reports one of several failures, only the whole message is recorded.
  if (!(has_failed && HasSeveralMistakes(preempt_answer_, nodes))) {
    json_.Key("message").String(attempt.decision.diagnosis.post_filter_message);
  }
  const framework::PreemptionReport* report = attempt.cycle->preemption_report();
  if (report != nullptr) {
    const bool was_reviewed = !report->before_review.empty();
    WriteVictims(json_, "candidatesBeforeExtenders", was_reviewed ? report->before_review : report->candidates, nodes);
    if (report->nominated) {
      WriteVictims(json_, "candidates", report->candidates, nodes);
      const framework::PreemptionCandidate& nominated = report->candidates[*report->nominated];
      json_.Key("nominated").String(nodes.name[nominated.node.index]);
      WriteNames(json_, "acceptable", NodeNames(report->acceptable, nodes));
      WriteNames(json_, "victims", VictimNames(nominated));
    }
  }
  json_.EndObject();
}

void ExtenderRun::WriteEnd() {
  json_.Key("outcome").String(outcome_);
  if (outcome_ == "scheduled") {
    json_.Key("bind").BeginObject().Key("via").String(posted_binding_ ? "plugin" : "extender");
    json_.Key("node").String(posted_binding_.value_or(suggested_)).EndObject();
  }
  if (status_ && status_->condition) {
    json_.Key("reason").String(status_->condition->reason).Key("message").String(status_->condition->message);
  }
  if (status_ && status_->nominated_node_name && *status_->nominated_node_name != nominated_before_) {
    json_.Key("nominatedNodeName").String(*status_->nominated_node_name);
  }
  json_.Key("skipped").BeginArray();
  for (const framework::SkippedExtender& skipped : observer_.skipped) {
    json_.BeginObject().Key("extender").String(Url(skipped.extender)).Key("stage").String(skipped.stage);
    json_.Text("error", skipped.error).Text("node", skipped.node).EndObject();
  }
  json_.EndArray();
}

}  // namespace

void RunExtender(api::Value record, api::JsonWriter& results) { results.Raw(ExtenderRun(record).Run()); }

}  // namespace berth::conformance
