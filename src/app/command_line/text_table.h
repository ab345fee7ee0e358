// SPDX-License-Identifier: Apache-2.0
// TextTable: columns of text, as wide as they need to be.

#pragma once

#include <string>
#include <vector>

namespace berth::simulate {

class TextTable {
 public:
  void Add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }

  // Every line begins with `indent` spaces. There is no space at the end of a line.
  std::string ToString(size_t indent = 0) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace berth::simulate
