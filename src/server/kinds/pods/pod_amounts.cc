// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/pod_amounts.h"

#include "server/model/checks.h"

namespace berth::server {

Amounts ReadAmounts(const Json& list) {
  Amounts amounts;
  for (const Json::Member& member : list.members()) amounts[member.name] = ToQuantity(member.value);
  return amounts;
}

Json WriteAmounts(const Amounts& amounts) {
  Json list = Json::MakeMap();
  for (const auto& [name, amount] : amounts) list.Set(name, Json::String(amount.String()));
  return list;
}

void AddAmounts(Amounts& total, const Amounts& more) {
  for (const auto& [name, amount] : more) {
    const auto [at, is_new] = total.try_emplace(name, amount);
    if (!is_new) at->second.Add(amount);
  }
}

void SubtractAmounts(Amounts& total, const Amounts& less) {
  for (const auto& [name, amount] : less) {
    api::Quantity& rest = total[name];
    rest.Sub(amount);
    if (rest.IsZero()) total.erase(name);
  }
}

void RaiseAmounts(Amounts& total, const Amounts& least) {
  for (const auto& [name, amount] : least) {
    const auto [at, is_new] = total.try_emplace(name, amount);
    if (!is_new && at->second.Cmp(amount) < 0) at->second = amount;
  }
}

Amounts AggregateAmounts(const Json& spec, const std::function<Amounts(const Json& container)>& amounts_of) {
  Amounts total;
  for (const Json& container : spec["containers"].items()) AddAmounts(total, amounts_of(container));
  Amounts sidecars;
  Amounts start;
  for (const Json& container : spec["initContainers"].items()) {
    Amounts own = amounts_of(container);
    if (container["restartPolicy"].text() == "Always") {
      AddAmounts(total, own);
      AddAmounts(sidecars, own);
      own = sidecars;
    } else {
      AddAmounts(own, sidecars);
    }
    RaiseAmounts(start, own);
  }
  RaiseAmounts(total, start);
  return total;
}

Amounts AggregateAmounts(const Json& spec, std::string_view kind) {
  return AggregateAmounts(spec, [&](const Json& container) { return ReadAmounts(container["resources"][kind]); });
}

}  // namespace berth::server
