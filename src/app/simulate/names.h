// SPDX-License-Identifier: Apache-2.0
// Names and uids for objects that controllers and the API server would make, the same on every run.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cluster/tables/string_map.h"

namespace berth::simulate {

// A few letters and digits that stand for `text`, as in the name of a Deployment's ReplicaSet.
std::string ShortHash(std::string_view text);

class NameGenerator {
 public:
  // A uid that was not given out before.
  std::string Uid();

  // The name is in use.
  void Take(std::string_view ns, std::string_view name);
  // "prefix-1", or with the first higher number that is free in the namespace. The name is taken.
  std::string Next(std::string_view ns, std::string_view prefix);

 private:
  uint64_t uids_ = 0;
  cluster::StringMap<bool> taken_;     // "namespace/name".
  cluster::StringMap<uint64_t> last_;  // "namespace/prefix" to the number that was given out last.
};

}  // namespace berth::simulate
