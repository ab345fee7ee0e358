// SPDX-License-Identifier: Apache-2.0
// BearerToken: the token by which a server knows its administrator, if there is one.
//
// Thread: any.

#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace berth::server {

// Takes as long for every text of the same length, so that a secret cannot be guessed by the time.
bool IsSameSecret(std::string_view secret, std::string_view shown);

// The token in an Authorization header; "" if there is none.
std::string_view ShownToken(std::string_view authorization);

class BearerToken {
 public:
  BearerToken() = default;  // None.
  explicit BearerToken(std::string token) : token_(std::move(token)) {}

  bool is_set() const { return !token_.empty(); }
  // Whether there is a token and it is this one.
  bool Is(std::string_view shown) const { return is_set() && IsSameSecret(token_, shown); }

 private:
  std::string token_;
};

}  // namespace berth::server
