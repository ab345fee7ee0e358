// SPDX-License-Identifier: Apache-2.0
// The lists of a strategic merge: by key if their elements are maps, as sets if they are scalars.

#pragma once

#include <string_view>

#include "server/model/json.h"
#include "server/model/status.h"
#include "server/patch/patch_schema.h"

namespace berth::server {

// What a map of a patch says about how to merge it.
inline constexpr std::string_view kPatchDirective = "$patch";

// Whether `element` has this directive.
bool HasDirective(const Json& element, std::string_view directive);
// `unknown patch type: x in map: map[...]`.
Refusal UnknownDirective(const Json& element);

// Merges one element of a list into another.
using MergeElement = Outcome<void> (*)(Json& element, Json& patch, const PatchSchema& schema);

struct MergedList {
  Json::List list;
  // What upstream, which merges in place, finds where the list was: elements behind a deleted one have moved up and new
  // ones have taken the places at the end. It goes on to order other lists by that.
  Json::List place;
};

// Merged if the field says so, else replaced. The elements of `patch` lose directives as they are merged.
Outcome<MergedList> MergeList(Json::List original, Json::List& patch, const PatchField& field, MergeElement merge);

// Without the scalars in `patch`. Maps are merged as if they were not to be deleted.
Outcome<Json::List> DeleteFromList(Json::List original, Json::List& patch, const PatchField& field, MergeElement merge);

// Whether the elements are maps. Fails unless they are of one type, and no lists.
Outcome<bool> AreMaps(const Json::List& first, const Json::List& second);

}  // namespace berth::server
