// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/tolerations.h"

#include <algorithm>

#include "api/parts/toleration.h"

namespace berth::server {
namespace {

api::Toleration TolerationOf(const Json& toleration) {
  return {.key = toleration["key"].text(),
          .op = toleration["operator"].text(),
          .value = toleration["value"].text(),
          .effect = toleration["effect"].text()};
}

// Lt and Gt count: a pod that has them was let in where they do.
bool Tolerates(const Json& toleration, const Json& taint) {
  const api::Taint of{.key = taint["key"].text(), .value = taint["value"].text(), .effect = taint["effect"].text()};
  return api::Tolerates(TolerationOf(toleration), of, true);
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
