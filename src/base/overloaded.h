// SPDX-License-Identifier: Apache-2.0
// Overloaded: several lambdas as one visitor of a variant.

#pragma once

namespace berth {

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};

}  // namespace berth
