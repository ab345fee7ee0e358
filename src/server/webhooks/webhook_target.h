// SPDX-License-Identifier: Apache-2.0
// Where a webhook is called: by its URL, or at an endpoint of its service.
//
// Nothing serves on simulated pods. Endpoints that stand for no pod were written by somebody who has a server there.

#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "server/model/json.h"
#include "server/store/store.h"
#include "server/webhooks/webhook_caller.h"

namespace berth::server {

// The URL of a request by a WebhookClientConfig, as errors show it.
std::string WebhookUrl(const Json& config, int64_t timeout_seconds);

// A call without body and timeout. Errors are upstream's.
Result<WebhookCall> AddressWebhook(const Json& config, int64_t timeout_seconds, const Store& store,
                                   const Catalog& catalog);

}  // namespace berth::server
