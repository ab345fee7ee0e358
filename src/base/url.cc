// SPDX-License-Identifier: Apache-2.0
#include "base/url.h"

#include <algorithm>

namespace berth {

std::string WithoutPassword(std::string_view url) {
  const size_t scheme = url.find("://");
  const size_t user = scheme == url.npos ? 0 : scheme + 3;
  const size_t end = std::min(url.find_first_of("/?#", user), url.size());
  const size_t at = url.substr(0, end).rfind('@');
  const size_t colon = url.find(':', user);
  if (at == url.npos || at < user || colon > at) return std::string(url);
  return std::string(url.substr(0, colon)).append(":***").append(url.substr(at));
}

}  // namespace berth
