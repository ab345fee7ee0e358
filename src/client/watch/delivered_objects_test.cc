// SPDX-License-Identifier: Apache-2.0
#include "client/watch/delivered_objects.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Pods {
  static scheduler::PutObject At(int version) {
    api::Pod pod;
    pod.meta.ns = "default";
    pod.meta.name = "a";
    pod.meta.resource_version = std::to_string(version);
    return {std::move(pod)};
  }
  static scheduler::RemoveObject Gone() { return {"Pod", "default", "a", true}; }

  // A complete list at `version`, of the pod at `pod` or of nothing.
  void List(int version, int pod = 0) {
    objects.BeginList();
    if (pod != 0) objects.Put(At(pod).object);
    objects.EndList(std::to_string(version));
  }

  // What came out since the last time.
  std::vector<std::string> Take() {
    std::vector<std::string> lines;
    for (const Delivery& delivery : objects.Take()) {
      const auto* put = std::get_if<scheduler::PutObject>(&delivery);
      lines.push_back(put == nullptr ? "gone" : api::MetaOf(put->object).resource_version);
    }
    return lines;
  }

  DeliveredObjects objects{"Pod"};
};

TEST(DeliveredObjects, WhatWasReadAheadIsNotRepeatedByTheWatch) {
  Pods pods;
  pods.List(5, 5);
  pods.objects.ReadAhead(Pods::At(8), "5");
  pods.objects.Put(Pods::At(7).object);
  pods.objects.Put(Pods::At(8).object);
  pods.objects.Put(Pods::At(9).object);

  EXPECT_THAT(pods.Take(), ElementsAre("5", "8", "9"));
}

TEST(DeliveredObjects, AReadThatIsSlowerThanTheWatchChangesNothing) {
  Pods pods;
  pods.List(5, 5);
  pods.objects.Put(Pods::At(9).object);
  pods.objects.ReadAhead(Pods::At(8), "9");

  EXPECT_THAT(pods.Take(), ElementsAre("5", "9"));
}

TEST(DeliveredObjects, AReadDoesNotBringBackWhatTheWatchSawGo) {
  Pods pods;
  pods.List(5, 5);
  pods.objects.Remove("default", "a", "9");
  pods.objects.ReadAhead(Pods::At(8), "9");

  EXPECT_THAT(pods.Take(), ElementsAre("5", "gone"));
}

TEST(DeliveredObjects, AnObjectThatWasReadAheadOutlivesTheRemovalOfItsPredecessor) {
  Pods pods;
  pods.List(5, 5);
  pods.objects.ReadAhead(Pods::At(8), "5");
  pods.objects.Remove("default", "a", "7");
  pods.objects.Remove("default", "a", "12");

  EXPECT_THAT(pods.Take(), ElementsAre("5", "8", "gone"));
}

TEST(DeliveredObjects, AnObjectReadDuringAListThatLacksItIsGoneUnlessItIsNewer) {
  for (const int list : {7, 9}) {
    Pods pods;
    pods.List(5, 5);
    pods.objects.BeginList();
    pods.objects.ReadAhead(Pods::At(8), "5");
    pods.objects.EndList(std::to_string(list));

    if (list == 7) {
      EXPECT_THAT(pods.Take(), ElementsAre("5", "8"));
    } else {
      EXPECT_THAT(pods.Take(), ElementsAre("5", "8", "gone"));
    }
  }
}

TEST(DeliveredObjects, AnObjectFoundGoneIsRemovedUnlessSomethingNewerIsKnown) {
  Pods pods;
  pods.List(5, 5);
  pods.objects.ReadAhead(Pods::Gone(), "4");
  EXPECT_THAT(pods.Take(), ElementsAre("5"));
  pods.objects.ReadAhead(Pods::Gone(), "5");
  EXPECT_THAT(pods.Take(), ElementsAre("gone"));
  pods.objects.ReadAhead(Pods::Gone(), "5");
  EXPECT_THAT(pods.Take(), IsEmpty());
}

TEST(DeliveredObjects, OlderVersionsDoNotBringBackWhatWasFoundGone) {
  Pods pods;
  pods.List(5, 5);
  pods.objects.ReadAhead(Pods::At(8), "5");
  pods.objects.ReadAhead(Pods::Gone(), "8");
  pods.objects.Put(Pods::At(7).object);
  pods.objects.Remove("default", "a", "9");
  EXPECT_THAT(pods.Take(), ElementsAre("5", "8", "gone"));
  pods.objects.Put(Pods::At(10).object);
  EXPECT_THAT(pods.Take(), ElementsAre("10"));
}

TEST(DeliveredObjects, AListForgetsWhatWasFoundGone) {
  Pods pods;
  pods.List(5, 5);
  pods.objects.ReadAhead(Pods::Gone(), "5");
  pods.List(9);
  EXPECT_THAT(pods.Take(), ElementsAre("5", "gone"));
  EXPECT_EQ(pods.objects.size(), 0u);
}

}  // namespace
}  // namespace berth::client
