// SPDX-License-Identifier: Apache-2.0
#include "app/up/salvage_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace berth::up {

void PrintLosses(std::string_view command, const std::string& directory, const server::Journal::Restored& restored) {
  constexpr size_t kShownMax = 100;
  if (restored.lost.empty()) return;
  const size_t count = restored.lost.size();
  for (size_t i = 0; i < std::min(count, kShownMax); ++i) {
    fmt::print(stderr, "{}: {}: lost: {}\n", command, directory, restored.lost[i]);
  }
  if (count > kShownMax) fmt::print(stderr, "{}: {}: lost: and {} more\n", command, directory, count - kShownMax);
  fmt::print(stderr, "{}: {}: {} damaged {} left out, {} objects read", command, directory, count,
             count == 1 ? "part" : "parts", restored.objects);
  if (!restored.damaged_file.empty()) fmt::print(stderr, "; the damaged journal is kept as {}", restored.damaged_file);
  fmt::print(stderr, "\n");
}

}  // namespace berth::up
