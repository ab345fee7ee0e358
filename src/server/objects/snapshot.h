// SPDX-License-Identifier: Apache-2.0
// Snapshots: all objects of a store as text, and a store that is made to hold the objects of such a text again.
//
// The text is one List in JSON; whatever reads dumps reads it. Restoring writes what is different, and nothing else.
// Each write is a change like any other, with a revision of its own: watches, controllers and the journal hear of it,
// and what they know stays true. Uids stay those of the snapshot, resourceVersions do not.
//
// Thread: that of the store. Cost: of taking, the texts; of restoring, reading the text and comparing.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/objects/objects.h"

namespace berth::server {

struct RestoreReport {
  size_t created = 0;
  size_t changed = 0;
  size_t removed = 0;
  size_t unchanged = 0;
  std::vector<std::string> skipped;  // Of kinds that are not served.
};

std::string TakeSnapshot(const Objects& objects);

// Fails, and has changed nothing, if the text cannot be read, or has no object, one that cannot be stored, or custom
// resources without their definition; of objects whose definitions are in the text alone, that they cannot be stored is
// only known when those are there.
Result<RestoreReport> RestoreSnapshot(Objects& objects, std::string_view text);

}  // namespace berth::server
