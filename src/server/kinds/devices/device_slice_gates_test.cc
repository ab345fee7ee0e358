// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/devices/device_slice_gates.h"

#include <gtest/gtest.h>

#include "server/model/test_tree.h"

namespace berth::server {
namespace {

using framework::FeatureGates;

Json Kept(std::string_view spec, std::string_view old, const FeatureGates& gates) {
  Json kept = TreeOf(spec);
  DropDisabledOfSlice(kept, old.empty() ? Json() : TreeOf(old), gates);
  return kept;
}

constexpr std::string_view kWithLists = R"({"devices":[{"attributes":{"a":{"strings":["x"]},"b":{"int":1}}}]})";
constexpr std::string_view kWithTaints = R"({"devices":[{"name":"d","taints":[{"key":"k","effect":"NoExecute"}]}]})";

TEST(DeviceSliceGates, FieldsOfGatesThatAreOffAreDropped) {
  const FeatureGates defaults;
  EXPECT_EQ(Kept(kWithLists, "", defaults), TreeOf(R"({"devices":[{"attributes":{"a":{},"b":{"int":1}}}]})"));
  EXPECT_EQ(Kept(kWithTaints, "", defaults), TreeOf(kWithTaints));

  const FeatureGates gates =
      FeatureGates::Create(
          {{"DRAListTypeAttributes", true}, {"DRADeviceTaints", false}, {"DRADeviceTaintRules", false}})
          .value();
  EXPECT_EQ(Kept(kWithLists, "", gates), TreeOf(kWithLists));
  EXPECT_EQ(Kept(kWithTaints, "", gates), TreeOf(R"({"devices":[{"name":"d"}]})"));
}

TEST(DeviceSliceGates, WhatTheOldSliceUsesMayStayInUse) {
  const FeatureGates gates;
  EXPECT_EQ(Kept(kWithLists, kWithLists, gates), TreeOf(kWithLists));
  EXPECT_NE(Kept(kWithLists, R"({"devices":[{"attributes":{"b":{"int":1}}}]})", gates), TreeOf(kWithLists));
}

}  // namespace
}  // namespace berth::server
