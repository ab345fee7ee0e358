// SPDX-License-Identifier: Apache-2.0
// TestCaller: keeps the calls of webhooks for a test, which answers them when it likes.

#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "base/base64.h"
#include "server/model/json.h"
#include "server/webhooks/webhook_caller.h"

namespace berth::server {

class TestCaller : public WebhookCaller {
 public:
  void Call(WebhookCall call, Done done) override { calls_.push_back({std::move(call), std::move(done)}); }

  size_t count() const { return calls_.size(); }
  // Of the oldest one.
  const WebhookCall& call() const { return calls_.front().call; }
  Json Request() const { return ParseTree(call().body).value_or(Json())["request"]; }

  // Answers the oldest one. `response`: members of the AdmissionReview's response.
  void Answer(std::string_view response) {
    const std::string uid = Request()["uid"].text();
    Reply(WebhookReply{.status = 200,
                       .content_type = "application/json",
                       .body = R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":")" +
                               uid + R"(",)" + std::string(response) + "}}"});
  }
  void Allow() { Answer(R"("allowed":true)"); }
  void Patch(std::string_view patch) {
    Answer(R"("allowed":true,"patchType":"JSONPatch","patch":")" + EncodeBase64(patch) + R"(")");
  }
  void Deny(std::string_view why) { Answer(R"("allowed":false,"status":{"message":")" + std::string(why) + R"("})"); }
  void Reply(Result<WebhookReply> reply) {
    ASSERT_FALSE(calls_.empty());
    Done done = std::move(calls_.front().done);
    calls_.pop_front();
    done(std::move(reply));
  }

 private:
  struct Kept {
    WebhookCall call;
    Done done;
  };
  std::deque<Kept> calls_;
};

}  // namespace berth::server
