// SPDX-License-Identifier: Apache-2.0
// Line: the way back of one HTTP exchange in the simulated network.
//
// The server writes; the client hears it late, in pieces of any size but in order, and perhaps not to the end.

#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "net/transport.h"
#include "runtime/agenda.h"
#include "sim/core/dice.h"

namespace berth::sim {

// How unreliable the network and the server are; chances in percent.
struct NetworkFaults {
  int64_t refused = 0;        // Per request: no connection.
  int64_t lost_request = 0;   // Per request: it never arrives.
  int64_t lost_answer = 0;    // Per request: the server acts, but nobody hears of it.
  int64_t repeated = 0;       // Per request: it arrives twice, and the answer to the second is heard.
  int64_t throttled = 0;      // Per request: 429.
  int64_t failed_before = 0;  // Per request: 500, nothing was done.
  int64_t failed_after = 0;   // Per request: 500, although it was done.
  int64_t cut = 0;            // Per piece of an answer: it ends in the middle.
  Duration delay_max = Milliseconds(5);
};

class Line : public std::enable_shared_from_this<Line> {
 public:
  // REQUIRES: agenda, dice and faults outlive the line.
  Line(runtime::Agenda& agenda, Dice& dice, const NetworkFaults& faults, net::Receiver receiver)
      : agenda_(agenda), dice_(dice), faults_(faults), receiver_(std::move(receiver)) {}

  // The server's end.
  bool is_open() const { return !ended_ && !abandoned_; }
  void Head(int status, std::vector<net::Header> headers);
  void Write(std::string bytes);
  void Close() { End({}); }
  void Answer(int status, std::vector<net::Header> headers, std::string body);
  // Called, later, if the connection breaks or the client goes before all is said.
  void OnGone(std::move_only_function<void()> callback) { on_gone_ = std::move(callback); }

  // The connection breaks: nothing that was not yet heard will be.
  void Break(Error error);
  // The client has no interest any more.
  void Abandon();
  void Pause(bool paused);

 private:
  using Piece = std::variant<net::ResponseHead, std::string, Result<void>>;
  struct Sent {
    Time due;
    Piece piece;
  };

  void End(Result<void> end);
  void TellGone();
  void Send(Piece piece);
  void Plan();
  void Deliver();

  runtime::Agenda& agenda_;
  Dice& dice_;
  const NetworkFaults& faults_;
  net::Receiver receiver_;
  std::move_only_function<void()> on_gone_;
  std::deque<Sent> sent_;
  Time last_due_{};
  bool planned_ = false;
  bool paused_ = false;
  bool ended_ = false;      // The server has said all.
  bool abandoned_ = false;  // The client hears nothing.
};

}  // namespace berth::sim
