// SPDX-License-Identifier: Apache-2.0
// BearerToken: the token by which a server knows its clients, if there is one.
//
// Thread: any.

#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace berth::server {

class BearerToken {
 public:
  BearerToken() = default;  // None.
  explicit BearerToken(std::string token) : token_(std::move(token)) {}

  bool is_set() const { return !token_.empty(); }
  // Whether there is a token and it is this one. Takes as long for every text of the same length, so that it cannot be
  // guessed by the time.
  bool Is(std::string_view shown) const;

 private:
  std::string token_;
};

}  // namespace berth::server
