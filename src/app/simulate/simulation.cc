// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/simulate/explanation.h"
#include "base/overloaded.h"

namespace berth::simulate {
namespace {

// After so long a volume that did not come is given up, and its pod tried again.
constexpr Duration kBindingPatience = Minutes(20);
constexpr size_t kProgressEvery = 256;

}  // namespace

Result<std::unique_ptr<Simulation>> Simulation::Create(const Settings& settings, World world, Timeline timeline,
                                                       std::ostream* log) {
  const Time start = LatestTime(world);
  const record::Settings recorded{settings.configuration, settings.gates, settings.seed, start};
  std::unique_ptr<scheduler::Core> core = BERTH_TRY(record::MakeCore(recorded, *settings.plugins));
  std::vector<TimelineEvent> events = std::exchange(timeline.events, {});
  std::vector<Arrivals> arrivals = std::exchange(timeline.arrivals, {});
  std::unique_ptr<Simulation> simulation(new Simulation(settings, std::move(core), std::move(timeline), start));
  if (log != nullptr) simulation->log_ = std::make_unique<record::Writer>(*log, recorded);
  simulation->history_.notes.insert(simulation->history_.notes.begin(), world.notes.begin(), world.notes.end());
  simulation->server_.Create(std::move(world), std::nullopt);
  simulation->Plan(std::move(events), std::move(arrivals));
  return simulation;
}

Simulation::Simulation(const Settings& settings, std::unique_ptr<scheduler::Core> core, Timeline timeline, Time start)
    : settings_(settings),
      behaviour_(timeline.settings),
      core_(std::move(core)),
      agenda_(start),
      course_(start, timeline.settings.sample_interval),
      server_({core_->cluster(), agenda_, history_, [this](ApiServer::What what) { Feed(std::move(what)); }},
              behaviour_, std::move(timeline.names)),
      random_(settings.seed.value_or(0)),
      next_attempt_(start) {
  history_.start = history_.end = start;
  history_.notes = std::move(timeline.notes);
}

void Simulation::Plan(std::vector<TimelineEvent> events, std::vector<Arrivals> arrivals) {
  for (TimelineEvent& event : events) {
    const Time at = history_.start + event.at;
    agenda_.At(at, [this, shared = std::make_shared<TimelineEvent>(std::move(event))] { Happen(*shared); });
  }
  for (Arrivals& each : arrivals) {
    const auto shared = std::make_shared<const Arrivals>(std::move(each));
    const Duration first = shared->from + (shared->poisson ? NextGap(*shared) : Duration{});
    agenda_.At(history_.start + first, [this, shared] { Arrive(shared); });
  }
}

void Simulation::Happen(TimelineEvent& event) {
  std::visit(Overloaded{
                 [&](CreateObjects& create) { server_.Create(std::move(create.objects), create.runs); },
                 [&](const DeleteObject& target) { server_.Delete(target); },
                 [&](ReplaceObject& replace) { server_.Replace(std::move(replace.object)); },
                 [&](const DrainNode& drain) { server_.Drain(drain); },
             },
             event.what);
}

void Simulation::Arrive(const std::shared_ptr<const Arrivals>& arrivals) {
  if (arrivals->until && agenda_.now() - history_.start >= *arrivals->until) return;
  server_.CreateNamed(arrivals->pod, arrivals->name_prefix, arrivals->runs);
  agenda_.After(NextGap(*arrivals), [this, arrivals] { Arrive(arrivals); });
}

Duration Simulation::NextGap(const Arrivals& arrivals) {
  if (!arrivals.poisson) return arrivals.gap;
  constexpr uint64_t kSteps = uint64_t{1} << 53;
  const double uniform = (static_cast<double>(random_.Below(kSteps)) + 0.5) / static_cast<double>(kSteps);
  return {std::max<int64_t>(1, std::llround(-std::log(uniform) * static_cast<double>(arrivals.gap.nanos)))};
}

std::vector<scheduler::IssuedEffect> Simulation::Step(ApiServer::What what) {
  scheduler::Input input{agenda_.now(), std::move(what)};
  if (log_ != nullptr) log_->WriteInput(input);
  std::vector<scheduler::IssuedEffect> effects = core_->Step(std::move(input));
  if (log_ != nullptr) log_->WriteDigest(record::DigestOf(effects));
  return effects;
}

void Simulation::CarryOut(std::vector<scheduler::IssuedEffect> effects, const std::string& pod) {
  for (scheduler::IssuedEffect& effect : effects) {
    const auto shared = std::make_shared<const scheduler::IssuedEffect>(std::move(effect));
    agenda_.After(behaviour_.bind_latency, [this, shared, pod] { server_.CarryOut(*shared, pod); });
  }
}

std::optional<Time> Simulation::NextTime() const {
  std::optional<Time> next = agenda_.next();
  const auto consider = [&](Time time) { next = std::max(agenda_.now(), next ? std::min(*next, time) : time); };
  if (const std::optional<Time> deadline = core_->NextDeadline()) consider(*deadline);
  if (core_->HasWork()) consider(next_attempt_);
  return next;
}

bool Simulation::IsSettled(Time next) const {
  const Duration patience = core_->bindings().size() == 0 ? behaviour_.patience : kBindingPatience;
  return !until_ && agenda_.empty() && next - server_.changed_at() > patience;
}

void Simulation::DoNext() {
  if (agenda_.next() && *agenda_.next() <= agenda_.now()) return agenda_.RunNext();
  const std::optional<Time> deadline = core_->NextDeadline();
  if (deadline && *deadline <= agenda_.now()) return Feed(scheduler::PassTime{});
  Attempt();
}

void Simulation::Attempt() {
  next_attempt_ = agenda_.now() + behaviour_.scheduling_interval;
  std::vector<scheduler::IssuedEffect> effects = Step(scheduler::ScheduleNext{});
  const std::optional<scheduler::Core::LastAttempt>& attempt = core_->last_attempt();
  if (!attempt) return CarryOut(std::move(effects), {});
  ++history_.attempts;
  const std::string pod = attempt->pod->full_name();
  if (PodLife* life = server_.LifeOf(pod)) {
    ++life->attempts;
    life->has_error = attempt->decision.outcome == scheduler::Outcome::kError;
    if (settings_.explain) {
      life->explanations.push_back(
          Explain(core_->cluster(), *attempt->profile, attempt->cycle, attempt->decision, settings_.explain_limit));
    }
  }
  CarryOut(std::move(effects), pod);
}

void Simulation::Run(std::optional<Duration> until, const Progress& progress) {
  if (until) until_ = history_.start + *until;
  while (const std::optional<Time> next = NextTime()) {
    if ((until_ && *next > *until_) || IsSettled(*next)) break;
    SampleBefore(*next);
    course_.Pass(*next, CountQueue());
    agenda_.PassTo(*next);
    DoNext();
    const queue::SchedulingQueue& queue = core_->queue();
    const size_t queued = queue.active().size() + queue.backoff().rejected().size() + queue.backoff().failed().size() +
                          queue.unschedulable().size() - queue.unschedulable().gated_count();
    history_.peak_pending = std::max(history_.peak_pending, queued + core_->bindings().size());
    if (progress && history_.attempts % kProgressEvery == 0) progress(history_.attempts, queued);
  }
  if (until_) agenda_.PassTo(*until_);
  if (log_ != nullptr) log_->WriteEnd();
  Conclude();
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
  sample.running = server_.running_count();
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
  for (PodLife& life : history_.pods) {
    if (life.state == PodLife::State::kWaiting) Conclude(life);
  }
}

// Says more of a pod that has no node.
void Simulation::Conclude(PodLife& life) const {
  const cluster::PodPtr pod = core_->pods().Find(life.full_name());
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
