// SPDX-License-Identifier: Apache-2.0
// LineExchange: the answer of a server::ApiServer, on its way through the simulated network.

#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "server/rest/exchange.h"
#include "sim/protocol/line.h"

namespace berth::sim {

class LineExchange final : public server::Exchange {
 public:
  // `line` is null if nobody hears the answer.
  explicit LineExchange(std::shared_ptr<Line> line) : line_(std::move(line)) {}
  ~LineExchange() override {
    if (line_ != nullptr) line_->OnGone(nullptr);
  }

  void Send(int status, std::vector<net::Header> headers, server::Bytes body) override {
    if (line_ != nullptr) line_->Answer(status, std::move(headers), *body);
  }
  void Begin(int status, std::vector<net::Header> headers) override {
    if (line_ != nullptr) line_->Head(status, std::move(headers));
  }
  void Write(server::Bytes piece) override {
    if (line_ != nullptr) line_->Write(*piece);
  }
  void End() override {
    if (line_ != nullptr) line_->Close();
  }
  // A line takes everything at once, and delivers it when its client wants it.
  size_t pending_bytes() const override { return 0; }
  void OnDrained(std::move_only_function<void()>) override {}
  void OnGone(std::move_only_function<void()> callback) override {
    if (line_ != nullptr) line_->OnGone(std::move(callback));
  }

 private:
  const std::shared_ptr<Line> line_;
};

}  // namespace berth::sim
