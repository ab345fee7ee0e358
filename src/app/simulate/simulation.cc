// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/simulation.h"

#include <algorithm>
#include <utility>

#include "app/simulate/expand.h"
#include "framework/chooser.h"
#include "plugins/registry.h"

namespace berth::simulate {
namespace {

using framework::Status;
using framework::StatusCode;
using scheduler::Attempt;
using scheduler::Outcome;

constexpr Duration kAttemptTime = Milliseconds(1);
constexpr int kErrorsMax = 5;        // Tries of a pod that end in an error.
constexpr int kNominationsMax = 10;  // Preemptions that a pod may ask for.
constexpr size_t kProgressEvery = 256;

std::unique_ptr<framework::Chooser> MakeChooser(const std::optional<uint64_t>& seed) {
  if (seed) return std::make_unique<framework::SeededChooser>(*seed);
  return std::make_unique<framework::SmallestNameChooser>();
}

}  // namespace

Result<std::unique_ptr<Simulation>> Simulation::Create(const Settings& settings, World world) {
  std::unique_ptr<scheduler::Scheduler> core = BERTH_TRY(scheduler::Scheduler::Create(
      settings.configuration, plugins::BuiltIn(), settings.gates, MakeChooser(settings.seed)));
  std::unique_ptr<Simulation> simulation(new Simulation(settings, std::move(core), std::move(world.names)));
  simulation->Load(std::move(world));
  return simulation;
}

Simulation::Simulation(const Settings& settings, std::unique_ptr<scheduler::Scheduler> core, NameGenerator names)
    : settings_(settings),
      core_(std::move(core)),
      volumes_(core_->cluster(), [core = core_.get()](api::Object object) { core->Put(std::move(object)); }),
      names_(std::move(names)),
      queue_(core_->profile(settings.configuration.profiles.front().scheduler_name).queue_sort()) {}

void Simulation::Load(World world) {
  now_ = LatestTime(world);
  notes_ = std::move(world.notes);
  for (api::Namespace& ns : world.namespaces) core_->Put(std::move(ns));
  for (api::StorageClass& storage_class : world.storage_classes) core_->Put(std::move(storage_class));
  for (api::PriorityClass& priority_class : world.priority_classes) core_->Put(std::move(priority_class));
  for (api::Object& object : world.others) core_->Put(std::move(object));
  for (api::Node& node : world.nodes) core_->Put(std::move(node));
  for (api::PersistentVolume& volume : world.volumes) volumes_.AddVolume(std::move(volume));
  for (api::PersistentVolumeClaim& claim : world.claims) volumes_.AddClaim(std::move(claim));
  std::ranges::move(volumes_.SettleAll(), std::back_inserter(notes_));
  pods_.reserve(world.pods.size());
  for (PodSource& source : world.pods) {
    if (!IsFinished(source.pod)) AddPod(std::move(source), {});
  }
}

void Simulation::AddPod(PodSource source, std::string replaces) {
  const size_t index = pods_.size();
  PodRecord& record = pods_.emplace_back();
  record.source = std::move(source);
  record.replaces = std::move(replaces);
  // Pods without a time of creation come after those that have one.
  record.queued_at = record.source.pod.meta.creation_timestamp.value_or(now_);
  by_uid_[record.source.pod.meta.uid] = index;
  core_->Put(record.source.pod);
  if (record.source.pod.node_name.empty()) return Enqueue(index);
  record.fate = Fate::kRunning;
  record.was_pending = false;
}

void Simulation::Enqueue(size_t index) {
  const auto it = core_->pending().find(pods_[index].full_name());
  queue_.Push(index, it->second, pods_[index].queued_at);
}

void Simulation::Run(const Progress& progress) {
  size_t attempts = 0;
  while (const std::optional<size_t> index = queue_.Pop()) {
    Step(*index);
    now_ = now_ + kAttemptTime;
    if (progress && ++attempts % kProgressEvery == 0) progress(attempts, queue_.active_count());
  }
}

void Simulation::Step(size_t index) {
  const auto pending = core_->pending().find(pods_[index].full_name());
  const cluster::PodPtr pod = pending->second;
  Attempt attempt = core_->Try(pod);
  ++pods_[index].attempts;
  switch (attempt.kind) {
    case Attempt::Kind::kIgnored:
      return Fail(index, Fate::kIgnored, "no profile has the scheduler name " + pod->spec().scheduler_name);
    case Attempt::Kind::kSkipped: return Fail(index, Fate::kIgnored, "the pod is being deleted");
    case Attempt::Kind::kGated: return Fail(index, Fate::kGated, attempt.gate.message());
    case Attempt::Kind::kDecided: break;
  }
  if (settings_.explain) pods_[index].explanations.push_back(Explain(*core_, attempt, settings_.explain_limit));
  if (attempt.decision.outcome == Outcome::kScheduled) {
    Place(index, attempt);
  } else {
    Reject(index, attempt);
  }
}

void Simulation::Fail(size_t index, Fate fate, std::string message) {
  pods_[index].fate = fate;
  pods_[index].message = std::move(message);
}

void Simulation::Place(size_t index, Attempt& attempt) {
  PodRecord& record = pods_[index];
  Status status = BindVolumes(record, attempt);
  framework::Effects effects;
  if (status.ok()) status = core_->Bind(attempt, effects);
  if (status.ok()) return Bind(record, attempt);
  core_->GiveUp(attempt);
  Fail(index, status.is_rejected() ? Fate::kUnschedulable : Fate::kError, status.message());
  if (record.attempts < kErrorsMax) queue_.Wait(index, attempt.cycle->pod_ptr(), now_, {});
}

// Goes on until the claims are bound. Where that does not happen at once it never will: the wait times out.
Status Simulation::BindVolumes(PodRecord& record, Attempt& attempt) {
  constexpr Duration kForever = Minutes(24 * 60);
  Time now = now_;
  while (true) {
    framework::Effects effects;
    Status status = core_->PreBind(attempt, now, effects);
    for (const framework::Effect& effect : effects) {
      if (const auto* volume = std::get_if<framework::UpdatePersistentVolume>(&effect)) {
        record.volumes.push_back(volumes_.Carry(*volume));
      } else if (const auto* claim = std::get_if<framework::UpdatePersistentVolumeClaim>(&effect)) {
        record.volumes.push_back(volumes_.Carry(*claim));
      }
    }
    if (!effects.empty()) queue_.Happened(Happening::kVolumeBound);
    const bool is_stuck = effects.empty() && now != now_;
    if (status.code != StatusCode::kWait || is_stuck) return status;
    if (effects.empty()) now = now_ + kForever;
  }
}

void Simulation::Bind(PodRecord& record, Attempt& attempt) {
  api::Pod& pod = record.source.pod;
  pod.node_name = attempt.assumed->node_name;
  pod.status.phase = "Running";
  pod.status.start_time = now_;
  pod.status.nominated_node_name.clear();
  core_->Put(pod);
  record.fate = Fate::kScheduled;
  record.message.clear();
  queue_.Happened(Happening::kPodPlaced);
}

void Simulation::Reject(size_t index, Attempt& attempt) {
  const scheduler::Decision& decision = attempt.decision;
  const bool is_error = decision.outcome == Outcome::kError;
  Fail(index, is_error ? Fate::kError : Fate::kUnschedulable, decision.full_message);
  const std::optional<std::string> nominated =
      decision.post_filter ? decision.post_filter->nominated_node_name : std::nullopt;
  const bool preempts = nominated && !nominated->empty();
  if (preempts && pods_[index].nominations < kNominationsMax) return Preempt(index, decision);
  if (decision.clears_nomination || nominated) Nominate(pods_[index], "");
  if (is_error && pods_[index].attempts >= kErrorsMax) return;
  queue_.Wait(index, attempt.cycle->pod_ptr(), now_, decision.diagnosis.unschedulable_plugins);
}

// Makes room, nominates the pod and has it tried again.
void Simulation::Preempt(size_t index, const scheduler::Decision& decision) {
  ++pods_[index].nominations;
  for (const framework::Effect& effect : decision.effects) {
    if (const auto* eviction = std::get_if<framework::EvictPod>(&effect)) {
      Evict(*eviction);
    } else if (const auto* nomination = std::get_if<framework::NominatePod>(&effect)) {
      Nominate(Find(nomination->pod->uid), nomination->node_name);
    }
  }
  Nominate(pods_[index], *decision.post_filter->nominated_node_name);
  Enqueue(index);
}

void Simulation::Nominate(PodRecord& record, const std::string& node) {
  std::string& nominated = record.source.pod.status.nominated_node_name;
  if (nominated == node) return;
  nominated = node;
  core_->Put(record.source.pod);
}

void Simulation::Evict(const framework::EvictPod& eviction) {
  const PodRecord& preemptor = Find(eviction.preemptor->uid);
  PodRecord& victim = Find(eviction.victim->uid);
  const api::ObjectMeta meta = victim.source.pod.meta;
  Eviction& entry = evictions_.emplace_back();
  entry.victim = victim.full_name();
  entry.victim_priority = victim.priority();
  entry.preemptor = preemptor.full_name();
  entry.preemptor_priority = preemptor.priority();
  entry.node = eviction.node_name;
  victim.fate = Fate::kEvicted;
  victim.message = "evicted by " + entry.preemptor;
  core_->Remove("Pod", meta.ns, meta.name);
  queue_.Happened(Happening::kPodGone);

  const api::OwnerReference* owner = meta.controller();
  if (owner == nullptr) return;
  entry.owner = owner->kind + " " + meta.ns + "/" + owner->name;
  PodSource made = Replacement(victim.source, names_);
  entry.replacement = api::FullName(made.pod.meta);
  for (api::PersistentVolumeClaim& claim : EphemeralClaims(made)) {
    claim.meta.uid = names_.Uid();
    volumes_.AddClaim(claim);
    (void)volumes_.Settle(claim);
  }
  const std::string replaced = entry.victim;
  AddPod(std::move(made), replaced);  // May move the records.
}

}  // namespace berth::simulate
