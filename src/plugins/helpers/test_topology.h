// SPDX-License-Identifier: Apache-2.0
// The topology keys of tests.

#pragma once

namespace berth::plugins {

inline constexpr char kZone[] = "topology.kubernetes.io/zone";
inline constexpr char kHost[] = "kubernetes.io/hostname";

}  // namespace berth::plugins
