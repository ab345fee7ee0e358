// SPDX-License-Identifier: Apache-2.0
// ListOptions: the query of a list or a watch.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace berth::client {

struct ListOptions {
  bool allow_watch_bookmarks = false;
  std::string continue_token;
  std::string field_selector;
  int64_t limit = 0;
  std::string resource_version;
  std::string resource_version_match;
  bool send_initial_events = false;
  int64_t timeout_seconds = 0;
  bool watch = false;
};

// Without what is empty, in the order of the names, encoded.
std::string EncodeQuery(const ListOptions& options);

// Appends `text` so that it can stand in a query.
void AppendQueryEscaped(std::string& out, std::string_view text);

}  // namespace berth::client
