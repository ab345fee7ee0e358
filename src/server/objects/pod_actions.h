// SPDX-License-Identifier: Apache-2.0
// What is done to pods besides writing them: binding to a node, and eviction as far as disruption budgets allow it.

#pragma once

#include <string_view>

#include "server/objects/objects.h"

namespace berth::server {

// `binding` is a Binding. Whether the node exists is not asked. Webhooks are, in the dialog, if there is one; they are
// told of the user.
Outcome<void> BindPod(Objects& objects, std::string_view ns, std::string_view name, Json binding, bool dry_run,
                      WebhookDialog* dialog = nullptr, const WhoAsks& user = {});

// `eviction` is an Eviction of policy/v1. Likewise.
Outcome<void> EvictPod(Objects& objects, std::string_view ns, std::string_view name, Json eviction, bool dry_run,
                       WebhookDialog* dialog = nullptr, const WhoAsks& user = {});

// Adds the condition, or changes the one of its type; the time of its transition is now if its status is new.
void SetPodCondition(Json& pod, Json condition, Time now);

// Reads DeleteOptions of meta/v1.
DeleteOptions ReadDeleteOptions(const Json& options);

}  // namespace berth::server
