// SPDX-License-Identifier: Apache-2.0
#include "api/parts/toleration.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace berth::api {
namespace {

// The integer that `text` spells in the one canonical way: no plus sign, no leading zeros, no minus zero.
std::optional<int64_t> ParseCanonicalInt(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || fmt::format_int(number).c_str() != text) return std::nullopt;
  return number;
}

bool TaintValueIsInRange(const Toleration& toleration, const Taint& taint) {
  const std::optional<int64_t> bound = ParseCanonicalInt(toleration.value);
  const std::optional<int64_t> value = ParseCanonicalInt(taint.value);
  if (!bound || !value) return false;
  return toleration.op == "Lt" ? *value < *bound : *value > *bound;
}

}  // namespace

bool Tolerates(const Toleration& toleration, const Taint& taint, bool comparison_operators) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.op.empty() || toleration.op == "Equal") return toleration.value == taint.value;
  if (toleration.op == "Exists") return true;
  if (toleration.op == "Lt" || toleration.op == "Gt") {
    return comparison_operators && TaintValueIsInRange(toleration, taint);
  }
  return false;
}

bool Tolerates(const std::vector<Toleration>& tolerations, const Taint& taint, bool comparison_operators) {
  return std::any_of(tolerations.begin(), tolerations.end(),
                     [&](const Toleration& toleration) { return Tolerates(toleration, taint, comparison_operators); });
}

}  // namespace berth::api
