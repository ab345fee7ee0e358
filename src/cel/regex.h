// SPDX-License-Identifier: Apache-2.0
// Regex: a regular expression of Go's syntax, matched by RE2 in linear time.
//
// Thread: const after it was compiled.

#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace berth::cel {

class Regex {
 public:
  // Go's error texts.
  static Result<Regex> Compile(std::string_view pattern);

  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;
  ~Regex();

  bool Matches(std::string_view text) const;
  // The leftmost match, empty if there is none.
  std::string_view Find(std::string_view text) const;
  // At most `count` matches, all of them if it is negative. They are views of `text`.
  std::vector<std::string_view> FindAll(std::string_view text, int64_t count) const;

 private:
  explicit Regex(std::unique_ptr<re2::RE2> regex);
  std::unique_ptr<re2::RE2> regex_;
};

}  // namespace berth::cel
