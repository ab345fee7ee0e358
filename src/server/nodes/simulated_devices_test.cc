// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/simulated_devices.h"

#include <gtest/gtest.h>

#include <string>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

constexpr std::string_view kSliceHead = "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\n";

std::string SliceOf(std::string_view name, std::string_view selector, std::string_view more = "devices: [{name: d}]") {
  return std::string(kSliceHead) + "metadata: {name: " + std::string(name) +
         ", annotations: {berth.dev/node-selector: '" + std::string(selector) +
         "'}}\nspec: {driver: a.example.com, nodeName: $(NODE), " + std::string(more) + "}\n---\n";
}

DeviceTemplates Devices(const std::string& text) {
  Result<DeviceTemplates> devices = ParseDevices(text);
  EXPECT_TRUE(devices) << devices.error().message;
  return devices ? *std::move(devices) : DeviceTemplates();
}

std::string ErrorOf(const std::string& text) {
  const Result<DeviceTemplates> devices = ParseDevices(text);
  return devices ? "none" : devices.error().message;
}

TEST(DeviceTemplates, StandForASliceOnEachNode) {
  const DeviceTemplates devices = Devices(SliceOf("$(NODE)-all", "",
                                                  "devices: [{name: d, attributes: {place: {string: "
                                                  "the $(NODE)}}}]") +
                                          SliceOf("some-$(NODE)", "gpu in (a,b)", "devices: [{name: e}]") +
                                          SliceOf("other-$(NODE)", "gpu=c", "devices: [{name: f}]"));

  const std::vector<Json> slices = devices.SlicesOf("n1", {{"gpu", "b"}});

  ASSERT_EQ(slices.size(), 2U);
  EXPECT_EQ(slices[0]["metadata"].ToText(), R"({"name":"n1-all"})");
  EXPECT_EQ(slices[0]["spec"].ToText(),
            R"({"devices":[{"attributes":{"place":{"string":"the n1"}},"name":"d"}],"driver":"a.example.com",)"
            R"("nodeName":"n1","pool":{"generation":0,"name":"n1","resourceSliceCount":2}})");
  EXPECT_EQ(slices[1]["metadata"]["name"].text(), "some-n1");
}

TEST(DeviceTemplates, ErrorsNameTheObjectAndTheField) {
  EXPECT_EQ(ErrorOf("apiVersion: v1\nkind: Pod\nmetadata: {name: a}"),
            "line 1: Pod a: expected a DeviceClass, ResourceSlice or DeviceTaintRule of resource.k8s.io/v1");
  EXPECT_EQ(ErrorOf(SliceOf("all", "")),
            "line 1: ResourceSlice all: metadata.name: must have $(NODE) in it, as every node gets a slice of its own");
  EXPECT_EQ(ErrorOf(SliceOf("$(NODE)", "a b")),
            "line 1: ResourceSlice $(NODE): metadata.annotations[berth.dev/node-selector]: unable to parse "
            "requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt");
  EXPECT_EQ(ErrorOf(SliceOf("$(NODE)", "", "devises: []")),
            "line 1: ResourceSlice $(NODE): unknown field \"spec.devises\"");
  EXPECT_TRUE(ErrorOf(SliceOf("$(NODE)", "", "devices: [{name: D}]"))
                  .starts_with("line 1: ResourceSlice $(NODE): spec.devices[0].name: Invalid value: \"D\": "));
  EXPECT_EQ(
      ErrorOf(std::string(kSliceHead) +
              "metadata: {name: a, annotations: {berth.dev/node-selector: a}}\nspec: {driver: a.b, allNodes: true, "
              "pool: {name: p, resourceSliceCount: 1}}"),
      "line 1: ResourceSlice a: metadata.annotations: berth.dev/node-selector is for slices whose spec.nodeName "
      "is $(NODE)");
  EXPECT_EQ(ErrorOf("apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}\nspec: {selectors: [{cel: "
                    "{expression: 'device.x'}}]}")
                .substr(0, 74),
            "line 1: DeviceClass a: spec.selectors[0].cel.expression: Invalid value: \"d");
}

TEST(DeviceTemplates, AreBounded) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += SliceOf("a" + std::to_string(i) + "-$(NODE)", "");
  EXPECT_EQ(Devices(text).slices.size(), 1000U);
  EXPECT_EQ(ErrorOf(text + SliceOf("b-$(NODE)", "")), "has 1001 objects, and 1000 is the most");
}

class PublishedDevices : public testing::Test {
 protected:
  PublishedDevices() : cluster(false) {
    AddControllers(cluster.loop);
    cluster.loop.Add(std::make_unique<SimulatedDevices>(
        cluster.loop.cluster(), Devices(SliceOf("$(NODE)-all", "") + SliceOf("$(NODE)-gpu", "gpu=a"))));
    cluster.loop.Start();
  }

  bool Has(std::string_view slice) const { return cluster.Find("resource.k8s.io", "resourceslices", slice) != nullptr; }

  TestCluster cluster;
};

TEST_F(PublishedDevices, ComeAndGoWithTheirNodes) {
  cluster.AddNode("n1");
  cluster.Run();
  EXPECT_TRUE(Has("n1-all"));
  EXPECT_FALSE(Has("n1-gpu"));

  cluster.Delete("", "nodes", "n1");
  cluster.Run();

  EXPECT_FALSE(Has("n1-all"));
}

TEST_F(PublishedDevices, FollowTheLabelsOfANode) {
  cluster.AddNode("n1");
  const auto set_label = [&](std::string_view value) {
    cluster.Change("", "nodes", "n1", [&](Json& node) { node.Make({"metadata", "labels"}).Set("gpu", value); });
    cluster.Run();
  };

  set_label("a");
  EXPECT_TRUE(Has("n1-gpu"));

  set_label("b");
  EXPECT_FALSE(Has("n1-gpu"));
  EXPECT_TRUE(Has("n1-all"));
}

TEST_F(PublishedDevices, AreChangedByHandAndPublishedAgain) {
  cluster.AddNode("n1");
  cluster.Run();
  cluster.Change("resource.k8s.io", "resourceslices", "n1-all",
                 [](Json& slice) { slice.Make("spec").Make("pool").Set("generation", Json::Int(7)); });
  cluster.Run();
  EXPECT_EQ(cluster.Tree("resource.k8s.io", "resourceslices", "n1-all")["spec"]["pool"]["generation"].IntOr(0), 7);

  cluster.Delete("resource.k8s.io", "resourceslices", "n1-all");
  cluster.Run();

  EXPECT_EQ(cluster.Tree("resource.k8s.io", "resourceslices", "n1-all")["spec"]["pool"]["generation"].IntOr(9), 0);
}

}  // namespace
}  // namespace berth::server
