// SPDX-License-Identifier: Apache-2.0
// IndexSet: completion indexes of an indexed Job, kept and written as ranges: `0-2,4,6`.
//
// Cost: that of the ranges, however many indexes are in them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::server {

class IndexSet {
 public:
  IndexSet() = default;
  explicit IndexSet(const std::vector<int64_t>& indexes);
  // Of the indexes below `completions`; what is no index is left out.
  static IndexSet Parse(std::string_view text, int64_t completions);

  void Add(const IndexSet& other);

  bool Has(int64_t index) const;
  int64_t size() const;
  bool empty() const { return ranges_.empty(); }
  // How many indexes are in both.
  int64_t CountCommon(const IndexSet& other) const;
  // The first indexes below `completions` that are not in it, at most `count` of them.
  std::vector<int64_t> FirstMissing(size_t count, int64_t completions) const;
  // Two in a row are written one by one, as upstream does.
  std::string ToText() const;

 private:
  struct Range {
    int64_t first;
    int64_t last;
  };

  // Sorts the ranges, and joins those that touch.
  void Join();

  std::vector<Range> ranges_;  // In order, with gaps between them.
};

}  // namespace berth::server
