// SPDX-License-Identifier: Apache-2.0
// Which requests a policy, a binding or a webhook is about.

#pragma once

#include <expected>
#include <string>

#include "server/admission/admission.h"
#include "server/model/json.h"

namespace berth::server {

// The view of the requested resource by which a request matches: itself, or one in which the same objects are seen.
// Null if it does not match. Fails if a namespace that has to be looked at is not there, or it cannot be shown so.
// `match` is a MatchResources; null matches everything.
std::expected<const Resource*, std::string> FindMatch(const Json& match, const AdmissionRequest& request,
                                                      const Store& store, const Catalog& catalog);
// Why the request cannot be shown in this view; empty: it can.
std::string ViewProblem(const AdmissionRequest& request, const Resource& as);
// The first for a webhook, which calls its rules `rules` and without them matches nothing. Fails for namespaces alone.
std::expected<const Resource*, std::string> FindWebhookMatch(const Json& webhook, const AdmissionRequest& request,
                                                             const Store& store, const Catalog& catalog);

}  // namespace berth::server
