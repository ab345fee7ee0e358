// SPDX-License-Identifier: Apache-2.0
// What a webhook said of a request.

#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/model/json.h"
#include "server/model/status.h"
#include "server/webhooks/webhook_caller.h"

namespace berth::server {

struct WebhookAnswer {
  std::string failure = {};  // Why there is none, in upstream's words; empty: there is one.
  bool is_allowed = false;
  Json result = {};        // A Status, if it said more.
  std::string patch = {};  // Text of a JSON patch.
  std::string patch_type = {};
  std::vector<std::string> warnings = {};
  Json converted = {};  // Of a converter: a list.
};

// What a webhook was asked, as far as its answer must fit.
struct AskedReview {
  std::string uid = {};
  std::string version = {};  // Of AdmissionReview: v1 or v1beta1.
  std::string url = {};      // For errors.
  bool mutates = false;
  bool converts = false;  // It is a converter; see conversion_review.h.
};

// The JSON in a reply, or why there is none.
std::expected<Json, std::string> ReadReply(const std::string& url, const Result<WebhookReply>& reply);

WebhookAnswer ReadWebhookAnswer(const AskedReview& asked, const Result<WebhookReply>& reply);

// The refusal of a request that a webhook did not allow.
Refusal DeniedBy(std::string_view webhook, const Json& result);

}  // namespace berth::server
