// SPDX-License-Identifier: Apache-2.0
// VirtualNetwork: the connection of one simulated process to the API server.
//
// Requests are refused, lost, repeated and delayed; answers are lost, delayed and cut. One thing holds, as it must for
// any scheduler to be safe: a request arrives within four seconds or never, and not after its sender has heard of its
// end. A process that dies leaves requests behind that still arrive.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "sim/protocol/line.h"

namespace berth::sim {

class VirtualNetwork final : public net::Transport {
 public:
  // Whoever answers requests. `line` is null if nobody hears the answer.
  using Server = std::function<void(const net::Request&, const std::shared_ptr<Line>& line)>;
  // Hears of every request when it is sent.
  using Probe = std::function<void(const net::Request&)>;

  // REQUIRES: agenda, dice and faults outlive every request.
  VirtualNetwork(runtime::Agenda& agenda, Dice& dice, const NetworkFaults& faults, Server server, Probe probe)
      : agenda_(agenda), dice_(dice), faults_(faults), server_(std::move(server)), probe_(std::move(probe)) {}
  ~VirtualNetwork() override;

  CallId Start(net::Request request, net::Receiver receiver) override;
  void Cancel(CallId call) override;
  void Pause(CallId call, bool paused) override;

  // While it is down, nothing gets through, and what was open breaks.
  void SetDown(bool is_down);

 private:
  enum class Fate : uint8_t {
    kArrives,
    kRefused,
    kLost,
    kAnswerLost,
    kRepeated,
    kThrottled,
    kFailsBefore,
    kFailsAfter
  };

  Fate Draw();
  void Carry(Fate fate, net::Request request, const std::shared_ptr<Line>& line);
  void BreakLater(const std::shared_ptr<Line>& line, Duration after, Error error);

  runtime::Agenda& agenda_;
  Dice& dice_;
  const NetworkFaults& faults_;
  const Server server_;
  const Probe probe_;
  std::map<CallId, std::shared_ptr<Line>> lines_;
  CallId last_id_ = 0;
  bool is_down_ = false;
};

}  // namespace berth::sim
