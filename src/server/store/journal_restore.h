// SPDX-License-Identifier: Apache-2.0
// RestoreFromJournal: the state after the last whole record of a journal.

#pragma once

#include <string_view>

#include "base/result.h"
#include "server/store/store.h"

namespace berth::server {

// Takes it into `store`. Returns where that record ends, 0 if there is not even a header. Fails with `offset N: reason`
// if the journal is damaged. REQUIRES: nothing was written to the store yet.
// Cost: of objects that were replaced or removed since, only the checksum is looked at.
Result<size_t> RestoreFromJournal(std::string_view bytes, const Catalog& catalog, Store& store);

}  // namespace berth::server
