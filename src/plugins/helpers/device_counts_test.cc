// SPDX-License-Identifier: Apache-2.0
#include "plugins/helpers/device_counts.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "cluster/devices/test_devices.h"
#include "cluster/test_builders.h"

namespace berth::plugins {
namespace {

TEST(DeviceCounts, ExpressionsAreNotToldThatADeviceCanBeShared) {
  cluster::Cluster cluster;
  cluster.AddNode(cluster::NodeBuilder("n"));
  std::vector<api::Device> devices = cluster::TestDevices(3);
  devices[0].allow_multiple_allocations = true;
  cluster.objects.Put(cluster::TestSlice("s", "pool", "n", std::move(devices)));
  const api::Node node = cluster::NodeBuilder("n");
  const auto count = [&](const std::string& expression) {
    api::DeviceClass device_class = cluster::TestClass();
    device_class.selectors.push_back({expression});
    return CountDevices(cluster, node, device_class).total;
  };

  EXPECT_EQ(count("device.driver == 'gpu.example.com'"), 3);
  EXPECT_EQ(count("device.allowMultipleAllocations"), 0);
  EXPECT_EQ(count("!device.allowMultipleAllocations"), 3);
}

}  // namespace
}  // namespace berth::plugins
