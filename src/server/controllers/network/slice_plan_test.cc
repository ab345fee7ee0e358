// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/network/slice_plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "server/controllers/network/service_slices.h"
#include "server/controllers/network/test_network.h"

namespace berth::server {
namespace {

// A Service, and slices that belong to it.
class SlicePlanTest : public testing::Test {
 protected:
  SlicePlanTest() : cluster_(false) {
    AddWebService(cluster_);
    rules_ = {
        .owner = cluster_.Find("", "services", "web"), .labels = Json{{"a", Json::String("b")}}, .annotations = {}};
  }

  static Json Endpoint(int number) {
    return Json{{"addresses", Json::MakeList({Json::String(fmt::format("10.0.{}.{}", number / 250, number % 250))})},
                {"conditions", Json{{"ready", Json::Bool(true)}}}};
  }

  static Json Ports(int port) {
    return Json::MakeList(
        {Json{{"name", Json::String("")}, {"port", Json::Int(port)}, {"protocol", Json::String("TCP")}}});
  }

  // With the endpoints of these numbers.
  ObjectPtr AddSlice(std::string_view name, int first, int count, bool is_owned = true) {
    Json slice{{"apiVersion", Json::String("discovery.k8s.io/v1")},
               {"kind", Json::String("EndpointSlice")},
               {"metadata", Json{{"name", Json::String(name)}, {"labels", rules_.labels}}},
               {"addressType", Json::String("IPv4")},
               {"ports", Ports(80)},
               {"endpoints", Json::MakeList()}};
    for (int i = first; i < first + count; ++i) slice.Make("endpoints").Append(Endpoint(i));
    const std::string uid = is_owned ? rules_.owner->uid() : "another";
    slice.Make("metadata")
        .Set("ownerReferences", Json::MakeList({Json{{"apiVersion", Json::String("v1")},
                                                     {"kind", Json::String("Service")},
                                                     {"name", Json::String("web")},
                                                     {"uid", Json::String(uid)}}}));
    const auto made =
        cluster_.objects.Create(cluster_.Get("discovery.k8s.io", "endpointslices"), "default", std::move(slice), {});
    EXPECT_TRUE(made) << made.error().message;
    present_.push_back(*made);
    return *made;
  }

  void Want(int first, int count, int port = 80) {
    for (int i = first; i < first + count; ++i) {
      Json endpoint = Endpoint(i);
      GroupOf(groups_, Ports(port)).endpoints[EndpointIdentity(endpoint)] = endpoint;
    }
  }

  SlicePlan Plan() { return PlanSlices(rules_, std::move(groups_), present_); }

  TestCluster cluster_;
  SliceRules rules_;
  EndpointGroups groups_;
  std::vector<ObjectPtr> present_;
};

TEST_F(SlicePlanTest, WritesNothingThatIsAsItShallBe) {
  AddSlice("a", 0, 100);
  AddSlice("b", 100, 40);
  Want(0, 140);
  const SlicePlan plan = Plan();
  EXPECT_TRUE(plan.made.empty() && plan.changed.empty() && plan.removed.empty());
}

TEST_F(SlicePlanTest, FillsSlicesThatAreWrittenAnywayFirst) {
  AddSlice("a", 0, 90);
  AddSlice("b", 100, 50);
  // One of b is gone, and ten are new.
  Want(0, 90);
  Want(101, 49);
  Want(200, 10);
  const SlicePlan plan = Plan();
  ASSERT_EQ(plan.changed.size(), 1U);
  EXPECT_EQ(plan.changed[0].name, "b");
  EXPECT_EQ(plan.changed[0].endpoints.size(), 59U);
  EXPECT_TRUE(plan.made.empty());
}

TEST_F(SlicePlanTest, TakesTheFullestSliceThatHasRoomForAllThatIsLeft) {
  AddSlice("a", 0, 95);
  AddSlice("b", 100, 60);
  AddSlice("c", 200, 30);
  Want(0, 95);
  Want(100, 60);
  Want(200, 30);
  Want(300, 20);
  const SlicePlan plan = Plan();
  ASSERT_EQ(plan.changed.size(), 1U);
  EXPECT_EQ(plan.changed[0].name, "b");
  EXPECT_EQ(plan.changed[0].endpoints.size(), 80U);
}

TEST_F(SlicePlanTest, MakesNewOnesRatherThanSplitting) {
  AddSlice("a", 0, 95);
  Want(0, 95);
  Want(300, 130);
  const SlicePlan plan = Plan();
  EXPECT_TRUE(plan.changed.empty());
  ASSERT_EQ(plan.made.size(), 2U);
  EXPECT_EQ(plan.made[0].endpoints.size(), 100U);
  EXPECT_EQ(plan.made[1].endpoints.size(), 30U);
}

TEST_F(SlicePlanTest, UsesSlicesOfOtherPortsAgain) {
  AddSlice("a", 0, 3);
  Want(0, 3, 81);
  const SlicePlan plan = Plan();
  ASSERT_EQ(plan.changed.size(), 1U);
  EXPECT_EQ(plan.changed[0].name, "a");
  EXPECT_EQ(plan.changed[0].ports, Ports(81));
  EXPECT_TRUE(plan.made.empty() && plan.removed.empty());
}

TEST_F(SlicePlanTest, RemovesThoseOfAnOwnerThatIsGone) {
  AddSlice("a", 0, 3, false);
  Want(0, 3);
  const SlicePlan plan = Plan();
  ASSERT_EQ(plan.removed.size(), 1U);
  EXPECT_EQ(plan.made.size(), 1U);
  EXPECT_TRUE(plan.changed.empty());
}

TEST_F(SlicePlanTest, DressesThemAnew) {
  AddSlice("a", 0, 3);
  rules_.labels.Set("more", "yes");
  Want(0, 3);
  const SlicePlan plan = Plan();
  ASSERT_EQ(plan.changed.size(), 1U);
  EXPECT_EQ(plan.changed[0].endpoints.size(), 3U);
}

TEST_F(SlicePlanTest, KeepsAnEmptyOneUnlessTheRulesDoWithout) {
  const SlicePlan first = Plan();
  ASSERT_EQ(first.made.size(), 1U);
  EXPECT_TRUE(first.made[0].ports.empty());
  rules_.is_never_without = false;
  EXPECT_TRUE(Plan().made.empty());
}

}  // namespace
}  // namespace berth::server
