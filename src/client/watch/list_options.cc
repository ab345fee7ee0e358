// SPDX-License-Identifier: Apache-2.0

#include "client/watch/list_options.h"

namespace berth::client {
namespace {

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == '.' || c == '~';
}

void Append(std::string& query, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  if (!query.empty()) query += '&';
  query += name;
  query += '=';
  AppendQueryEscaped(query, value);
}

std::string NumberOrNothing(int64_t number) { return number == 0 ? std::string() : std::to_string(number); }

std::string_view TrueOrNothing(bool value) { return value ? "true" : ""; }

}  // namespace

void AppendQueryEscaped(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  for (const char c : text) {
    if (IsUnreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
}

std::string EncodeQuery(const ListOptions& options) {
  std::string query;
  Append(query, "allowWatchBookmarks", TrueOrNothing(options.allow_watch_bookmarks));
  Append(query, "continue", options.continue_token);
  Append(query, "fieldSelector", options.field_selector);
  Append(query, "limit", NumberOrNothing(options.limit));
  Append(query, "resourceVersion", options.resource_version);
  Append(query, "resourceVersionMatch", options.resource_version_match);
  Append(query, "sendInitialEvents", TrueOrNothing(options.send_initial_events));
  Append(query, "timeoutSeconds", NumberOrNothing(options.timeout_seconds));
  Append(query, "watch", TrueOrNothing(options.watch));
  return query;
}

}  // namespace berth::client
