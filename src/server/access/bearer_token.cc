// SPDX-License-Identifier: Apache-2.0
#include "server/access/bearer_token.h"

#include "base/ascii.h"
#include "base/text.h"

namespace berth::server {

bool IsSameSecret(std::string_view secret, std::string_view shown) {
  if (shown.size() != secret.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < shown.size(); ++i) difference |= static_cast<unsigned>(shown[i] ^ secret[i]);
  return difference == 0;
}

std::string_view ShownToken(std::string_view authorization) {
  authorization = Trim(authorization);
  const std::string_view scheme = TakeUntil(authorization, ' ');
  return EqualsIgnoringCase(scheme, "bearer") ? Trim(authorization) : std::string_view();
}

}  // namespace berth::server
