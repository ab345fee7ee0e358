// SPDX-License-Identifier: Apache-2.0
#include "sim/protocol/line.h"

#include <algorithm>
#include <utility>

namespace berth::sim {

void Line::Head(int status, std::vector<net::Header> headers) {
  if (is_open()) Send(net::ResponseHead{status, std::move(headers)});
}

void Line::Write(std::string bytes) {
  if (!is_open() || bytes.empty()) return;
  const auto size = static_cast<int64_t>(bytes.size());
  if (dice_.Percent(faults_.cut)) {
    Send(bytes.substr(0, static_cast<size_t>(dice_.Between(0, size))));
    return End(dice_.Percent(50) ? Result<void>() : Fail(Code::kInternal, "unexpected EOF"));
  }
  // Some arrive in two pieces.
  const auto first = static_cast<size_t>(dice_.Percent(30) ? dice_.Between(0, size) : size);
  if (first > 0) Send(bytes.substr(0, first));
  if (first < bytes.size()) Send(bytes.substr(first));
}

void Line::Answer(int status, std::vector<net::Header> headers, std::string body) {
  Head(status, std::move(headers));
  // An answer has a length, so one that was cut is never taken for whole.
  if (dice_.Percent(faults_.cut)) return End(Fail(Code::kInternal, "unexpected EOF"));
  if (is_open() && !body.empty()) Send(std::move(body));
  Close();
}

void Line::End(Result<void> end) {
  if (!is_open()) return;
  Send(std::move(end));
  ended_ = true;
}

void Line::TellGone() {
  if (!on_gone_) return;
  agenda_.After({}, [line = shared_from_this()] {
    if (auto told = std::exchange(line->on_gone_, nullptr)) told();
  });
}

void Line::Abandon() {
  abandoned_ = true;
  TellGone();
}

void Line::Break(Error error) {
  if (abandoned_) return;
  TellGone();
  sent_.clear();
  ended_ = true;
  sent_.push_back({agenda_.now(), Result<void>(std::unexpected(std::move(error)))});
  paused_ = false;
  Plan();
}

void Line::Pause(bool paused) {
  paused_ = paused;
  Plan();
}

void Line::Send(Piece piece) {
  last_due_ = std::max(last_due_, agenda_.now() + dice_.UpTo(faults_.delay_max));
  sent_.push_back({last_due_, std::move(piece)});
  Plan();
}

void Line::Plan() {
  if (planned_ || paused_ || abandoned_ || sent_.empty()) return;
  planned_ = true;
  agenda_.At(sent_.front().due, [line = shared_from_this()] { line->Deliver(); });
}

void Line::Deliver() {
  planned_ = false;
  if (paused_ || abandoned_ || sent_.empty()) return;
  const Piece piece = std::move(sent_.front().piece);
  sent_.pop_front();
  if (const auto* head = std::get_if<net::ResponseHead>(&piece)) {
    receiver_.on_head(*head);
  } else if (const auto* bytes = std::get_if<std::string>(&piece)) {
    receiver_.on_body(*bytes);
  } else {
    abandoned_ = true;
    receiver_.on_end(std::get<Result<void>>(piece));
  }
  Plan();
}

}  // namespace berth::sim
