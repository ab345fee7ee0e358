// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/live_scheduler.h"

#include <fmt/format.h>

#include <utility>

#include "telemetry/log.h"

namespace berth::scheduler_app {
namespace {

// How long a stop waits for answers and events that are under way.
constexpr Duration kDrainMax = Seconds(2);
constexpr Duration kDrainPoll = Milliseconds(5);

uint64_t SeedOf(const std::string& uuid) { return std::hash<std::string>()(uuid); }

client::LeaderElector::Options ElectionOptions(const framework::LeaderElectionConfiguration& configuration,
                                               const LiveScheduler::Identity& identity) {
  return {.ns = configuration.resource_namespace,
          .name = configuration.resource_name,
          .identity = identity.host_name + "_" + identity.uuid,
          .lease_duration = configuration.lease_duration,
          .renew_deadline = configuration.renew_deadline,
          .retry_period = configuration.retry_period,
          .seed = SeedOf(identity.uuid)};
}

}  // namespace

LiveScheduler::LiveScheduler(net::EventLoop& loop, const Options& options, Clients clients, Identity identity,
                             std::unique_ptr<scheduler::Core> core, std::unique_ptr<Recording> recording,
                             SchedulerTelemetry& telemetry, std::move_only_function<void(enum End)> on_end)
    : loop_(loop),
      options_(options),
      identity_(std::move(identity)),
      telemetry_(telemetry),
      on_end_(std::move(on_end)),
      core_(std::make_unique<CoreThread>(CoreThread::Parts{
          .core = std::move(core),
          .recording = std::move(recording),
          .clock = clock_,
          .carry_out =
              [this](std::vector<client::Order> orders) {
                loop_.Post([this, orders = std::move(orders)]() mutable { Carry(std::move(orders)); });
              },
          .on_emptied = [this] { loop_.Post([this] { informers_.Resume(); }); },
      })),
      sink_(*core_),
      events_(clients.events, loop,
              {.host_name = identity_.host_name,
               .content_type = options.configuration.client_connection.content_type,
               .seed = SeedOf(identity_.uuid)}),
      runner_(clients.main, loop, events_,
              {.content_type = options.configuration.client_connection.content_type, .seed = SeedOf(identity_.uuid)},
              [this](decltype(scheduler::Input::what) what) { Report(std::move(what)); }),
      informers_(clients.main, loop, sink_, telemetry.reflectors,
                 {.protobuf = options.configuration.client_connection.content_type == client::kProtobuf,
                  .seed = SeedOf(identity_.uuid)},
                 [this] { OnCachesSynced(); }),
      drain_(loop) {
  const framework::LeaderElectionConfiguration& election = options.configuration.leader_election;
  if (!election.leader_elect) return;
  ShowLeading(false);
  elector_.emplace(clients.leases, loop, ElectionOptions(election, identity_),
                   client::LeaderElector::Callbacks{
                       .on_started = [this](const client::Lease& lease) { OnLeading(lease); },
                       .on_stopped = [this](client::LeaderElector::End end) { OnElectionEnded(end); },
                       .on_new_leader =
                           [](const std::string& leader) {
                             if (!leader.empty()) telemetry::LogInfo("New leader elected", "leader", leader);
                           },
                       .on_failure = [](const std::string& why) { telemetry::LogError("Leader election", "err", why); },
                   });
}

LiveScheduler::~LiveScheduler() = default;

bool LiveScheduler::WaitsToLead() const { return elector_ && options_.configuration.delay_cache_until_active; }

void LiveScheduler::Start() {
  if (WaitsToLead()) {
    elector_->Start();
  } else {
    informers_.Start();
  }
}

void LiveScheduler::OnCachesSynced() {
  // Behind everything that was delivered.
  Ask([this](const scheduler::Core&) { loop_.Post([this] { OnCoreSynced(); }); });
}

void LiveScheduler::OnCoreSynced() {
  synced_ = true;
  if (stopping_) return;
  if (!elector_ || WaitsToLead()) {
    StartScheduling();
  } else {
    elector_->Start();
  }
}

void LiveScheduler::OnLeading(const client::Lease& lease) {
  const std::string& id = lease.record.holder;
  ShowLeading(true);
  telemetry::LogInfo("Successfully acquired lease", "lock", api::FullName(lease.meta));
  events_.RecordCore({.regarding = {.kind = "Lease",
                                    .api_version = "coordination.k8s.io/v1",
                                    .ns = lease.meta.ns,
                                    .name = lease.meta.name,
                                    .uid = lease.meta.uid,
                                    .resource_version = lease.meta.resource_version},
                      .type = "Normal",
                      .reason = "LeaderElection",
                      .action = "",
                      .note = id + " became leader",
                      .controller = "default-scheduler"});
  if (WaitsToLead()) {
    informers_.Start();
  } else {
    // What the last leader did shortly before may not have shown in a watch yet.
    informers_.Refresh([this] { StartScheduling(); });
  }
}

void LiveScheduler::ShowLeading(bool is_leading) {
  telemetry_.client.leader_election_master_status.With(options_.configuration.leader_election.resource_name)
      .Set(is_leading ? 1 : 0);
}

void LiveScheduler::StartScheduling() {
  if (stopping_) return;
  scheduling_ = true;
  core_->inbox().Push(CoreThread::Item(CoreThread::StartScheduling{}));
}

void LiveScheduler::Carry(std::vector<client::Order> orders) {
  for (client::Order& order : orders) runner_.Run(std::move(order));
}

void LiveScheduler::Report(decltype(scheduler::Input::what) what) {
  if (auto* put = std::get_if<scheduler::PutObject>(&what)) return informers_.ReadAhead(std::move(*put));
  if (auto* removed = std::get_if<scheduler::RemoveObject>(&what)) return informers_.ReadAhead(std::move(*removed));
  if (auto* answer = std::get_if<scheduler::EffectAnswer>(&what))
    core_->inbox().Push(CoreThread::Item(std::move(*answer)));
}

std::optional<std::string> LiveScheduler::LeaseProblem() const {
  return elector_ ? elector_->CheckHealth() : std::nullopt;
}

void LiveScheduler::Stop() {
  if (std::exchange(stopping_, true)) return;
  core_->inbox().Push(CoreThread::Item(CoreThread::StopScheduling{}));
  drain_end_ = loop_.Now() + kDrainMax;
  AwaitOrders();
}

void LiveScheduler::AwaitOrders() {
  // The core says when it has handed its last order on; only then does an empty runner mean that nothing is under way.
  Ask([this](const scheduler::Core& core) {
    const bool is_binding = core.bindings().size() > 0;
    loop_.Post([this, is_binding] {
      const bool is_busy = is_binding || runner_.running() > 0 || events_.unwritten() > 0;
      if (!is_busy || loop_.Now() >= drain_end_) return Release();
      drain_.Start(kDrainPoll, [this] { AwaitOrders(); });
    });
  });
}

void LiveScheduler::Release() {
  informers_.Stop();
  if (!elector_) return on_end_(End::kStopped);
  elector_->Stop();
}

void LiveScheduler::OnElectionEnded(client::LeaderElector::End end) {
  on_end_(end == client::LeaderElector::End::kLost ? End::kLeaseLost : End::kStopped);
}

}  // namespace berth::scheduler_app
