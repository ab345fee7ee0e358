// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/pod_resize.h"

#include <gtest/gtest.h>

#include <string>

#include "server/model/test_tree.h"

namespace berth::server {
namespace {

Json Running(std::string_view resources) {
  return TreeOf(
      std::string(R"({"metadata":{"name":"p","labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"a:1",
      "resources":)") +
      std::string(resources) + R"(}],"priority":7},"status":{"qosClass":"Burstable","containerStatuses":[
      {"name":"c","state":{"running":{}},"resources":{}}]}})");
}

std::string ErrorsOfResize(Json pod, const Json& old) {
  PreparePodResize(pod, old);
  FieldErrors errors;
  ValidatePodResize(pod, old, errors);
  std::string all;
  for (const FieldError& error : errors.all()) all += error.field + ": " + error.message + "\n";
  return all;
}

TEST(PodResize, TakesResourcesAndLeavesTheRest) {
  const Json old = Running(R"({"requests":{"cpu":"1"}})");
  Json pod = TreeOf(R"({"metadata":{"name":"p","labels":{"x":"y"}},
      "spec":{"containers":[{"name":"c","image":"b:2","resources":{"requests":{"cpu":"2"}}}]}})");

  PreparePodResize(pod, old);

  Json expected = old;
  expected.Make("spec")
      .Find("containers")
      ->mutable_items()[0]
      .Make({"resources", "requests"})
      .Set("cpu", Json::String("2"));
  EXPECT_EQ(pod, expected);
  EXPECT_EQ(ErrorsOfResize(pod, old), "");
}

TEST(PodResize, NothingIsRemovedAndOnlyCpuAndMemoryChange) {
  const Json old = Running(R"({"requests":{"cpu":"1","memory":"1Gi","example.com/gpu":"1"}})");

  EXPECT_EQ(ErrorsOfResize(Running(R"({"requests":{"cpu":"1","example.com/gpu":"1"}})"), old),
            "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed\n");
  EXPECT_EQ(ErrorsOfResize(Running(R"({"requests":{"cpu":"1","memory":"1Gi","example.com/gpu":"2"}})"), old),
            "spec: Forbidden: only cpu and memory resources are mutable\n");
  EXPECT_EQ(ErrorsOfResize(
                Running(R"({"requests":{"cpu":"3","memory":"3Gi","example.com/gpu":"1"},"limits":{"cpu":"3"}})"), old),
            "");
}

TEST(PodResize, TheClassOfServiceStays) {
  const Json old = Running(R"({"requests":{"cpu":"1","memory":"1Gi"}})");

  EXPECT_EQ(
      ErrorsOfResize(Running(R"({"requests":{"cpu":"1","memory":"1Gi"},"limits":{"cpu":"1","memory":"1Gi"}})"), old),
      "spec: Invalid value: \"Burstable\": Pod QOS Class may not change as a result of resizing\n");
}

TEST(PodResize, ContainersStayWhatTheyAre) {
  const Json old = Running(R"({"requests":{"cpu":"1"}})");
  Json other = old;
  other.Make("spec").Find("containers")->mutable_items()[0].Set("name", Json::String("d"));

  EXPECT_EQ(ErrorsOfResize(other, old),
            "spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize\n");
}

TEST(PodResize, NeedsAKubeletThatTellsResources) {
  Json old = Running(R"({"requests":{"cpu":"1"}})");
  old.Make("status").Find("containerStatuses")->mutable_items()[0].Erase("resources");

  EXPECT_EQ(ErrorsOfResize(Running(R"({"requests":{"cpu":"2"}})"), old),
            "spec: Forbidden: Pod running on node without support for resize\n");
}

}  // namespace
}  // namespace berth::server
