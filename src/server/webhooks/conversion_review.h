// SPDX-License-Identifier: Apache-2.0
// ConversionReview: how a converter is asked for custom resources in another version, and what it made of them.
//
// A converter may change everything but what an object is: of its metadata it has a say in labels and annotations
// alone.

#pragma once

#include <string>

#include "base/result.h"
#include "server/model/json.h"
#include "server/webhooks/webhook_answer.h"
#include "server/webhooks/webhook_caller.h"

namespace berth::server {

// The first of these versions of ConversionReview that is known; empty: none.
std::string ConversionReviewVersion(const Json& versions);

// What is asked for: `objects` in `desiredAPIVersion`. The text of the review.
std::string ConversionReviewText(const AskedReview& asked, const Json& request);

// The converted objects, with the metadata that they had, or the failure in upstream's words.
WebhookAnswer ReadConversion(const AskedReview& asked, const Json& request, const Result<WebhookReply>& reply);

}  // namespace berth::server
