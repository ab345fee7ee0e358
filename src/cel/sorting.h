// SPDX-License-Identifier: Apache-2.0
// SortedOrder: the order in which Go's sort.Slice leaves things, equal ones included.

#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace berth::cel {

// The numbers from 0 to count - 1, sorted by `less`. Equal ones keep their order up to twelve; beyond, they come out as
// they do in Go.
std::vector<size_t> SortedOrder(size_t count, const std::function<bool(size_t, size_t)>& less);

}  // namespace berth::cel
