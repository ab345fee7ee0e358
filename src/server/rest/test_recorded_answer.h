// SPDX-License-Identifier: Apache-2.0
// What a part of the API server answers to a GET, for tests.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/model/json.h"
#include "server/rest/call.h"

namespace berth::server {

struct RecordedAnswer {
  int status = 0;  // 0: there was none.
  std::vector<net::Header> headers;
  std::string body;

  std::string Header(std::string_view name) const {
    for (const net::Header& header : headers) {
      if (header.name == name) return header.value;
    }
    return {};
  }
  Json Tree() const { return ParseTree(body).value(); }
};

class RecordingExchange : public Exchange {
 public:
  explicit RecordingExchange(RecordedAnswer& answer) : answer_(answer) {}

  void Send(int status, std::vector<net::Header> headers, Bytes body) override {
    answer_ = {.status = status, .headers = std::move(headers), .body = *body};
  }
  void Begin(int status, std::vector<net::Header> headers) override {
    answer_ = {.status = status, .headers = std::move(headers), .body = {}};
  }
  void Write(Bytes piece) override { answer_.body += *piece; }
  void End() override {}
  size_t pending_bytes() const override { return 0; }
  void OnDrained(std::move_only_function<void()>) override {}
  void OnGone(std::move_only_function<void()>) override {}

 private:
  RecordedAnswer& answer_;
};

// `part` has bool Answer(Call&).
template <class Part>
RecordedAnswer Ask(Part& part, std::string target, std::vector<net::Header> headers = {}) {
  RecordedAnswer answer;
  Call call;
  call.request.method = "GET";
  call.request.headers = std::move(headers);
  call.exchange = std::make_unique<RecordingExchange>(answer);
  call.target = ParseTarget(target).value();
  call.request.target = std::move(target);
  const bool is_answered = part.Answer(call);
  return is_answered ? answer : RecordedAnswer();
}

}  // namespace berth::server
