// SPDX-License-Identifier: Apache-2.0
// Url: a URL, taken apart and put together as Go's net/url does.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace berth::cel {

struct Url {
  std::string scheme;
  std::string opaque;               // What follows the scheme where that is no path.
  std::optional<std::string> user;  // name or name:password, escaped.
  std::string host;                 // With the port.
  std::string path;
  std::string raw_path;  // As it was written, if escaping the path would give something else.
  std::string query;
  std::string fragment;
  std::string raw_fragment;
  bool has_no_host = false;
  bool has_empty_query = false;

  // An absolute URI or an absolute path. Go's error texts.
  static Result<Url> ParseRequest(std::string_view text);
  // Any URL reference.
  static Result<Url> Parse(std::string_view text);

  std::string Hostname() const;
  std::string Port() const;
  std::string EscapedPath() const;
  std::string String() const;
  // The query's keys with their values, in the order in which keys come first.
  std::vector<std::pair<std::string, std::vector<std::string>>> Query() const;
};

}  // namespace berth::cel
