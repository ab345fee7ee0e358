// SPDX-License-Identifier: Apache-2.0
#include "runtime/with_file.h"

#include <fmt/format.h>

namespace berth::runtime {

std::string WithFile(std::string_view file, std::string_view message) {
  constexpr std::string_view kLine = "line ";
  const size_t colon = message.find(": ");
  if (!message.starts_with(kLine) || colon == message.npos) return fmt::format("{}: {}", file, message);
  return fmt::format("{}:{}{}", file, message.substr(kLine.size(), colon - kLine.size()), message.substr(colon));
}

}  // namespace berth::runtime
