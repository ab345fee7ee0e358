// SPDX-License-Identifier: Apache-2.0
// LiveInstance: one process of a live scheduler in the simulated world.
//
// Its session with the API server is the one that the live scheduler has. In place of the core's thread, the core
// takes what was told to it after some time, in turns.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "client/scheduler_session.h"
#include "framework/feature_gates.h"
#include "scheduler/core.h"
#include "sim/core/group_checks.h"
#include "sim/protocol/delivery_check.h"
#include "sim/protocol/virtual_network.h"
#include "sim/protocol/virtual_timers.h"

namespace berth::sim {

class LiveInstance final : public client::CoreLink {
 public:
  struct Surroundings {
    runtime::Agenda& agenda;
    Dice& dice;
    const ServedCluster& cluster;
    const NetworkFaults& faults;
    VirtualNetwork::Server server;
    // Hears of every request that the instance sends.
    std::function<void(const LiveInstance&, const net::Request&)> probe;
    std::function<void(const std::string&)> trace;  // May be empty.
  };
  struct Options {
    std::string name;
    Duration clock_offset{};
    framework::FeatureGates gates = {};
    bool elects = true;
    bool protobuf = false;
    bool delay_cache_until_active = false;
    Duration core_delay_max = Milliseconds(2);
    size_t inbox_limit = 4096;
    uint64_t seed = 0;
  };

  LiveInstance(Surroundings world, Options options);
  ~LiveInstance() override;

  void Start() { session_->Start(); }
  void Stop() { session_->Stop(); }
  bool has_ended() const { return has_ended_; }
  VirtualNetwork& network() { return network_; }

  const std::string& name() const { return options_.name; }
  bool elects() const { return options_.elects; }
  bool is_leading() const { return session_->is_leading(); }
  const scheduler::Core& core() const { return *core_; }

  // What is wrong, or nothing.
  std::string Check() { return wrong_.empty() ? deliveries_.Check() : wrong_; }
  std::string CheckAtRest() const;

  void Deliver(std::vector<client::Delivery> batch) override;
  bool is_full() const override { return inbox_.size() >= options_.inbox_limit; }
  void Answer(scheduler::EffectAnswer answer) override { Push(std::move(answer)); }
  void StartScheduling() override { Push(SetScheduling{true}); }
  void StopScheduling() override { Push(SetScheduling{false}); }
  void AwaitCore(std::move_only_function<void(bool)> done) override { Push(Question{std::move(done)}); }

 private:
  struct SetScheduling {
    bool schedules;
  };
  struct Question {
    std::move_only_function<void(bool)> done;
  };
  using Item =
      std::variant<scheduler::PutObject, scheduler::RemoveObject, scheduler::EffectAnswer, SetScheduling, Question>;

  void Push(Item item);
  void Wake();
  void RunCore();
  void Apply(Item item);
  void Step(decltype(scheduler::Input::what) what);
  void Note(const std::string& wrong) {
    if (wrong_.empty()) wrong_ = wrong;
  }
  void HandOrdersOn();
  void Sent(const net::Request& request);

  Surroundings world_;
  const Options options_;
  VirtualTimers timers_;
  VirtualNetwork network_;
  std::unique_ptr<client::Credentials> credentials_ = client::NoCredentials();
  client::RestClient main_client_;
  client::RestClient event_client_;
  client::RestClient lease_client_;
  DeliveryCheck deliveries_;
  std::unique_ptr<scheduler::Core> core_;
  GroupChecks group_checks_;
  std::string wrong_;
  uint64_t steps_ = 0;
  std::vector<Item> inbox_;
  std::vector<client::Order> orders_;
  runtime::Timer turn_;
  bool is_awake_ = false;  // The next turn comes soon.
  bool was_full_ = false;
  bool schedules_ = false;
  bool has_ended_ = false;
  std::optional<client::SchedulerSession> session_;
};

}  // namespace berth::sim
