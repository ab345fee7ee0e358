// SPDX-License-Identifier: Apache-2.0
#include "server/rest/bearer_token.h"

namespace berth::server {

bool BearerToken::Is(std::string_view shown) const {
  if (!is_set() || shown.size() != token_.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < shown.size(); ++i) difference |= static_cast<unsigned>(shown[i] ^ token_[i]);
  return difference == 0;
}

}  // namespace berth::server
