// SPDX-License-Identifier: Apache-2.0
// What a client says it accepts, read from its Accept and Accept-Encoding headers.

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace berth::net {

struct AcceptClause {
  std::string type;     // "application", "*", or a coding such as "gzip".
  std::string subtype;  // "json", "*"; empty for a coding.
  std::map<std::string, std::string> parameters;
  double quality = 1;
};

// The best first; those of equal quality in the order of the header. What makes no sense is left out.
std::vector<AcceptClause> ParseAccept(std::string_view header);

}  // namespace berth::net
