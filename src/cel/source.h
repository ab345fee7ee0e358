// SPDX-License-Identifier: Apache-2.0
// Source and Issues: the text of an expression, and what is wrong with it and where.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::cel {

// A place in the text, as an offset in bytes; kNowhere for problems without one.
using Offset = uint32_t;
inline constexpr Offset kNowhere = UINT32_MAX;

// Problems as cel-go prints them: line, column in characters, the line itself and a mark under it.
class Issues {
 public:
  // The text must outlive the issues.
  explicit Issues(std::string_view text) : text_(text) {}

  void Report(Offset offset, std::string message);
  bool empty() const { return issues_.empty(); }

  // All of them in the order of their places; the first hundred in words.
  std::string ToString() const;

 private:
  static constexpr size_t kIssuesMax = 100;

  struct Issue {
    int line = -1;    // From 1; -1 is nowhere.
    int column = -1;  // From 0, in characters.
    std::string message;
  };

  std::string Display(const Issue& issue) const;
  std::string_view Line(int number) const;

  std::string_view text_;
  std::vector<Issue> issues_;
  size_t count_ = 0;
};

}  // namespace berth::cel
