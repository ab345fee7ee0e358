// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/tolerations.h"

#include <algorithm>
#include <charconv>

namespace berth::server {
namespace {

std::optional<int64_t> ToNumber(const std::string& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool Tolerates(const Json& toleration, const Json& taint) {
  const std::string& effect = toleration["effect"].text();
  if (!effect.empty() && effect != taint["effect"].text()) return false;
  const std::string& key = toleration["key"].text();
  if (!key.empty() && key != taint["key"].text()) return false;
  const std::string& op = toleration["operator"].text();
  if (op == "Exists") return true;
  if (op.empty() || op == "Equal") return toleration["value"].text() == taint["value"].text();
  const std::optional<int64_t> bound = ToNumber(toleration["value"].text());
  const std::optional<int64_t> value = ToNumber(taint["value"].text());
  if (!bound || !value) return false;
  return op == "Gt" ? *value > *bound : op == "Lt" && *value < *bound;
}

}  // namespace

bool ToleratesAll(const Json& tolerations, const Json& taints, std::string_view effect) {
  return std::ranges::all_of(taints.items(), [&](const Json& taint) {
    return taint["effect"].text() != effect ||
           std::ranges::any_of(tolerations.items(), [&](const Json& one) { return Tolerates(one, taint); });
  });
}

std::optional<Duration> MayStayFor(const Json& tolerations, const Json& taints) {
  constexpr std::string_view kEffect = "NoExecute";
  if (!ToleratesAll(tolerations, taints, kEffect)) return Duration{};
  std::optional<Duration> shortest;
  for (const Json& toleration : tolerations.items()) {
    const std::optional<int64_t> seconds = toleration["tolerationSeconds"].AsInt();
    if (!seconds) continue;
    const bool is_used = std::ranges::any_of(taints.items(), [&](const Json& taint) {
      return taint["effect"].text() == kEffect && Tolerates(toleration, taint);
    });
    if (!is_used) continue;
    const Duration stay = Seconds(std::max<int64_t>(0, *seconds));
    if (!shortest || stay < *shortest) shortest = stay;
  }
  return shortest;
}

}  // namespace berth::server
