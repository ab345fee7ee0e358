// SPDX-License-Identifier: Apache-2.0
// NamedFormat: one of Kubernetes' formats of strings, such as dns1123Label, with what it says of a string.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::cel {

struct NamedFormat {
  std::string_view id;                                       // In format.named("...").
  std::string_view name;                                     // By which formats compare.
  uint32_t regex_size;                                       // What the cost of a check goes by.
  std::vector<std::string> (*check)(std::string_view text);  // What is wrong with the text, in upstream's words.
};

std::span<const NamedFormat> NamedFormats();
// nullptr if there is none.
const NamedFormat* FindNamedFormat(std::string_view id);

}  // namespace berth::cel
