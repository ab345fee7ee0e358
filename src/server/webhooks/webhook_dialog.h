// SPDX-License-Identifier: Apache-2.0
// WebhookDialog: what webhooks are asked about one write, and what they answer.
//
// An attempt at the write that needs an answer puts its question here and ends. When the answers have come, the write
// is attempted again from the start and finds them, on the cluster as it is by then: where that has changed what is
// asked, the question is another one. So that nothing else changes it, all attempts have the same time and the same
// random numbers.
//
// Thread: that of the store.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/time.h"
#include "server/model/json.h"
#include "server/webhooks/webhook_answer.h"

namespace berth::server {

struct WebhookQuestion {
  std::string webhook;  // Which one, and for the how-manieth time.
  Json request;         // What it is about, without its uid.
  AskedReview asked;
  WebhookCall call;
};

class WebhookDialog {
 public:
  // `deadline`: by the clock that never jumps.
  WebhookDialog(uint64_t seed, Time now, Time deadline) : first_(seed), random_(seed), now_(now), deadline_(deadline) {}

  // To be called before each attempt. Forgets the answers that the last one did not look for.
  void Begin();

  Random& random() { return random_; }
  Time now() const { return now_; }  // Of day.
  Time deadline() const { return deadline_; }

  // Null if there is none yet.
  const WebhookAnswer* Find(std::string_view webhook, const Json& request);
  void Ask(WebhookQuestion question) { open_.push_back(std::move(question)); }
  size_t open_count() const { return open_.size(); }
  // Whether the attempt ended because answers are missing.
  bool is_waiting() const { return !open_.empty(); }
  std::vector<WebhookQuestion> TakeOpen() { return std::exchange(open_, {}); }
  void Answer(const WebhookQuestion& question, WebhookAnswer answer);

 private:
  struct Answered {
    std::string webhook;
    Json request;
    WebhookAnswer answer;
    bool is_used = true;
  };

  const Random first_;
  Random random_;
  const Time now_;
  const Time deadline_;
  std::vector<Answered> answers_;
  std::vector<WebhookQuestion> open_;
};

}  // namespace berth::server
