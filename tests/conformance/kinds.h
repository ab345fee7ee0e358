// SPDX-License-Identifier: Apache-2.0
// The kinds of recordings: each takes one recorded line and writes one result per step, op or case.

#pragma once

#include "api/document/json_writer.h"
#include "api/document/value.h"

namespace berth::conformance {

// What an expression about a device comes to, and at what cost.
void RunCel(api::Value record, api::JsonWriter& results);
// What a configuration file becomes, or why it is refused.
void RunConfig(api::Value record, api::JsonWriter& results);
// Where pods go in a scenario, and why they do not.
void RunDecisions(api::Value record, api::JsonWriter& results);
// What is answered to those who ask why, in the same scenarios; nothing where groups are tried.
void RunExplain(api::Value record, api::JsonWriter& results);
// How extenders are asked, and what their answers lead to.
void RunExtender(api::Value record, api::JsonWriter& results);
// What a legacy policy becomes, and how v1.16 decides with it.
void RunPolicy(api::Value record, api::JsonWriter& results);
// What a quantity's text means.
void RunQuantity(api::Value record, api::JsonWriter& results);
// A script of informer notifications, pops and failures against the scheduling queue.
void RunQueue(api::Value record, api::JsonWriter& results);
// A script of node and pod changes against the cluster state.
void RunCache(api::Value record, api::JsonWriter& results);
// Whether a plugin takes a change of the cluster for helpful.
void RunHints(api::Value record, api::JsonWriter& results);
// What the plugins of the default profile register, by plugin name; needs no record.
void RunRegistrations(api::Value record, api::JsonWriter& results);

}  // namespace berth::conformance
