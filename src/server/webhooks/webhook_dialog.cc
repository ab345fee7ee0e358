// SPDX-License-Identifier: Apache-2.0
#include "server/webhooks/webhook_dialog.h"

#include <algorithm>

namespace berth::server {

void WebhookDialog::Begin() {
  random_ = first_;
  open_.clear();
  std::erase_if(answers_, [](const Answered& answered) { return !answered.is_used; });
  for (Answered& answered : answers_) answered.is_used = false;
}

const WebhookAnswer* WebhookDialog::Find(std::string_view webhook, const Json& request) {
  const auto found = std::ranges::find_if(
      answers_, [&](const Answered& answered) { return answered.webhook == webhook && answered.request == request; });
  if (found == answers_.end()) return nullptr;
  found->is_used = true;
  return &found->answer;
}

void WebhookDialog::Answer(const WebhookQuestion& question, WebhookAnswer answer) {
  answers_.push_back({.webhook = question.webhook, .request = question.request, .answer = std::move(answer)});
}

}  // namespace berth::server
