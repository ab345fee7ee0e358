// SPDX-License-Identifier: Apache-2.0
// Several errors as one text, in the forms that Kubernetes gives them.

#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace berth {

// Each distinct error once, in the order of its first mention: "a" or "[a, b]". Empty if there are none.
std::string JoinErrors(std::span<const std::string> errors);

// Counts errors by their message and prints each message once, with how often it occurred: "a (repeated 3 times)" or
// "[a (repeated 3 times), b]". Messages are sorted, so that the text does not depend on the order of the calls.
class ErrorCounts {
 public:
  void Add(std::string_view message);
  bool empty() const { return counts_.empty(); }
  std::string ToString() const;

 private:
  std::map<std::string, uint64_t, std::less<>> counts_;
};

}  // namespace berth
