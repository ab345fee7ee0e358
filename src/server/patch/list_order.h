// SPDX-License-Identifier: Apache-2.0
// The order of a list after a strategic merge.
//
// Elements that the patch names stand in the order of the patch, those that only the server has in the order they had;
// the two are interleaved so that the server's order holds where both are known to it.

#pragma once

#include <string_view>

#include "server/model/json.h"
#include "server/model/status.h"

namespace berth::server {

// The elements of `merged` in order. `by_patch` and `by_server` list elements, or maps with the merge key alone.
// Fails if an element is no map or has no merge key where it should.
Outcome<Json::List> OrderMerged(Json::List merged, const Json::List& by_patch, const Json::List& by_server,
                                std::string_view merge_key, bool of_maps);

// Refuses lists (413) that take too long to merge: each element of one is looked for among all of the other.
Outcome<void> CheckLengths(size_t left, size_t right);

}  // namespace berth::server
