// SPDX-License-Identifier: Apache-2.0
// The random end of a name that the server makes up.

#pragma once

#include <string>
#include <string_view>

#include "base/random.h"

namespace berth::server {

// Five letters and digits that spell no word.
inline std::string RandomSuffix(Random& random) {
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string suffix(5, ' ');
  for (char& letter : suffix) letter = kAlphabet[random.Below(kAlphabet.size())];
  return suffix;
}

}  // namespace berth::server
