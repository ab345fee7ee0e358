// SPDX-License-Identifier: Apache-2.0
// What a recording in tests/ has, for the tests that compare with it.

#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "server/model/json.h"

namespace berth::server {

// The lines of a file below tests/, which may be compressed; each is a tree.
inline std::vector<Json> ReadRecording(std::string_view file) {
  const std::filesystem::path path = std::filesystem::path(__FILE__).parent_path() / "../../../tests" / file;
  const std::unique_ptr<gzFile_s, decltype(&gzclose)> source(gzopen(path.c_str(), "rb"), gzclose);
  EXPECT_NE(source, nullptr) << path;
  std::string text;
  std::array<char, 65536> piece{};
  for (int size = 0; source && (size = gzread(source.get(), piece.data(), piece.size())) > 0;) {
    text.append(piece.data(), static_cast<size_t>(size));
  }
  std::vector<Json> trees;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const Result<Json> tree = ParseTree(line);
    EXPECT_TRUE(tree) << path << ": " << line;
    if (tree) trees.push_back(*tree);
  }
  return trees;
}

}  // namespace berth::server
