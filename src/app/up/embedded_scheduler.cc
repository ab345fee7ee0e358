// SPDX-License-Identifier: Apache-2.0
#include "app/up/embedded_scheduler.h"

#include <utility>

#include "api/parts/quantity.h"
#include "app/command_line/random_number.h"
#include "app/scheduler/recording.h"
#include "base/uuid.h"
#include "client/access/server_access.h"
#include "config/config.h"
#include "framework/extender_sources.h"
#include "record/settings.h"
#include "runtime/files.h"
#include "world/store_feed.h"

namespace berth::up {
namespace {

Result<scheduler_app::Options> ReadOptions(const Options& asked) {
  const std::string& config_file = asked.scheduler_config;
  scheduler_app::Options options;
  options.gates = asked.gates.scheduler;
  options.gate_overrides = asked.gates.overrides;
  options.features = scheduler_app::FeatureStates(asked.gates, scheduler_app::EffectiveVersion());
  if (config_file.empty()) {
    options.configuration = config::Default(options.gates);
  } else {
    const std::string text = BERTH_TRY(runtime::ReadFile(config_file));
    Result<framework::SchedulerConfiguration> loaded = config::Load(text, options.gates, *asked.plugins);
    if (!loaded) return Fail(loaded.error().code, config_file + ": " + loaded.error().message);
    options.configuration = std::move(*loaded);
  }
  if (!asked.policy_config_file.empty()) {
    options.legacy.source = config::PolicyFile{asked.policy_config_file};
    options.legacy.policy.compat = BERTH_TRY(config::ParsePolicyCompat(asked.policy_compat));
    BERTH_CHECK_OK(scheduler_app::ApplyLegacyAlgorithm(options));
  }
  // There is one scheduler, and nobody to be spared its requests.
  options.configuration.leader_election.leader_elect = false;
  options.decision_record_bytes = BERTH_TRY(api::Quantity::Parse(asked.decision_records)).Value();
  return options;
}

}  // namespace

EmbeddedScheduler::EmbeddedScheduler(net::EventLoop& loop, world::World& world, scheduler_app::Options options)
    : options_(std::move(options)),
      telemetry_({}, options_),
      transport_(world.api(), loop.background()),
      credentials_(client::NoCredentials()),
      client_(transport_, loop, *credentials_,
              {.server = "http://localhost", .user_agent = "kube-scheduler/berth", .qps = 0, .burst = 0},
              &telemetry_.requests) {}

Result<std::unique_ptr<EmbeddedScheduler>> EmbeddedScheduler::Create(net::EventLoop& loop, world::World& world,
                                                                     const Options& asked) {
  scheduler_app::Options options = BERTH_TRY(ReadOptions(asked));
  record::Settings settings{options.configuration, options.gates, asked.seed ? *asked.seed : app::RandomNumber(),
                            loop.Now()};
  if (options.legacy.in_force()) settings.policy_release = options.legacy.policy.compat;
  std::unique_ptr<scheduler::Core> core = BERTH_TRY(record::MakeCore(settings, *asked.plugins));
  std::unique_ptr<scheduler_app::Recording> recording;
  if (!asked.record_file.empty()) {
    recording = BERTH_TRY(scheduler_app::Recording::Create(asked.record_file, options.record_limit_bytes, settings));
  }
  std::unique_ptr<EmbeddedScheduler> made(new EmbeddedScheduler(loop, world, std::move(options)));
  core->set_observer(&made->telemetry_.core_observer);
  core->set_record_limits({.bytes = static_cast<size_t>(made->options_.decision_record_bytes)});
  made->extenders_ = BERTH_TRY(client::ExtenderCaller::Create(loop, made->options_.configuration.extenders,
                                                              client::ClientEnvironment::OfProcess().proxies));
  const api::KeptSources sources = framework::SourcesForExtenders(made->options_.configuration.extenders);
  made->scheduler_ = std::make_unique<scheduler_app::LiveScheduler>(
      loop, made->options_,
      scheduler_app::LiveScheduler::Clients{made->client_, made->client_, made->client_, made->extenders_.get(),
                                            [&world, &loop, sources](client::ObjectSink& sink) {
                                              return std::make_unique<world::StoreFeed>(
                                                  world.store(), world.catalog(), sink, sources,
                                                  world::StoreFeed::LogSkipped, &loop.background());
                                            }},
      scheduler_app::LiveScheduler::Identity{"berth-up", MakeUuid(app::RandomNumber(), app::RandomNumber())},
      std::move(core), std::move(recording), made->telemetry_, [self = made.get()](scheduler_app::LiveScheduler::End) {
        if (self->on_end_) self->on_end_();
      });
  return made;
}

void EmbeddedScheduler::Stop(std::move_only_function<void()> done) {
  on_end_ = std::move(done);
  scheduler_->Stop();
}

}  // namespace berth::up
