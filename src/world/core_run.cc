// SPDX-License-Identifier: Apache-2.0
#include "world/core_run.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "server/objects/pod_actions.h"
#include "world/elsewhere.h"

namespace berth::world {

World::Options RunOptions(const framework::FeatureGates& gates) {
  // Pods and nodes whose trees are kept: those that are written often.
  constexpr size_t kFreshBytes = size_t{16} << 20;
  return {.gates = gates,
          .store = {.history_bytes_max = 0, .new_bytes_max = 0, .fresh_bytes_max = kFreshBytes},
          .access = {},
          .tracks_fields = false};
}

scheduler::EffectAnswer RunListener::CallExtender(uint64_t id, framework::CallExtender) {
  return {id, scheduler::EffectAnswer::Code::kFailed, "extenders are not called here"};
}

CoreRun::CoreRun(scheduler::Core& core, World& world, runtime::Agenda& agenda, RunListener& listener, const Pace& pace,
                 api::KeptSources sources, Time first_attempt)
    : core_(core),
      world_(world),
      agenda_(agenda),
      listener_(listener),
      pace_(pace),
      transport_(world.api(), agenda),
      credentials_(client::NoCredentials()),
      client_(transport_, agenda, *credentials_,
              {.server = "http://localhost", .user_agent = "kube-scheduler/berth", .qps = 0, .burst = 0}, nullptr),
      events_(client_, agenda, {}),
      orders_(client_, agenda, events_, nullptr, {},
              [this](client::OrderRunner::News news) {
                // What was read or written was told before.
                if (auto* answer = std::get_if<scheduler::EffectAnswer>(&news)) Feed(std::move(*answer));
              }),
      feed_(world.store(), world.catalog(), *this, sources,
            [this](const Error& error) {
              if (!failure_) failure_ = error;
            }),
      next_attempt_(first_attempt),
      last_pod_(agenda.now()) {}

void CoreRun::Start() {
  feed_.Start([] {});
}

void CoreRun::Deliver(std::vector<client::Delivery> batch) {
  if (!is_told_) return;
  for (client::Delivery& delivery : batch) {
    if (auto* removed = std::get_if<scheduler::RemoveObject>(&delivery)) {
      Feed(std::move(*removed));
      continue;
    }
    auto& put = std::get<scheduler::PutObject>(delivery);
    // The core does not hear of two new pods at the same time: its queue has no order among those.
    if (const auto* pod = std::get_if<api::Pod>(&put.object);
        pod != nullptr && core_.pods().Find(api::FullName(pod->meta)) == nullptr) {
      if (last_pod_ == agenda_.now()) agenda_.PassTo(last_pod_ + Duration{1});
      last_pod_ = agenda_.now();
    }
    Feed(std::move(put));
  }
}

void CoreRun::Feed(What what) { CarryOutLater(Step(std::move(what)), {}); }

std::vector<scheduler::IssuedEffect> CoreRun::Step(What what) {
  scheduler::Input input{agenda_.now(), std::move(what)};
  listener_.StepBegins(input);
  std::vector<scheduler::IssuedEffect> effects = core_.Step(std::move(input));
  listener_.StepEnds(effects);
  return effects;
}

void CoreRun::CarryOutLater(std::vector<scheduler::IssuedEffect> effects, const std::string& pod) {
  for (scheduler::IssuedEffect& effect : effects) {
    agenda_.After(pace_.latency,
                  [this, effect = std::move(effect), pod]() mutable { CarryOut(std::move(effect), pod); });
  }
}

void CoreRun::CarryOut(scheduler::IssuedEffect issued, const std::string& pod) {
  listener_.CarriesOut(issued.effect, pod);
  if (std::holds_alternative<framework::RecordEvent>(issued.effect)) return;  // Nobody reads it.
  if (auto* call = std::get_if<framework::CallExtender>(&issued.effect)) {
    return Feed(listener_.CallExtender(issued.id, std::move(*call)));
  }
  // It was answered before time went on.
  if (std::holds_alternative<framework::CancelExtenderCall>(issued.effect)) return;
  if (IsElsewhere(issued.effect, core_, world_)) {
    for (What& what : CarryOutElsewhere(issued, core_)) Feed(std::move(what));
    return;
  }
  // Behind an order about the same pod it waits for its turn.
  if (std::holds_alternative<framework::BindPod>(issued.effect) && orders_.running() == 0) {
    agenda_.After(Duration{}, [this, issued = std::move(issued)]() mutable { Bind(std::move(issued)); });
    return;
  }
  orders_.Run(client::OrderOf(std::move(issued), agenda_.now()));
}

void CoreRun::Bind(scheduler::IssuedEffect issued) {
  using server::Json;
  const auto& bind = std::get<framework::BindPod>(issued.effect);
  const cluster::PodInfo& pod = *bind.pod;
  const Json binding{{"metadata", Json{{"name", Json::String(pod.name)}, {"uid", Json::String(pod.uid)}}},
                     {"target", Json{{"kind", Json::String("Node")}, {"name", Json::String(bind.node_name)}}}};
  if (server::BindPod(world_.objects(), pod.ns(), pod.name, binding, false)) {
    return Feed(scheduler::EffectAnswer{issued.id, scheduler::EffectAnswer::Code::kOk, {}});
  }
  // It is refused again, in the words in which a scheduler hears of it.
  orders_.Run(client::OrderOf(std::move(issued), agenda_.now()));
}

std::optional<Time> CoreRun::NextTime() const {
  std::optional<Time> next = agenda_.next();
  const auto consider = [&](Time time) { next = std::max(agenda_.now(), next ? std::min(*next, time) : time); };
  if (const std::optional<Time> deadline = core_.NextDeadline()) consider(*deadline);
  if (core_.HasWork()) consider(next_attempt_);
  return next;
}

void CoreRun::DoNext(Time next) {
  agenda_.PassTo(next);
  if (agenda_.next() && *agenda_.next() <= agenda_.now()) return agenda_.RunNext();
  const std::optional<Time> deadline = core_.NextDeadline();
  if (deadline && *deadline <= agenda_.now()) return Feed(scheduler::PassTime{});
  Attempt();
}

void CoreRun::Attempt() {
  next_attempt_ = agenda_.now() + pace_.scheduling_interval;
  std::vector<scheduler::IssuedEffect> effects = Step(scheduler::ScheduleNext{});
  const std::optional<scheduler::Core::LastAttempt>& attempt = core_.last_attempt();
  if (!attempt) return CarryOutLater(std::move(effects), {});
  const std::string pod = attempt->pod->full_name();
  listener_.Tried(*attempt);
  CarryOutLater(std::move(effects), pod);
}

}  // namespace berth::world
