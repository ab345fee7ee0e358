// SPDX-License-Identifier: Apache-2.0
// StringMap and StringSet: hash tables by string that are looked up by view, without making a string.

#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

namespace berth::cluster {

struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

using StringSet = boost::unordered_flat_set<std::string, StringHash, std::equal_to<>>;

template <class V>
using StringMap = boost::unordered_flat_map<std::string, V, StringHash, std::equal_to<>>;

}  // namespace berth::cluster
