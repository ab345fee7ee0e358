// SPDX-License-Identifier: Apache-2.0
// The files of the dashboard, as they stand in web/. The build puts them into the program (cmake/EmbedFiles.cmake).

#pragma once

#include <span>
#include <string_view>

namespace berth::web {

struct Asset {
  std::string_view name;  // "app.js"
  std::string_view type;  // "text/javascript; charset=utf-8"
  std::string_view etag;  // With its quotes.
  std::string_view text;
};

std::span<const Asset> Assets();

}  // namespace berth::web
