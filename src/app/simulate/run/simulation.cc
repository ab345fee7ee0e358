// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/run/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/overloaded.h"
#include "client/access/server_access.h"
#include "framework/extender_sources.h"
#include "server/controllers/owned_pods.h"
#include "server/objects/bootstrap.h"
#include "server/patch/merge_patch.h"

namespace berth::simulate {
namespace {

using server::Json;

// After so long a volume that did not come is given up, and its pod tried again.
// Enough for the attempt that is explained.
constexpr size_t kRecordBytes = size_t{64} << 20;
constexpr Duration kBindingPatience = Minutes(20);
// Before the start, controllers make what they have to make of the input.
constexpr Duration kPrelude = Seconds(2);
constexpr size_t kProgressEvery = 256;
constexpr uint64_t kSeed = 1;  // Of generated names, which are the same whatever seed decides among nodes.

server::ClusterRules RulesOf(const TimelineSettings& behaviour, bool has_end) {
  return {.root_ca = {},
          .is_whole = false,
          .renews_leases = false,
          .keeps_ended_pods = false,
          .evicts = !behaviour.is_timeless,
          .runs_cron_jobs = has_end,
          .measures_pods = false,
          .publishes_endpoints = false,
          .lives = {.end = !behaviour.is_timeless,
                    .commands = false,
                    .tells = false,
                    .termination = behaviour.eviction_grace_period}};
}

Result<void> Checked(const server::StatusError& error) { return Invalid(error.message); }
template <class T>
Result<void> Checked(const server::Outcome<T>& outcome) {
  return outcome ? Result<void>() : Checked(outcome.error());
}

}  // namespace

Result<std::unique_ptr<Simulation>> Simulation::Create(const Settings& settings, const Manifests& manifests,
                                                       Timeline timeline, std::ostream* log) {
  const Time begin = world::LatestTime(manifests);
  const record::Settings recorded{settings.configuration, settings.gates, settings.seed, begin};
  std::unique_ptr<scheduler::Core> core = BERTH_TRY(record::MakeCore(recorded, *settings.plugins));
  if (settings.explain) {
    core->set_record_limits({.bytes = kRecordBytes, .attempts = 1, .scored_nodes = settings.explain_limit});
  }
  std::unique_ptr<Simulation> simulation(new Simulation(settings, std::move(core), timeline.settings, begin));
  if (log != nullptr) simulation->log_ = std::make_unique<record::Writer>(*log, recorded);
  if (const auto& extenders = settings.configuration.extenders; !extenders.empty()) {
    simulation->network_ = std::make_unique<net::EventLoop>();
    simulation->extenders_ = BERTH_TRY(client::ExtenderCaller::Create(*simulation->network_, extenders,
                                                                      client::ClientEnvironment::OfProcess().proxies));
  }
  BERTH_CHECK_OK(simulation->Load(manifests));
  simulation->documents_ = std::move(timeline.documents);
  simulation->Plan(std::move(timeline.events), std::move(timeline.arrivals));
  return simulation;
}

Simulation::Simulation(const Settings& settings, std::unique_ptr<scheduler::Core> core,
                       const TimelineSettings& behaviour, Time begin)
    : settings_(settings),
      behaviour_(behaviour),
      agenda_(begin),
      course_(begin + kPrelude, behaviour.sample_interval),
      core_(std::move(core)),
      world_(agenda_, kSeed, world::RunOptions(settings.gates)),
      chronicle_(world_.store(), world_.catalog(), agenda_, history_,
                 {.end = !behaviour.is_timeless, .commands = false, .behaviour = &world_.behaviour()}),
      loader_(world_, settings.until.has_value()),
      run_(*core_, world_, agenda_, *this, {behaviour.bind_latency, behaviour.scheduling_interval},
           framework::SourcesForExtenders(settings.configuration.extenders), begin + kPrelude),
      random_(settings.seed.value_or(0)) {
  history_.start = history_.end = begin + kPrelude;
  if (settings.until) until_ = history_.start + *settings.until;
}

Result<void> Simulation::Load(const Manifests& manifests) {
  if (!settings_.devices_file.empty()) BERTH_CHECK_OK(world_.ReadDevices(settings_.devices_file));
  if (!settings_.behaviour_file.empty()) {
    BERTH_CHECK_OK(world_.ReadBehaviour(settings_.behaviour_file, settings_.seed.value_or(0)));
    if (!world_.behaviour().nodes.empty() && !until_) {
      return Invalid(settings_.behaviour_file + ": nodes: what befalls nodes has no end, so --until is needed");
    }
  }
  run_.Start();
  // All hear of an object when its tree is at hand; nobody acts before time goes on.
  world_.Start(RulesOf(behaviour_, until_.has_value()));
  BERTH_CHECK_OK(loader_.Load(manifests));
  BERTH_CHECK_OK(world_.MakeDeviceObjects());
  history_.notes = loader_.TakeNotes();
  chronicle_.ForgetEnded();
  agenda_.RunUntil(history_.start);
  for (PodLife& life : history_.pods) life.created = history_.start;
  if (run_.failure()) return std::unexpected(*run_.failure());
  return {};
}

// Something of the timeline that is to happen.
void Simulation::PlanNext(Time at, runtime::Timers::Work work) {
  ++planned_;
  agenda_.At(at, [this, work = std::move(work)]() mutable {
    --planned_;
    work();
  });
}

void Simulation::Plan(std::vector<TimelineEvent> events, std::vector<Arrivals> arrivals) {
  for (TimelineEvent& event : events) {
    const Time at = history_.start + event.at;
    PlanNext(at, [this, event = std::move(event)] {
      const Result<void> done = Happen(event);
      if (!done && !failure_) failure_ = Error{done.error().code, event.origin + ": " + done.error().message};
    });
  }
  for (Arrivals& each : arrivals) {
    (void)server::CreateNamespace(world_.objects(), each.ns);  // If that is refused, so are the pods.
    const auto shared = std::make_shared<const Arrivals>(std::move(each));
    const Duration first = shared->from + (shared->poisson ? NextGap(*shared) : Duration{});
    PlanNext(history_.start + first, [this, shared] { Arrive(shared); });
  }
}

Result<void> Simulation::Happen(const TimelineEvent& event) {
  return std::visit([&](const auto& what) { return Happen(what); }, event.what);
}

Result<void> Simulation::Happen(const CreateObjects& creation) {
  const Result<void> loaded = loader_.Load(creation.manifests, creation.runs);
  for (std::string& note : loader_.TakeNotes()) Note(std::move(note));
  return loaded;
}

Result<void> Simulation::Happen(const DeleteObject& deletion) {
  const Target& target = deletion.target;
  // As kubectl deletes.
  const auto deleted = world_.objects().Delete(*world_.catalog().FindKept(target.kind), target.ns, target.name,
                                               {.propagation = server::DeleteOptions::Propagation::kBackground});
  if (target.kind != "Pod" || deleted || deleted.error().code != 404) return Checked(deleted);
  Note(fmt::format("pod {}/{} is not there and cannot be deleted", target.ns, target.name));
  return {};
}

Result<void> Simulation::Happen(const PatchObject& patch) {
  const Target& target = patch.target;
  const auto written = world_.objects().Update(
      *world_.catalog().FindKept(target.kind), target.ns, target.name, {},
      [&](const Json& current) -> server::Outcome<Json> { return server::ApplyMergePatch(current, patch.patch); });
  if (target.kind != "Pod" || written || written.error().code != 404) return Checked(written);
  Note(fmt::format("pod {}/{} is not there and cannot be patched", target.ns, target.name));
  return {};
}

Result<void> Simulation::Happen(const DrainNode& drain) {
  BERTH_CHECK_OK(
      Happen(PatchObject{{"Node", "", drain.name}, Json{{"spec", Json{{"unschedulable", Json::Bool(true)}}}}}));
  const server::Resource& pods = world_.catalog().Get("", "pods");
  std::vector<server::ObjectPtr> evicted;
  for (const auto& [key, pod] : world_.store().All(pods)) {
    if (pod->Field("spec.nodeName") != drain.name || pod->is_being_deleted()) continue;
    if (server::ControllerOf(*pod->tree())["kind"].text() != "DaemonSet") evicted.push_back(pod);
  }
  for (const server::ObjectPtr& pod : evicted) {
    chronicle_.Evict(*pod, {});
    BERTH_CHECK_OK(Checked(world_.objects().Delete(pods, pod->ns(), pod->name(), {})));
  }
  return {};
}

void Simulation::Arrive(const std::shared_ptr<const Arrivals>& arrivals) {
  if (arrivals->until && agenda_.now() - history_.start >= *arrivals->until) return;
  const auto made = world_.objects().Create(world_.catalog().Get("", "pods"), arrivals->ns, arrivals->pod, {});
  if (!made) {
    if (!failure_) failure_ = Error{Code::kInvalid, arrivals->origin + ": " + made.error().message};
    return;
  }
  PlanNext(agenda_.now() + NextGap(*arrivals), [this, arrivals] { Arrive(arrivals); });
}

Duration Simulation::NextGap(const Arrivals& arrivals) {
  if (!arrivals.poisson) return arrivals.gap;
  constexpr uint64_t kSteps = uint64_t{1} << 53;
  const double uniform = (static_cast<double>(random_.Below(kSteps)) + 0.5) / static_cast<double>(kSteps);
  return {std::max<int64_t>(1, std::llround(-std::log(uniform) * static_cast<double>(arrivals.gap.nanos)))};
}

// Once is enough.
void Simulation::Note(std::string note) {
  std::vector<std::string>& notes = history_.notes;
  if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
}

void Simulation::StepBegins(const scheduler::Input& input) {
  if (log_ != nullptr) log_->WriteInput(input);
}

void Simulation::StepEnds(const std::vector<scheduler::IssuedEffect>& effects) {
  if (log_ != nullptr) log_->WriteDigest(record::DigestOf(effects));
  if (settings_.explain) ExplainAttempt();
}

void Simulation::Tried(const scheduler::Core::LastAttempt& attempt) {
  ++history_.attempts;
  PodLife* life = chronicle_.LifeOf(attempt.pod->full_name());
  if (life == nullptr) return;
  ++life->attempts;
  life->has_error = attempt.decision.outcome == scheduler::Outcome::kError;
}

void Simulation::ExplainAttempt() {
  const auto explain = [&](const std::string& name) {
    const cluster::PodPtr pod = core_->pods().Find(name);
    PodLife* life = chronicle_.LifeOf(name);
    if (pod == nullptr || life == nullptr) return;
    const std::vector<const scheduler::AttemptRecord*> records = core_->records().Of(pod->uid);
    if (records.empty()) return;
    life->explanations.push_back(explain::Explain(*core_, *records.back(), settings_.explain_limit));
  };
  if (core_->last_attempt()) return explain(core_->last_attempt()->pod->full_name());
  if (!core_->last_group()) return;
  for (const auto& [name, member] : core_->last_group()->members) explain(name);
}

void Simulation::CarriesOut(const framework::Effect& effect, const std::string& pod) {
  const auto note_volume = [&](VolumeBinding binding) {
    if (PodLife* life = chronicle_.LifeOf(pod)) life->volumes.push_back(std::move(binding));
  };
  std::visit(Overloaded{
                 [&](const framework::RecordEvent& event) {
                   ++history_.events[event.reason];
                   PodLife* life = chronicle_.LifeOf(event.pod->full_name());
                   if (event.reason == "FailedScheduling" && life != nullptr) life->message = event.note;
                 },
                 [&](const framework::EvictPod& eviction) {
                   const cluster::PodInfo& victim = *eviction.victim;
                   const server::ObjectPtr found =
                       world_.store().Find(world_.catalog().Get("", "pods"), victim.ns(), victim.name);
                   if (found == nullptr || found->uid() != victim.uid || found->is_being_deleted()) return;
                   TimedEviction timed;
                   timed.preemptor = eviction.preemptor->full_name();
                   timed.preemptor_priority = eviction.preemptor->priority();
                   chronicle_.Evict(*found, std::move(timed));
                 },
                 [&](const framework::UpdatePersistentVolume& update) {
                   const auto& claim = update.volume.claim_ref;
                   if (claim) note_volume({claim->ns + "/" + claim->name, update.volume.meta.name});
                 },
                 [&](const framework::UpdatePersistentVolumeClaim& update) {
                   note_volume({api::FullName(update.claim.meta), "", true});
                 },
                 [](const auto&) {},
             },
             effect);
}

scheduler::EffectAnswer Simulation::CallExtender(uint64_t id, framework::CallExtender call) {
  std::optional<scheduler::EffectAnswer> answered;
  extenders_->Call(id, call.extender, std::move(call.verb), std::move(call.body), [&](scheduler::EffectAnswer answer) {
    answered = std::move(answer);
    network_->Stop();
  });
  if (!answered) network_->Run();
  return *std::move(answered);
}

bool Simulation::IsSettled(Time next) const {
  if (until_ || planned_ > 0 || chronicle_.ending_count() > 0) return false;
  const Duration patience = core_->bindings().size() == 0 ? behaviour_.patience : kBindingPatience;
  return next - chronicle_.changed_at() > patience;
}

Result<void> Simulation::Run(const Progress& progress) {
  while (const std::optional<Time> next = run_.NextTime()) {
    if ((until_ && *next > *until_) || IsSettled(*next)) break;
    SampleBefore(*next);
    course_.Pass(*next, CountQueue());
    run_.DoNext(*next);
    if (failure_) return std::unexpected(*failure_);
    if (run_.failure()) return std::unexpected(*run_.failure());
    if (history_.pods.size() > static_cast<size_t>(world::kPodsMax)) {
      return Fail(Code::kLimit, fmt::format("too many pods: a simulation makes {} at most", world::kPodsMax));
    }
    const queue::SchedulingQueue& queue = core_->queue();
    const size_t queued = queue.active().size() + queue.backoff().rejected().size() + queue.backoff().failed().size() +
                          queue.unschedulable().size() - queue.unschedulable().gated_count();
    history_.peak_pending = std::max(history_.peak_pending, queued + core_->bindings().size());
    if (progress && history_.attempts % kProgressEvery == 0) progress(history_.attempts, queued);
  }
  if (until_) agenda_.PassTo(*until_);
  if (log_ != nullptr) log_->WriteEnd();
  Conclude();
  return {};
}

QueueCounts Simulation::CountQueue() const {
  const queue::SchedulingQueue& queue = core_->queue();
  return {.active = static_cast<double>(queue.active().size()),
          .backoff = static_cast<double>(queue.backoff().rejected().size() + queue.backoff().failed().size()),
          .unschedulable = static_cast<double>(queue.unschedulable().size() - queue.unschedulable().gated_count()),
          .binding = static_cast<double>(core_->bindings().size())};
}

void Simulation::TakeSample(Time at) {
  const queue::SchedulingQueue& queue = core_->queue();
  Sample sample;
  sample.at = at;
  sample.active = queue.active().size();
  sample.backoff = queue.backoff().rejected().size() + queue.backoff().failed().size();
  sample.gated = queue.unschedulable().gated_count();
  sample.unschedulable = queue.unschedulable().size() - sample.gated;
  sample.binding = core_->bindings().size();
  sample.running = chronicle_.running_count();
  const cluster::NodeTable& nodes = core_->cluster().nodes();
  for (uint32_t slot = 0; slot < nodes.slot_limit(); ++slot) {
    if (nodes.has_node[slot] == 0) continue;
    sample.cpu_requested_milli += nodes.requested_cpu[slot];
    sample.cpu_allocatable_milli += nodes.allocatable_cpu[slot];
    sample.memory_requested_bytes += nodes.requested_memory[slot];
    sample.memory_allocatable_bytes += nodes.allocatable_memory[slot];
  }
  history_.samples.push_back(sample);
}

// Nothing changes between now and `next`, so one sample stands for all of that time.
void Simulation::SampleBefore(Time next) {
  const int64_t interval = behaviour_.sample_interval.nanos;
  const int64_t passed = (agenda_.now() - history_.start).nanos;
  const Time due = history_.start + Duration{(passed + interval - 1) / interval * interval};
  const bool is_taken = !history_.samples.empty() && history_.samples.back().at >= due;
  if (due < next && !is_taken) TakeSample(due);
}

void Simulation::Conclude() {
  history_.end = agenda_.now();
  course_.Pass(history_.end, CountQueue());
  history_.queue = course_.Take();
  if (!history_.samples.empty() && history_.samples.back().at >= history_.end) history_.samples.pop_back();
  TakeSample(history_.end);
  const server::Resource& claims = world_.catalog().Get("", "persistentvolumeclaims");
  for (PodLife& life : history_.pods) {
    if (life.state == PodLife::State::kWaiting) Conclude(life);
    for (VolumeBinding& binding : life.volumes) {
      if (!binding.is_new) continue;
      const auto found = world_.store().All(claims).find(binding.claim);
      if (found != world_.store().All(claims).end()) {
        binding.volume = (*found->second->tree())["spec"]["volumeName"].text();
      }
    }
  }
}

// Says more of a pod that has no node.
void Simulation::Conclude(PodLife& life) const {
  const cluster::PodPtr pod = core_->pods().Find(life.full_name());
  if (pod == nullptr) return;
  const framework::Profile* profile = core_->policy().ProfileOf(*pod);
  const queue::QueuedPod* queued = core_->queue().unschedulable().Find(life.full_name());
  if (profile == nullptr) {
    life.state = PodLife::State::kIgnored;
    life.message = "no profile has the scheduler name " + pod->spec().scheduler_name;
  } else if (pod->is_terminating()) {
    life.state = PodLife::State::kIgnored;
    life.message = "the pod is being deleted";
  } else if (core_->bindings().Has(pod->uid)) {
    life.state = PodLife::State::kBinding;
  } else if (queued != nullptr && queued->is_gated()) {
    life.state = PodLife::State::kGated;
    life.message = profile->RunPreEnqueue(*pod, core_->cluster()).message();
  }
}

}  // namespace berth::simulate
