// SPDX-License-Identifier: Apache-2.0
// DeviceTaints: which devices have taints of effect NoExecute, by what their drivers publish and by the rules of
// administrators, and until when claims to them may be used.
//
// Thread: that of the store.

#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "server/model/json.h"
#include "server/store/store.h"

namespace berth::server {

class DeviceTaints {
 public:
  struct Eviction {
    Time when{};
    std::set<std::string> rules;  // The rules that are among its reasons.
  };

  // Both return whether there were or are taints in the pool.
  bool PutSlice(const StoredObject& slice);
  bool RemoveSlice(const StoredObject& slice);
  void PutRule(const StoredObject& rule);
  void RemoveRule(const StoredObject& rule);

  // Whether any device may be tainted.
  bool empty() const { return tainted_slices_ == 0 && rules_.empty(); }

  // When the users of a claim have to go; nothing: they may stay. `pretended`, if given, is a rule that counts as if
  // its effect were NoExecute, and alone of all rules.
  std::optional<Eviction> EvictionOf(const Json& claim, const Json* pretended = nullptr) const;

  // How many published devices a rule selects.
  size_t CountSelected(const Json& rule) const;
  static bool Selects(const Json& rule, std::string_view driver, std::string_view pool, std::string_view device);

 private:
  using PoolName = std::pair<std::string, std::string>;  // Of the driver and of the pool.
  struct Device {
    std::string name;
    Json::List taints;  // Those of effect NoExecute.
  };
  struct Slice {
    PoolName pool;
    int64_t generation = 0;
    std::vector<Device> devices;
    bool is_tainted = false;
  };

  // The slices of a pool that count: those of the last generation.
  std::vector<const Slice*> Current(const PoolName& pool) const;
  bool IsTainted(const PoolName& pool) const;

  std::map<std::string, Slice> slices_;              // By name.
  std::map<PoolName, std::set<std::string>> pools_;  // The names of their slices.
  size_t tainted_slices_ = 0;
  std::map<std::string, Json> rules_;  // Those of effect NoExecute, by name.
};

}  // namespace berth::server
