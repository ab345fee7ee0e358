// SPDX-License-Identifier: Apache-2.0
#include "server/rest/warnings.h"

#include <string_view>

#include <boost/unordered/unordered_flat_set.hpp>

#include "api/document/utf8.h"

namespace berth::server {
namespace {

// In characters.
constexpr size_t kAllMax = 4096;
constexpr size_t kOneMax = 256;

// The first characters of a text, and how many these are.
struct Beginning {
  std::string_view text;
  size_t characters = 0;
};

Beginning BeginningOf(std::string_view text, size_t most) {
  size_t bytes = 0;
  size_t characters = 0;
  for (; bytes < text.size() && characters < most; ++characters) bytes += api::DecodeUtf8(text.substr(bytes)).size;
  return {text.substr(0, bytes), characters};
}

}  // namespace

std::vector<std::string> ShownWarnings(const std::vector<std::string>& warnings) {
  boost::unordered_flat_set<std::string_view> seen;
  std::vector<std::string> shown;
  size_t written = 0;
  bool is_cut = false;
  for (const std::string_view warning : warnings) {
    if (is_cut && written >= kAllMax) break;
    if (warning.empty() || !seen.insert(warning).second) continue;
    Beginning next = BeginningOf(warning, is_cut ? kOneMax : kAllMax + 1);
    if (!is_cut && written + next.characters > kAllMax) {
      is_cut = true;
      written = 0;
      for (std::string& before : shown) {
        const Beginning kept = BeginningOf(before, kOneMax);
        written += kept.characters;
        before.resize(kept.text.size());
      }
      next = BeginningOf(warning, kOneMax);
    }
    written += next.characters;
    shown.emplace_back(next.text);
  }
  return shown;
}

}  // namespace berth::server
