// SPDX-License-Identifier: Apache-2.0
#include "scheduler/binding_cycles.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/diagnosis.h"
#include "scheduler/decision_records.h"
#include "scheduler/extender_protocol.h"

namespace berth::scheduler {

using framework::Status;
using framework::StatusCode;

namespace {

// `message` is empty if no answer came.
Status EffectFailed(std::string_view point, const framework::Plugin& asker, const std::string& message) {
  return Status::Error(fmt::format("running {} plugin \"{}\": {}", point, asker.name(),
                                   message.empty() ? "the answer was lost" : message));
}

// The row of the node that a pod is being bound to, while plugins look at it. An assumed pod holds the row. One that is
// being deleted no longer does; if the row has gone, an empty one of that name stands in for it.
class BoundRow {
 public:
  explicit BoundRow(const BindingCycles::Binding& binding)
      : nodes_(binding.cycle->mutable_cluster().mutable_nodes()),
        exists_(nodes_.Find(binding.assumed->node_name, slot_)) {
    if (!exists_) slot_ = nodes_.AddLoose(binding.assumed->node_name);
  }
  ~BoundRow() {
    if (!exists_) nodes_.FreeLoose(slot_);
  }
  BoundRow(const BoundRow&) = delete;
  BoundRow& operator=(const BoundRow&) = delete;

  bool exists() const { return exists_; }
  cluster::NodeSlot slot() const { return slot_; }

