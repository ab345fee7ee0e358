// SPDX-License-Identifier: Apache-2.0
#include "base/similar_word.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>

#include "base/ascii.h"

namespace berth {
namespace {

constexpr size_t kLettersMax = 64;
using Row = std::array<size_t, kLettersMax + 1>;

// The number of letters to add, drop, change or swap with their neighbour to turn one into the other.
// REQUIRES: neither is longer than kLettersMax.
size_t Distance(std::string_view a, std::string_view b) {
  Row two_before{};
  Row before{};
  Row row{};
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    two_before = before;
    before = row;
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({before[j] + 1, row[j - 1] + 1, before[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

// How far apart the words are; nothing if nobody writes the one who means the other.
std::optional<size_t> Apart(std::string_view written, std::string_view meant) {
  constexpr size_t kPrefixMin = 3;
  if (meant.size() > kLettersMax) return std::nullopt;
  const size_t distance = Distance(written, meant);
  // Few slips are in the first letter.
  const size_t first_letter = written.substr(0, 1) == meant.substr(0, 1) ? 0 : 1;
  if (distance <= std::max<size_t>(1, written.size() / 3) && distance < meant.size()) {
    return 2 * distance + first_letter;
  }
  // A shortened word comes behind every slip of the pen.
  if (written.size() >= kPrefixMin && meant.starts_with(written)) return 2 * kLettersMax + distance;
  return std::nullopt;
}

}  // namespace

std::string_view MostSimilar(std::string_view word, std::span<const std::string_view> words) {
  if (word.size() > kLettersMax) return {};
  const std::string written = Lower(word);
  std::string_view best;
  size_t least = std::numeric_limits<size_t>::max();
  for (const std::string_view candidate : words) {
    const std::optional<size_t> apart = Apart(written, Lower(candidate));
    if (!apart || *apart >= least) continue;
    least = *apart;
    best = candidate;
  }
  return best;
}

std::string DidYouMean(std::string_view word, std::span<const std::string_view> words) {
  const std::string_view similar = MostSimilar(word, words);
  return similar.empty() ? "" : "; did you mean " + std::string(similar) + "?";
}

}  // namespace berth
