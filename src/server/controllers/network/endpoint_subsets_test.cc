// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/network/endpoint_subsets.h"

#include <gtest/gtest.h>

#include "server/controllers/network/test_network.h"

namespace berth::server {
namespace {

void SelectPod(ServicePods::Selected& selected, int number, int64_t port, bool is_ready) {
  PublishedPod pod{.ns = "default",
                   .name = fmt::format("pod-{:04}", number),
                   .uid = fmt::format("uid-{:04}", number),
                   .node = "node-1",
                   .hostname = {},
                   .subdomain = {},
                   .addresses = {fmt::format("10.0.{}.{}", number / 250, number % 250)},
                   .ports = {{.name = "http", .protocol = "TCP", .number = port}},
                   .is_ready = is_ready};
  selected.pods[ObjectKey(pod.ns, pod.name)] = std::make_shared<const PublishedPod>(pod);
}

EndpointSubsets SubsetsOfWeb(const ServicePods::Selected& selected) {
  TestCluster cluster(false);
  AddWebService(cluster);
  const ObjectPtr service = cluster.Find("", "services", "web");
  return SubsetsOf(*service, service->Tree(), selected);
}

TEST(EndpointSubsets, AreCutOffBeyondAThousand) {
  ServicePods::Selected selected;
  for (int i = 0; i < 1000; ++i) SelectPod(selected, i, 8080, true);
  EXPECT_FALSE(SubsetsOfWeb(selected).is_truncated);
  for (int i = 1000; i < 1100; ++i) SelectPod(selected, i, 8080, true);

  const EndpointSubsets subsets = SubsetsOfWeb(selected);
  EXPECT_TRUE(subsets.is_truncated);
  ASSERT_EQ(subsets.subsets.size(), 1U);
  EXPECT_EQ(subsets.subsets[size_t{0}]["addresses"].size(), 1000U);
}

TEST(EndpointSubsets, LeaveOutWhatIsNotReadyFirstAndThePartsOfSubsets) {
  ServicePods::Selected selected;
  for (int i = 0; i < 600; ++i) SelectPod(selected, i, 8080, true);
  for (int i = 600; i < 1200; ++i) SelectPod(selected, i, 8081, i % 3 == 0);

  // 200 of the others are ready, so there is room for 200 of 400.
  const EndpointSubsets subsets = SubsetsOfWeb(selected);
  EXPECT_TRUE(subsets.is_truncated);
  ASSERT_EQ(subsets.subsets.size(), 2U);
  EXPECT_EQ(subsets.subsets[size_t{0}]["addresses"].size(), 600U);
  EXPECT_EQ(subsets.subsets[size_t{1}]["addresses"].size(), 200U);
  EXPECT_EQ(subsets.subsets[size_t{1}]["notReadyAddresses"].size(), 200U);
}

}  // namespace
}  // namespace berth::server
