// SPDX-License-Identifier: Apache-2.0
// RestoreFromJournal: the state after the last whole record of a journal.

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/store/store.h"

namespace berth::server {

// Takes it into `store`. Returns where that record ends, 0 if there is not even a header. Fails with `offset N: reason`
// if the journal is damaged. REQUIRES: nothing was written to the store yet.
// Cost: of objects that were replaced or removed since, only the checksum is looked at.
//
// Objects of resources that the catalog does not have are kept back until all others are there. Then `define` is
// called, which adds the resources of definitions to the catalog; without it there are none such.
using DefineResources = std::function<void()>;
Result<size_t> RestoreFromJournal(std::string_view bytes, const Catalog& catalog, Store& store,
                                  const DefineResources& define = {});

// The same without the records that cannot be read, as if what they tell had never happened. What was left out is added
// to `lost`, a line for each part: `offset 1234: 812 bytes: a record is damaged: write of pods "default/web" at
// revision 12`. Fails only if the bytes are no journal, or one of another version.
Result<size_t> SalvageFromJournal(std::string_view bytes, const Catalog& catalog, Store& store,
                                  std::vector<std::string>& lost, const DefineResources& define = {});

}  // namespace berth::server
