// SPDX-License-Identifier: Apache-2.0
#include "sim/protocol/virtual_network.h"

#include <algorithm>
#include <array>
#include <utility>

namespace berth::sim {
namespace {

constexpr Duration kArrivalMax = Seconds(4);
// A connection that stays silent breaks after this at the latest, by keep-alives.
constexpr Duration kSilenceMax = Seconds(40);

const Error kReset{Code::kInternal, "connection reset by peer"};

void AnswerStatus(Line& line, int code, std::string_view reason, std::vector<net::Header> headers = {}) {
  headers.push_back({"Content-Type", "application/json"});
  line.Answer(code, std::move(headers),
              R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"by chance","reason":")" +
                  std::string(reason) + R"(","code":)" + std::to_string(code) + "}");
}

}  // namespace

VirtualNetwork::~VirtualNetwork() {
  for (const auto& [id, line] : lines_) line->Abandon();
}

VirtualNetwork::Fate VirtualNetwork::Draw() {
  if (is_down_) return dice_.Percent(50) ? Fate::kRefused : Fate::kLost;
  const std::array<std::pair<int64_t, Fate>, 7> chances = {{{faults_.refused, Fate::kRefused},
                                                            {faults_.lost_request, Fate::kLost},
                                                            {faults_.lost_answer, Fate::kAnswerLost},
                                                            {faults_.repeated, Fate::kRepeated},
                                                            {faults_.throttled, Fate::kThrottled},
                                                            {faults_.failed_before, Fate::kFailsBefore},
                                                            {faults_.failed_after, Fate::kFailsAfter}}};
  int64_t drawn = dice_.Between(0, 99);
  for (const auto& [chance, fate] : chances) {
    if (drawn < chance) return fate;
    drawn -= chance;
  }
  return Fate::kArrives;
}

net::Transport::CallId VirtualNetwork::Start(net::Request request, net::Receiver receiver) {
  const CallId id = ++last_id_;
  probe_(request);
  receiver.on_end = [this, id, on_end = std::move(receiver.on_end)](Result<void> end) mutable {
    lines_.erase(id);
    on_end(std::move(end));
  };
  const auto line = std::make_shared<Line>(agenda_, dice_, faults_, std::move(receiver));
  lines_.emplace(id, line);
  if (request.timeout.nanos > 0) BreakLater(line, request.timeout, {Code::kDeadline, "request timed out"});
  Carry(Draw(), std::move(request), line);
  return id;
}

void VirtualNetwork::Carry(Fate fate, net::Request request, const std::shared_ptr<Line>& line) {
  const Duration there = dice_.UpTo(std::min(faults_.delay_max, kArrivalMax));
  const Duration silence = dice_.Percent(50) ? dice_.UpTo(Seconds(1)) : dice_.UpTo(kSilenceMax);
  if (fate == Fate::kRefused) return BreakLater(line, dice_.UpTo(Seconds(1)), {Code::kUnavailable, "refused"});
  if (fate == Fate::kLost) return BreakLater(line, silence, kReset);
  if (fate == Fate::kAnswerLost) BreakLater(line, there + silence, kReset);
  // The process may be gone by then, but not the world.
  agenda_.After(there, [server = server_, fate, request = std::move(request), line] {
    switch (fate) {
      case Fate::kThrottled: return AnswerStatus(*line, 429, "TooManyRequests", {{"Retry-After", "1"}});
      case Fate::kFailsBefore: return AnswerStatus(*line, 500, "InternalError");
      case Fate::kFailsAfter: server(request, nullptr); return AnswerStatus(*line, 500, "InternalError");
      case Fate::kAnswerLost: return server(request, nullptr);
      case Fate::kRepeated: server(request, nullptr); break;
      default: break;
    }
    server(request, line);
  });
}

void VirtualNetwork::BreakLater(const std::shared_ptr<Line>& line, Duration after, Error error) {
  agenda_.After(after, [weak = std::weak_ptr(line), error = std::move(error)] {
    if (const auto alive = weak.lock()) alive->Break(error);
  });
}

void VirtualNetwork::Cancel(CallId call) {
  const auto line = lines_.extract(call);
  if (!line.empty()) line.mapped()->Abandon();
}

void VirtualNetwork::Pause(CallId call, bool paused) {
  const auto line = lines_.find(call);
  if (line != lines_.end()) line->second->Pause(paused);
}

void VirtualNetwork::SetDown(bool is_down) {
  is_down_ = is_down;
  if (!is_down) return;
  // Requests that are under way may still arrive; see above.
  for (const auto& [id, line] : lines_) BreakLater(line, kArrivalMax + dice_.UpTo(Seconds(2)), kReset);
}

}  // namespace berth::sim
