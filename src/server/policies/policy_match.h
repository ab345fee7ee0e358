// SPDX-License-Identifier: Apache-2.0
// Which requests a policy, a binding or a webhook is about.

#pragma once

#include <expected>
#include <string>

#include "server/admission/admission.h"
#include "server/model/json.h"

namespace berth::server {

// The view of the requested resource by which a request matches: itself, or one in which the same objects are seen.
// Null if it does not match. Fails if a namespace that has to be looked at is not there.
// `match` is a MatchResources; null matches everything.
std::expected<const Resource*, std::string> FindMatch(const Json& match, const AdmissionRequest& request,
                                                      const Store& store, const Catalog& catalog);
// The same for a webhook, which calls its rules `rules` and without them matches nothing.
std::expected<const Resource*, std::string> FindWebhookMatch(const Json& webhook, const AdmissionRequest& request,
                                                             const Store& store, const Catalog& catalog);

}  // namespace berth::server
