// SPDX-License-Identifier: Apache-2.0
// Amounts of resources by name, and what the containers of a pod come to together.

#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "api/parts/quantity.h"
#include "server/model/json.h"

namespace berth::server {

using Amounts = std::map<std::string, api::Quantity, std::less<>>;

// From a map of names to quantities, and back.
Amounts ReadAmounts(const Json& list);
Json WriteAmounts(const Amounts& amounts);

void AddAmounts(Amounts& total, const Amounts& more);
// What comes to nothing is left out.
void SubtractAmounts(Amounts& total, const Amounts& less);
// To the greater of both, each.
void RaiseAmounts(Amounts& total, const Amounts& least);

// What all containers need at the worst moment: init containers run one by one, sidecars beside all that follow.
// `amounts_of` says what one container needs.
Amounts AggregateAmounts(const Json& spec, const std::function<Amounts(const Json& container)>& amounts_of);
// By what the containers ask for; `kind` is requests or limits.
Amounts AggregateAmounts(const Json& spec, std::string_view kind);

}  // namespace berth::server
