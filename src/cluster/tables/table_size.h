// SPDX-License-Identifier: Apache-2.0
// TableSize: how much one table of the core holds, for those who watch that nothing grows without bound.

#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace berth::cluster {

struct TableSize {
  std::string_view table;
  size_t size = 0;  // Entries; of names in "bytes", those.

  bool operator==(const TableSize&) const = default;
};
using TableSizes = std::vector<TableSize>;

}  // namespace berth::cluster