 private:
  cluster::NodeTable& nodes_;
  cluster::NodeSlot slot_;
  bool exists_;
};

}  // namespace

void BindingCycles::Start(Binding binding, const std::vector<std::pair<std::string, Duration>>& waits, Time now) {
  const std::string uid = binding.assumed->uid;
  Entry& entry = bindings_[uid];
  entry.binding = std::move(binding);
  const Status flight = entry.binding.profile->RunPreBindPreFlight(*entry.binding.cycle, entry.binding.node);
  if (!flight.ok() && !flight.is_skip()) return Fail(entry, flight, now);
  entry.has_pre_bind_work = flight.ok();
  // Others (an autoscaler, say) learn early where a pod will go that does not get there at once.
  const cluster::PodPtr& pod = entry.binding.cycle->pod_ptr();
  const std::string& node_name = entry.binding.assumed->node_name;
  const bool is_news = parts_.early_nomination && pod->nominated_node_name != node_name;
  if (is_news && entry.has_pre_bind_work) parts_.outbox.Send(framework::NominatePod{pod, node_name});
  if (waits.empty()) return Permitted(entry, now);
  // The wait may end with this step: the last member of a group lets the others go.
  if (is_news && !entry.has_pre_bind_work) unannounced_.push_back(uid);
  entry.waits = true;
  entry.stage_since = Start();
  waiting_.Add(entry.binding.assumed, waits, now);
}

void BindingCycles::Permitted(Entry& entry, Time now) {
  // From here on a failure is an error, never a rejection that events could cure.
  StageEnds(entry, StatusCode::kSuccess);
  parts_.queue.Done(entry.binding.assumed->uid);
  parts_.records.Permitted(entry.binding.assumed->uid, now);
  entry.stage = Stage::kPreBind;
  entry.stage_since = Start();
  PreBind(entry, now);
}

void BindingCycles::PreBind(Entry& entry, Time now) {
  const BoundRow row(entry.binding);  // A plugin that waits for something on the node finds out that it is gone.
  entry.binding.cycle->set_pod_is_gone(parts_.store.Find(entry.binding.queued->key) == nullptr);
  entry.binding.cycle->set_has_unanswered_effects(!entry.effects.empty());
  framework::Effects effects;
  std::vector<const framework::Plugin*> askers;
  const Status status =
      entry.binding.profile->RunPreBind(*entry.binding.cycle, row.slot(), now, effects, askers, entry.stage_since);
  Track(entry, std::move(effects), askers);
  if (status.code == StatusCode::kWait) return SetPoll(entry, now + Seconds(1));
  if (!status.ok()) return Fail(entry, status, now);
  Bind(entry, now);
}

void BindingCycles::Bind(Entry& entry, Time now) {
  StageEnds(entry, StatusCode::kSuccess);
  SetPoll(entry, std::nullopt);
  entry.stage = Stage::kBind;
  entry.stage_since = Start();
  // What pre-bind asked for has shown in a watch; an answer that comes late says nothing about the binding.
  Untrack(entry);
  if (!BoundRow(entry.binding).exists()) {
    return Fail(entry, Status::Error(fmt::format("node \"{}\" not found", entry.binding.assumed->node_name)), now);
  }
  entry.extender = parts_.extenders.BinderOf(*entry.binding.assumed);
  if (entry.extender == nullptr) return BindByPlugin(entry, now);
  const cluster::PodPtr& pod = entry.binding.assumed;
  Track(entry,
        {framework::CallExtender{pod, entry.extender->index, entry.extender->configuration.bind_verb,
                                 BindRequest(*pod, pod->node_name)}},
        {nullptr});
}

void BindingCycles::ExtenderBound(Entry& entry, std::string error, Time now) {
  if (error.empty()) return Bound(entry, now);
  if (!entry.extender->configuration.ignorable) return Fail(entry, Status::Error(std::move(error)), now);
  if (observer_ != nullptr) {
    observer_->ExtenderSkipped(*entry.binding.assumed, {entry.extender->index, "bind", std::move(error), {}});
  }
  entry.extender = nullptr;
  entry.stage = Stage::kBind;
  BindByPlugin(entry, now);
}

void BindingCycles::BindByPlugin(Entry& entry, Time now) {
  framework::Effects effects;
  const Status status = entry.binding.profile->RunBind(*entry.binding.cycle, BoundRow(entry.binding).slot(), effects);
  if (status.ok()) entry.binder = entry.binding.profile->Find(status.plugin);
  const std::vector<const framework::Plugin*> askers(effects.size(), entry.binder);
  Track(entry, std::move(effects), askers);
  if (!status.ok()) Fail(entry, status.is_skip() ? Status::Error("no bind plugin took the pod") : status, now);
}

void BindingCycles::Track(Entry& entry, framework::Effects effects,
                          const std::vector<const framework::Plugin*>& askers) {
  for (size_t i = 0; i < effects.size(); ++i) {
    if (std::holds_alternative<framework::RecordEvent>(effects[i])) {
      parts_.outbox.Send(std::move(effects[i]));  // Nobody waits for it.
      continue;
    }
    const auto* bind = std::get_if<framework::BindClaim>(&effects[i]);
    const std::string claim = bind == nullptr ? "" : bind->claim.meta.uid;
    entry.effects.push_back(parts_.outbox.Send(std::move(effects[i])));
    effects_.emplace(entry.effects.back(), Asked{entry.binding.assumed->uid, askers[i]});
    if (parts_.devices.WriteBegins(claim)) claim_writes_.emplace(entry.effects.back(), claim);
  }
}

void BindingCycles::ReadBack(Entry& entry) {
  entry.stage = Stage::kReadBack;
  Track(entry, {framework::ReadPod{entry.binding.assumed}}, {entry.binder});
}

void BindingCycles::SetPoll(Entry& entry, std::optional<Time> when) {
  const std::string& uid = entry.binding.assumed->uid;
  if (entry.next_poll) polls_.erase({*entry.next_poll, uid});
  entry.next_poll = when;
  if (when) polls_.emplace(*when, uid);
}

void BindingCycles::Untrack(Entry& entry) {
  for (const uint64_t id : entry.effects) effects_.erase(id);
  entry.effects.clear();
}

void BindingCycles::StageEnds(const Entry& entry, StatusCode code) const {
  if (observer_ == nullptr) return;
  const framework::Profile& profile = *entry.binding.profile;
  switch (entry.stage) {
    case Stage::kPermit:
      if (entry.waits) observer_->PermitWaited(code, entry.stage_since);
      return;
    case Stage::kPreBind: return observer_->PointRan(profile, framework::RunPoint::kPreBind, code, entry.stage_since);
    case Stage::kBind:
    case Stage::kReadBack:
      if (entry.binder != nullptr) {
        observer_->PluginRan(profile, *entry.binder, framework::RunPoint::kBind, code, 1, entry.stage_since);
      }
      return observer_->PointRan(profile, framework::RunPoint::kBind, code, entry.stage_since);
  }
}

void BindingCycles::Bound(Entry& entry, Time now) {
  StageEnds(entry, StatusCode::kSuccess);
  parts_.records.Bound(entry.binding.assumed->uid, now);
  if (observer_ != nullptr) {
    const queue::QueuedPod& queued = *entry.binding.queued;
    observer_->AttemptEnds(*entry.binding.profile, framework::Observer::Result::kScheduled, entry.binding.since);
    const auto waited = queued.first_entry ? std::optional(now - *queued.first_entry) : std::nullopt;
    observer_->PodBound({.pod = *entry.binding.assumed,
                         .node = entry.binding.assumed->node_name,
                         .evaluated_nodes = entry.binding.evaluated_nodes,
                         .feasible_nodes = entry.binding.feasible_nodes,
                         .attempts = queued.attempts,
                         .waited = waited,
                         .flushed = queued.was_flushed});
  }
  parts_.reporter.Scheduled(entry.binding.cycle->pod_ptr(), entry.binding.assumed->node_name);
  entry.binding.profile->RunPostBind(*entry.binding.cycle, BoundRow(entry.binding).slot());
  Erase(std::string(entry.binding.assumed->uid));
}

void BindingCycles::Fail(Entry& entry, const Status& status, Time now) {
  StageEnds(entry, status.code);
  SetPoll(entry, std::nullopt);
  Binding binding = std::move(entry.binding);
  const bool permit = entry.stage == Stage::kPermit;
  Erase(binding.assumed->uid);
  binding.cycle->set_now(now);
  framework::Effects undone;
  binding.profile->RunUnreserve(*binding.cycle, BoundRow(binding).slot(), undone);
  parts_.outbox.SendAll(std::move(undone));
  Failure failure;
  std::string message = status.message();
  if (permit && status.is_rejected()) {
    failure.unschedulable_plugins.Insert(parts_.policy.names().Intern(status.plugin));
    framework::FitMessage fit(1);
    fit.Add(status.reasons);
    message = fit.ToString();
  }
  parts_.records.Refused(binding.assumed->uid, message, now);
  if (observer_ != nullptr) {
    using Result = framework::Observer::Result;
    const Result result = status.is_rejected() ? Result::kUnschedulable : Result::kError;
    observer_->AttemptEnds(*binding.profile, result, binding.since);
    observer_->AttemptFailed(*binding.assumed, result, message);
  }
  const cluster::PodPtr subject =
      parts_.failures.BindingFailed(std::move(binding.queued), binding.assumed, failure, status.is_rejected(), now);
  if (subject != nullptr) parts_.reporter.Failed(subject, status.is_rejected(), message, "");
}

void BindingCycles::Erase(const std::string& uid) {
  waiting_.Remove(uid);
  const auto found = bindings_.find(uid);
  Untrack(found->second);
  bindings_.erase(found);
}

bool BindingCycles::Answer(const EffectAnswer& answer, Time now) {
  if (const auto written = claim_writes_.extract(answer.id)) parts_.devices.WriteEnds(written.mapped());
  const auto found = effects_.find(answer.id);
  if (found == effects_.end()) return false;
  Entry& entry = bindings_.find(found->second.uid)->second;
  const framework::Plugin* asker = found->second.plugin;
  effects_.erase(found);
  std::erase(entry.effects, answer.id);
  switch (entry.stage) {
    case Stage::kPermit: break;  // It has no effects.
    case Stage::kPreBind: PreBindAnswered(entry, *asker, answer, now); break;
    case Stage::kBind:
      entry.extender == nullptr ? BindAnswered(entry, *asker, answer, now) : ExtenderAnswered(entry, answer, now);
      break;
    case Stage::kReadBack: ReadBackAnswered(entry, asker, answer, now); break;
  }
  return true;
}

void BindingCycles::PreBindAnswered(Entry& entry, const framework::Plugin& asker, const EffectAnswer& answer,
                                    Time now) {
  switch (answer.code) {
    case EffectAnswer::Code::kOk:
      // Effects that succeeded show in what was reported: PreBind looks there.
      if (entry.effects.empty()) PreBind(entry, now);
      return;
    case EffectAnswer::Code::kFailed:
    case EffectAnswer::Code::kUnknown:
      // Nothing is lost by another attempt: it starts from what the watches report by then.
      return Fail(entry, EffectFailed("PreBind", asker, answer.message), now);
  }
}

void BindingCycles::BindAnswered(Entry& entry, const framework::Plugin& asker, const EffectAnswer& answer, Time now) {
  switch (answer.code) {
    case EffectAnswer::Code::kOk: return Bound(entry, now);
    case EffectAnswer::Code::kFailed: return Fail(entry, EffectFailed("Bind", asker, answer.message), now);
    case EffectAnswer::Code::kUnknown: entry.unclear = answer.message; return ReadBack(entry);
  }
}

void BindingCycles::ExtenderAnswered(Entry& entry, const EffectAnswer& answer, Time now) {
  switch (answer.code) {
    case EffectAnswer::Code::kOk: {
      Result<std::string> error = DecodeBindAnswer(answer.message);
      return ExtenderBound(entry, error ? *std::move(error) : std::move(error).error().message, now);
    }
    case EffectAnswer::Code::kFailed: return ExtenderBound(entry, answer.message, now);
    case EffectAnswer::Code::kUnknown: entry.unclear = answer.message; return ReadBack(entry);
  }
}

void BindingCycles::ReadBackAnswered(Entry& entry, const framework::Plugin* asker, const EffectAnswer& answer,
                                     Time now) {
  // A read that failed says nothing about the binding.
  if (answer.code != EffectAnswer::Code::kOk) return ReadBack(entry);
  const cluster::PodPtr newest = parts_.store.Find(entry.binding.queued->key);
  if (newest != nullptr && newest->uid == entry.binding.assumed->uid &&
      newest->node_name == entry.binding.assumed->node_name) {
    return Bound(entry, now);
  }
  if (entry.extender == nullptr) return Fail(entry, EffectFailed("Bind", *asker, entry.unclear), now);
  ExtenderBound(entry, entry.unclear.empty() ? "the answer was lost" : entry.unclear, now);
}

void BindingCycles::Advance(Time now) {
  waiting_.Expire(now);
  ActOnVerdicts(now);
  for (const std::string& uid : std::exchange(unannounced_, {})) {
    const auto found = bindings_.find(uid);
    if (found == bindings_.end() || found->second.stage != Stage::kPermit) continue;
    const Binding& binding = found->second.binding;
    parts_.outbox.Send(framework::NominatePod{binding.cycle->pod_ptr(), binding.assumed->node_name});
  }
  while (!polls_.empty() && polls_.begin()->first <= now) PreBind(bindings_.find(polls_.begin()->second)->second, now);
  ActOnVerdicts(now);
}

void BindingCycles::ActOnVerdicts(Time now) {
  // A pod that is given up may take others with it.
  for (auto verdicts = waiting_.TakeVerdicts(); !verdicts.empty(); verdicts = waiting_.TakeVerdicts()) {
    for (const framework::WaitingPods::Verdict& verdict : verdicts) {
      const auto found = bindings_.find(verdict.uid);
      if (found == bindings_.end()) continue;
      if (verdict.status.ok()) {
        Permitted(found->second, now);
      } else {
        Fail(found->second, verdict.status, now);
      }
    }
  }
}

std::optional<Time> BindingCycles::NextDeadline() const {
  std::optional<Time> next = waiting_.NextDeadline();
  if (!polls_.empty() && (!next || polls_.begin()->first < *next)) next = polls_.begin()->first;
  return next;
}

bool BindingCycles::Preempt(const std::string& uid, std::string_view plugin, Time now) {
  if (waiting_.Has(uid)) return waiting_.Preempt(uid, plugin, "preempted");
  const auto found = bindings_.find(uid);
  if (found == bindings_.end() || found->second.stage != Stage::kPreBind || !found->second.has_pre_bind_work)
    return false;
  Fail(found->second, Status::Error(fmt::format("preempted by {}", plugin)), now);
  return true;
}

}  // namespace berth::scheduler
