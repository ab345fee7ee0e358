// SPDX-License-Identifier: Apache-2.0
// MemoryExchange: keeps an answer in memory, for tests.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/rest/exchange.h"

namespace berth::server {

struct MemoryAnswer {
  int status = 0;  // 0: nothing was said yet.
  std::vector<net::Header> headers;
  std::string body;
  bool has_ended = false;
  size_t pending_bytes = 0;  // As if the client had not taken them; set by the test.
  std::move_only_function<void()> on_gone;
  std::move_only_function<void()> on_drained;
};

class MemoryExchange : public Exchange {
 public:
  explicit MemoryExchange(std::shared_ptr<MemoryAnswer> answer) : answer_(std::move(answer)) {}

  void Send(int status, std::vector<net::Header> headers, Bytes body) override {
    Begin(status, std::move(headers));
    Write(std::move(body));
    End();
  }
  void Begin(int status, std::vector<net::Header> headers) override {
    answer_->status = status;
    answer_->headers = std::move(headers);
  }
  void Write(Bytes piece) override { answer_->body += *piece; }
  void End() override { answer_->has_ended = true; }
  size_t pending_bytes() const override { return answer_->pending_bytes; }
  void OnDrained(std::move_only_function<void()> callback) override { answer_->on_drained = std::move(callback); }
  void OnGone(std::move_only_function<void()> callback) override { answer_->on_gone = std::move(callback); }

 private:
  std::shared_ptr<MemoryAnswer> answer_;
};

}  // namespace berth::server
