// SPDX-License-Identifier: Apache-2.0
// AlgorithmSource: where a scheduler of v1.16 to v1.22 was told to take its predicates and priorities from.

#pragma once

#include <string>
#include <variant>

namespace berth::config {

struct PolicyFile {
  std::string path;

  bool operator==(const PolicyFile&) const = default;
};

// The value at kPolicyKey of a ConfigMap.
struct PolicyConfigMap {
  std::string ns;
  std::string name;

  bool operator==(const PolicyConfigMap&) const = default;
};

struct AlgorithmProvider {
  std::string name;

  bool operator==(const AlgorithmProvider&) const = default;
};

// The monostate stands for today's way: profiles.
using AlgorithmSource = std::variant<std::monostate, PolicyFile, PolicyConfigMap, AlgorithmProvider>;

inline constexpr const char* kPolicyKey = "policy.cfg";
inline constexpr const char* kDefaultProvider = "DefaultProvider";

}  // namespace berth::config
