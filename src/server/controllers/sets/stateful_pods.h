// SPDX-License-Identifier: Apache-2.0
// The pods of a StatefulSet: their numbers, their names, and what each of them is made of.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "server/controllers/sets/set_revisions.h"
#include "server/model/json.h"
#include "server/store/stored_object.h"

namespace berth::server {

// Of a pod called SET-NUMBER; -1 if it is none.
int64_t OrdinalOf(std::string_view pod, std::string_view set);
std::string StatefulPodName(const StoredObject& set, int64_t ordinal);
// Of the claim for a template of this name: VOLUME-SET-NUMBER.
std::string StatefulClaimName(const StoredObject& set, std::string_view volume, int64_t ordinal);

// The pod of this number, as `revision` has it, with its claims as volumes. `spec` is that of the set.
Json MakeStatefulPod(const StoredObject& set, const Json& spec, int64_t ordinal, const SetRevision& revision);
// The labels by which a pod is known as that of its number.
void SetIdentity(Json& labels, std::string_view name, int64_t ordinal);
bool HasIdentity(const StoredObject& pod);

}  // namespace berth::server
