// SPDX-License-Identifier: Apache-2.0
// Known gates: every feature gate that kube-scheduler 1.37 takes on its command line.
//
// Most of them concern other components that share the code; they are known so that one list of gates can be given to
// all components of a cluster. For each gate there is a letter per minor version from 1.34 to 1.37, since the scheduler
// can be told to emulate one of those.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace berth::scheduler_app {

inline constexpr uint64_t kMinorOldest = 34;
inline constexpr uint64_t kMinorNewest = 37;

struct KnownGate {
  std::string_view name;
  // By version: - unknown, a alpha, b beta, s stable, l stable and locked, d deprecated, x deprecated and locked. A
  // capital letter: on by default.
  std::string_view stages;
};

// `gate` can be on only while `needs` is.
struct GateDependency {
  std::string_view gate;
  std::string_view needs;
};

// Sorted by name, AllAlpha and AllBeta not among them.
std::span<const KnownGate> KnownGates();
std::span<const GateDependency> GateDependencies();

// Null if there is none.
const KnownGate* FindKnownGate(std::string_view name);

}  // namespace berth::scheduler_app
