// SPDX-License-Identifier: Apache-2.0
// ListOptions: what a client asks for in the query of a list or watch.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/model/status.h"
#include "server/rest/target.h"
#include "server/store/stored_object.h"

namespace berth::server {

struct ListOptions {
  enum class Match : uint8_t { kUnset, kNotOlderThan, kExact };

  bool watch = false;
  std::optional<Revision> revision;  // Nothing: the latest.
  Match match = Match::kUnset;
  int64_t limit = 0;
  std::string continues;
  bool bookmarks = false;
  bool initial_events = false;
  std::optional<int64_t> timeout_seconds;
};

// A number of the query; nothing if it does not say one. Refused with upstream's text if it is malformed.
Outcome<std::optional<int64_t>> ParseIntParameter(const Query& query, std::string_view name);

// Fails with upstream's texts for what makes no sense.
Outcome<ListOptions> ParseListOptions(const Query& query);

// Where the next page begins: behind this key, in the state at this revision.
struct ContinueToken {
  static constexpr Revision kAnyRevision = -1;  // Of a list that need not be consistent with its first pages.

  Revision revision = 0;
  std::string key;
};
std::string FormatContinue(const ContinueToken& token);
Outcome<ContinueToken> ParseContinue(std::string_view text);

}  // namespace berth::server
