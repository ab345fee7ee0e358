// SPDX-License-Identifier: Apache-2.0
#include "client/scheduler_session.h"

#include <utility>

#include "client/informers.h"
#include "telemetry/log.h"

namespace berth::client {
namespace {

// How long a stop waits for answers and events that are under way.
constexpr Duration kDrainMax = Seconds(2);
constexpr Duration kDrainPoll = Milliseconds(5);

Event EventAbout(const Lease& lease, std::string_view type, std::string_view reason, std::string note) {
  return {.regarding = {.kind = "Lease",
                        .api_version = "coordination.k8s.io/v1",
                        .ns = lease.meta.ns,
                        .name = lease.meta.name,
                        .uid = lease.meta.uid,
                        .resource_version = lease.meta.resource_version},
          .type = std::string(type),
          .reason = std::string(reason),
          .action = "",
          .note = std::move(note),
          .controller = "default-scheduler"};
}

}  // namespace

SchedulerSession::SchedulerSession(Clients clients, runtime::Timers& timers, CoreLink& core,
                                   ReflectorObserver& observer, Options options, Hooks hooks)
    : timers_(timers),
      core_(core),
      options_(std::move(options)),
      hooks_(std::move(hooks)),
      events_(clients.events, timers,
              {.host_name = options_.host_name, .content_type = options_.content_type, .seed = options_.seed}),
      runner_(clients.main, timers, events_, clients.extenders,
              {.content_type = options_.content_type,
               .keep_sources = options_.sources.pods,
               .claim_sources = &claim_sources_,
               .seed = options_.seed},
              [this](OrderRunner::News news) {
                if (auto* read = std::get_if<PodRead>(&news)) return reader_->ReadAhead(std::move(*read));
                if (auto* read = std::get_if<ClaimRead>(&news)) return reader_->ReadAhead(std::move(*read));
                core_.Answer(std::get<scheduler::EffectAnswer>(std::move(news)));
              }),
      reader_(MakeReader(clients, observer)),
      drain_(timers, {.delay = runtime::Every(kDrainPoll)}, [this] { AwaitOrders(); }) {
  if (options_.election) Elect(clients.leases, timers);
}

std::unique_ptr<ClusterReader> SchedulerSession::MakeReader(const Clients& clients, ReflectorObserver& observer) {
  if (clients.make_reader) return clients.make_reader(core_);
  return std::make_unique<Informers>(
      clients.main, timers_, core_, observer,
      Reflector::Options{.protobuf = options_.content_type == kProtobuf,
                         // Unless it lists again when it leads.
                         .fresh = !options_.election || options_.delay_cache_until_active,
                         .sources = options_.sources,
                         .claim_sources = &claim_sources_,
                         .seed = options_.seed},
      SchedulerResources(options_.groups));
}

void SchedulerSession::StartReading() {
  // Behind everything that was delivered.
  reader_->Start([this] { core_.AwaitCore([this](bool) { OnCoreSynced(); }); });
}

void SchedulerSession::Elect(RestClient& client, runtime::Timers& timers) {
  LeaderElector::Callbacks callbacks;
  callbacks.on_started = [this](const Lease& lease) { OnLeading(lease); };
  callbacks.on_stopped = [this](LeaderElector::End end) {
    hooks_.on_end(end == LeaderElector::End::kLost ? End::kLeaseLost : End::kStopped);
  };
  callbacks.on_new_leader = [](const std::string& leader) {
    if (!leader.empty()) telemetry::LogInfo("New leader elected", "leader", leader);
  };
  callbacks.on_failure = [](const std::string& why) { telemetry::LogError("Leader election", "err", why); };
  elector_.emplace(client, timers, *options_.election, std::move(callbacks));
}

void SchedulerSession::Start() {
  if (WaitsToLead()) {
    RunForLeader();
  } else {
    StartReading();
  }
}

void SchedulerSession::RunForLeader() {
  telemetry::LogInfo("Attempting to acquire leader lease...", "lock",
                     options_.election->ns + "/" + options_.election->name);
  elector_->Start();
}

void SchedulerSession::OnCoreSynced() {
  synced_ = true;
  if (stopping_) return;
  if (!elector_ || WaitsToLead()) {
    StartScheduling();
  } else {
    RunForLeader();
  }
}

void SchedulerSession::OnLeading(const Lease& lease) {
  telemetry::LogInfo("Successfully acquired lease", "lock", api::FullName(lease.meta));
  lease_ = lease;
  Tell("Normal", "LeaderElection", lease.record.holder + " became leader");
  if (hooks_.on_leading) hooks_.on_leading();
  if (WaitsToLead()) {
    StartReading();
  } else {
    // What the last leader did shortly before may not have shown in a watch yet.
    reader_->Refresh([this] { StartScheduling(); });
  }
}

void SchedulerSession::Tell(std::string_view type, std::string_view reason, std::string note) {
  if (lease_) events_.RecordCore(EventAbout(*lease_, type, reason, std::move(note)));
}

void SchedulerSession::StartScheduling() {
  if (stopping_) return;
  scheduling_ = true;
  core_.StartScheduling();
}

void SchedulerSession::CarryOut(std::vector<Order> orders) {
  for (Order& order : orders) runner_.Run(std::move(order));
}

void SchedulerSession::Stop() {
  if (std::exchange(stopping_, true)) return;
  scheduling_ = false;
  core_.StopScheduling();
  drain_end_ = timers_.Now() + kDrainMax;
  drain_.Start();
}

void SchedulerSession::AwaitOrders() {
  drain_.Hold();
  // The core says when it has handed its last order on; only then does an empty runner mean that nothing is under way.
  core_.AwaitCore([this](bool is_binding) {
    const bool is_busy = is_binding || unanswered() > 0;
    if (!is_busy || timers_.Now() >= drain_end_) return Release(is_binding);
    drain_.Resume();
  });
}

void SchedulerSession::Release(bool is_binding) {
  reader_->Stop();
  // A request that is under way may still take effect. A new leader must not begin before that is out of the question,
  // so the lease is left to expire.
  if (is_binding || runner_.running() > 0) elector_.reset();
  if (!elector_) return hooks_.on_end(End::kStopped);
  elector_->Stop();
}

}  // namespace berth::client
