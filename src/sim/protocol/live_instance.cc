// SPDX-License-Identifier: Apache-2.0
#include "sim/protocol/live_instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/overloaded.h"
#include "config/config.h"
#include "plugins/registry.h"
#include "scheduler/inspection.h"
#include "server/rest/target.h"
#include "sim/core/describe.h"

namespace berth::sim {
namespace {

client::RestClient::Options ClientOptions(const std::string& name) {
  return {.server = "https://simulated", .user_agent = name};
}

client::SchedulerSession::Options SessionOptions(const LiveInstance::Options& options) {
  client::SchedulerSession::Options session;
  session.host_name = options.name;
  session.content_type = options.protobuf ? client::kProtobuf : client::kJson;
  session.delay_cache_until_active = options.delay_cache_until_active;
  session.groups = client::GroupsOf(options.gates);
  session.seed = options.seed;
  if (!options.elects) return session;
  session.election.emplace();
  session.election->identity = options.name;
  session.election->seed = options.seed;
  return session;
}

std::unique_ptr<scheduler::Core> MakeCore(const LiveInstance::Options& options, Time now) {
  return scheduler::Core::Create(config::Default(options.gates), plugins::BuiltIn(), options.gates,
                                 std::make_unique<framework::SeededChooser>(options.seed), now)
      .value();
}

// After how many steps all pods of groups are looked at.
constexpr uint64_t kStride = 16;

}  // namespace

LiveInstance::LiveInstance(Surroundings world, Options options)
    : world_(std::move(world)),
      options_(std::move(options)),
      timers_(world_.agenda, options_.clock_offset),
      network_(world_.agenda, world_.dice, world_.faults, world_.server,
               [this](const net::Request& request) { Sent(request); }),
      main_client_(network_, timers_, *credentials_, ClientOptions(options_.name), nullptr),
      event_client_(network_, timers_, *credentials_, ClientOptions(options_.name), nullptr),
      lease_client_(network_, timers_, *credentials_, ClientOptions(options_.name), nullptr),
      deliveries_(world_.cluster),
      core_(MakeCore(options_, timers_.Now())),
      group_checks_(*core_),
      turn_(timers_) {
  session_.emplace(client::SchedulerSession::Clients{main_client_, event_client_, lease_client_}, timers_, *this,
                   deliveries_, SessionOptions(options_),
                   client::SchedulerSession::Hooks{
                       .on_leading = {}, .on_end = [this](client::SchedulerSession::End) { has_ended_ = true; }});
}

LiveInstance::~LiveInstance() = default;

void LiveInstance::Sent(const net::Request& request) {
  if (world_.trace) world_.trace(fmt::format("{} sends {} {}", options_.name, request.method, request.target));
  const std::vector<std::string> path = server::ParseTarget(request.target).value().segments;
  if (request.method == "GET" && path.size() == 6 && path[4] == "pods") {
    deliveries_.OnRead("Pod", server::ObjectKey(path[3], path[5]));
  }
  // The answer to a write tells the newest version too.
  if (path.size() >= 7 && path[5] == "resourceclaims") {
    deliveries_.OnRead("ResourceClaim", server::ObjectKey(path[4], path[6]));
  }
  world_.probe(*this, request);
}

void LiveInstance::Deliver(std::vector<client::Delivery> batch) {
  for (client::Delivery& delivery : batch) {
    deliveries_.OnDelivered(delivery);
    std::visit([&](auto& what) { Push(std::move(what)); }, delivery);
  }
}

void LiveInstance::Push(Item item) {
  inbox_.push_back(std::move(item));
  was_full_ |= is_full();
  Wake();
}

void LiveInstance::Wake() {
  if (std::exchange(is_awake_, true)) return;
  turn_.Start(world_.dice.UpTo(options_.core_delay_max), [this] { RunCore(); });
}

void LiveInstance::RunCore() {
  is_awake_ = false;
  for (Item& item : std::exchange(inbox_, {})) Apply(std::move(item));
  if (std::exchange(was_full_, false)) session_->Resume();
  if (const std::optional<Time> deadline = core_->NextDeadline(); deadline && timers_.Now() >= *deadline) {
    Step(scheduler::PassTime{});
  }
  if (schedules_ && core_->HasWork() && inbox_.empty()) Step(scheduler::ScheduleNext{});
  const bool has_work = !inbox_.empty() || (schedules_ && core_->HasWork());
  if (!has_work || world_.dice.Percent(50)) HandOrdersOn();
  if (has_work) return Wake();
  if (is_awake_) return;
  const std::optional<Time> deadline = core_->NextDeadline();
  if (deadline) turn_.Start(*deadline - timers_.Now(), [this] { RunCore(); });
}

void LiveInstance::Apply(Item item) {
  std::visit(Overloaded{
                 [&](SetScheduling set) { schedules_ = set.schedules; },
                 [&](Question& question) {
                   HandOrdersOn();
                   timers_.After({}, [is_binding = core_->bindings().size() > 0,
                                      done = std::move(question.done)]() mutable { done(is_binding); });
                 },
                 [&](auto& input) { Step(std::move(input)); },
             },
             item);
}

void LiveInstance::Step(decltype(scheduler::Input::what) what) {
  if (world_.trace) world_.trace(fmt::format("{} core: {}", options_.name, Describe(what)));
  const Time now = timers_.Now();
  const std::vector<scheduler::IssuedEffect> effects = core_->Step({now, std::move(what)});
  Note(group_checks_.CheckStep(now));
  if (++steps_ % kStride == 0) Note(group_checks_.CheckEverything());
  for (const scheduler::IssuedEffect& effect : effects) {
    if (world_.trace) world_.trace(fmt::format("{}     {}", options_.name, Describe(effect)));
    Note(group_checks_.CheckEffect(effect.effect));
    orders_.push_back(client::OrderOf(effect, now));
  }
}

void LiveInstance::HandOrdersOn() {
  if (!orders_.empty()) session_->CarryOut(std::exchange(orders_, {}));
}

std::string LiveInstance::CheckAtRest() const {
  if (session_->unanswered() != 0) return fmt::format("{} orders and events have no answer", session_->unanswered());
  if (core_->bindings().size() != 0) return fmt::format("{} bindings do not end", core_->bindings().size());
  if (!core_->cluster().running_preemptions.empty()) return "a preemption does not end";
  if (!core_->cluster().assumed_uids().empty()) return "a pod stays assumed";
  for (const cluster::TableSize& size : core_->Sizes()) {
    if (size.table == "claims in flight" && size.size != 0) return fmt::format("{} claims stay in flight", size.size);
  }
  if (!scheduler::CompareNodes(*core_, session_->NodeNames()).empty()) return "cache and nodes differ";
  if (!scheduler::ComparePods(*core_).empty()) return "cache and pods differ";
  if (std::string wrong = group_checks_.CheckEverything(); !wrong.empty()) return wrong;
  return deliveries_.CheckAtRest();
}

}  // namespace berth::sim
