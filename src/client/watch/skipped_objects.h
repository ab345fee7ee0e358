// SPDX-License-Identifier: Apache-2.0
// SkippedObjects: which objects were skipped, and in which version, so that each is told of once and not with every
// list that brings it again.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

namespace berth::client {

class SkippedObjects {
 public:
  // So many are remembered; beyond that all are forgotten, and told of once more.
  static constexpr size_t kMax = 4096;

  // Whether this version of the object is skipped for the first time.
  bool Add(const std::string& object, std::string_view version) {
    const auto found = versions_.find(object);
    if (found != versions_.end()) return std::exchange(found->second, version) != version;
    if (versions_.size() == kMax) versions_.clear();
    versions_.emplace(object, version);
    return true;
  }

 private:
  boost::unordered_flat_map<std::string, std::string> versions_;
};

}  // namespace berth::client
