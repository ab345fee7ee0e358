// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/live_scheduler.h"

#include <utility>

#include "client/informers.h"
#include "framework/extender_sources.h"
#include "framework/plugin_expansion.h"
#include "plugins/coscheduling/coscheduling.h"

namespace berth::scheduler_app {
namespace {

using client::SchedulerSession;

uint64_t SeedOf(const std::string& uuid) { return std::hash<std::string>()(uuid); }

SchedulerSession::Options SessionOptions(const framework::SchedulerConfiguration& configuration,
                                         const framework::FeatureGates& gates,
                                         const LiveScheduler::Identity& identity) {
  SchedulerSession::Options options;
  options.groups = client::GroupsOf(gates);
  options.groups.coscheduled_groups = framework::Enables(configuration, plugins::Coscheduling::kName);
  options.host_name = identity.host_name;
  options.content_type = configuration.client_connection.content_type;
  options.delay_cache_until_active = configuration.delay_cache_until_active;
  options.sources = framework::SourcesForExtenders(configuration.extenders);
  options.seed = SeedOf(identity.uuid);
  const framework::LeaderElectionConfiguration& election = configuration.leader_election;
  if (!election.leader_elect) return options;
  options.election = {.ns = election.resource_namespace,
                      .name = election.resource_name,
                      .identity = identity.host_name + "_" + identity.uuid,
                      .lease_duration = election.lease_duration,
                      .renew_deadline = election.renew_deadline,
                      .retry_period = election.retry_period,
                      .seed = SeedOf(identity.uuid)};
  return options;
}

void ShowLeading(SchedulerTelemetry& telemetry, const Options& options, bool is_leading) {
  const framework::LeaderElectionConfiguration& election = options.configuration.leader_election;
  if (!election.leader_elect) return;
  telemetry.client.leader_election_master_status.With(election.resource_name).Set(is_leading ? 1 : 0);
}

}  // namespace

LiveScheduler::LiveScheduler(net::EventLoop& loop, const Options& options, Clients clients, const Identity& identity,
                             std::unique_ptr<scheduler::Core> core, std::unique_ptr<Recording> recording,
                             SchedulerTelemetry& telemetry, std::move_only_function<void(End)> on_end)
    : core_({
          .core = std::move(core),
          .recording = std::move(recording),
          .clock = loop.clock(),
          .carry_out =
              [this, &loop](std::vector<client::Order> orders) {
                loop.Post([this, orders = std::move(orders)]() mutable { session_.CarryOut(std::move(orders)); });
              },
          .on_emptied = [this, &loop] { loop.Post([this] { session_.Resume(); }); },
          .parallelism = options.configuration.parallelism,
      }),
      sink_(core_, loop),
      session_(clients, loop, sink_, telemetry.reflectors,
               SessionOptions(options.configuration, options.gates, identity),
               {.on_leading = [&telemetry, &options] { ShowLeading(telemetry, options, true); },
                .on_end = std::move(on_end)}) {
  ShowLeading(telemetry, options, false);
}

}  // namespace berth::scheduler_app
