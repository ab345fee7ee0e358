// SPDX-License-Identifier: Apache-2.0
#include "server/objects/parked_writes.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "server/test_cluster.h"
#include "server/webhooks/test_caller.h"

namespace berth::server {
namespace {

// A cluster with a webhook that is asked about all ConfigMaps.
struct ParkingCluster {
  ParkingCluster() {
    cluster.Create(
        "admissionregistration.k8s.io", "validatingwebhookconfigurations",
        "metadata: {name: v}\nwebhooks:\n- name: w.example.com\n  sideEffects: None\n  "
        "admissionReviewVersions: [v1]\n  clientConfig: {url: 'https://127.0.0.1:1/w'}\n  rules: [{operations: "
        "['*'], apiGroups: [''], apiVersions: [v1], resources: [configmaps]}]");
    cluster.objects.webhooks().SetCaller(caller);
  }

  Outcome<ObjectPtr> Make(std::string_view yaml) {
    return cluster.TryCreate(cluster.Get("", "configmaps"), yaml, {.manager = "kube-controller-manager"});
  }
  size_t CountMaps() const { return cluster.store.Count(cluster.Get("", "configmaps")); }

  TestCaller caller;
  TestCluster cluster{false};
};

TEST(ParkedWrites, AreMadeOnceTheyAreAllowed) {
  ParkingCluster parking;
  const size_t before = parking.CountMaps();

  const auto first = parking.Make("metadata: {generateName: c-}");
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().message, "the write is made when admission webhooks have answered");
  EXPECT_EQ(parking.caller.Request()["userInfo"]["username"].text(), "system:kube-controller-manager");
  // Whoever looks again meanwhile does not make it twice.
  EXPECT_FALSE(parking.Make("metadata: {generateName: c-}"));
  EXPECT_FALSE(parking.Make("metadata: {generateName: d-}"));
  EXPECT_EQ(parking.caller.count(), 2);
  EXPECT_EQ(parking.CountMaps(), before);

  parking.caller.Allow();
  EXPECT_EQ(parking.CountMaps(), before + 1);
  parking.caller.Allow();
  EXPECT_EQ(parking.CountMaps(), before + 2);
  EXPECT_FALSE(parking.Make("metadata: {generateName: c-}"));
  EXPECT_EQ(parking.caller.count(), 1);
}

TEST(ParkedWrites, ThatAreDeniedSayWhyToWhoeverTriesAgain) {
  ParkingCluster parking;

  EXPECT_FALSE(parking.Make("metadata: {name: c}"));
  parking.caller.Deny("not today");
  const auto denied = parking.Make("metadata: {name: c}");

  ASSERT_FALSE(denied);
  EXPECT_EQ(denied.error().message, "admission webhook \"w.example.com\" denied the request: not today");
  EXPECT_FALSE(parking.Make("metadata: {name: c}"));
  EXPECT_EQ(parking.caller.count(), 1);
}

TEST(ParkedWrites, AreForTheVersionThatTheyWereMadeOf) {
  ParkingCluster parking;
  EXPECT_FALSE(parking.Make("metadata: {name: c}\ndata: {a: '1'}"));
  parking.caller.Allow();
  const Resource& maps = parking.cluster.Get("", "configmaps");
  const auto change = [&](std::string_view value) {
    return parking.cluster.objects.Update(maps, "default", "c", {}, [&](const Json& current) -> Outcome<Json> {
      Json next = current;
      next.Make("data").Set("a", value);
      return next;
    });
  };

  EXPECT_FALSE(change("2"));
  EXPECT_FALSE(change("3"));
  parking.caller.Allow();
  EXPECT_EQ(parking.cluster.Tree("", "configmaps", "c")["data"]["a"].text(), "2");
  parking.caller.Allow();
  EXPECT_EQ(parking.cluster.Tree("", "configmaps", "c")["data"]["a"].text(), "2");
  EXPECT_EQ(parking.caller.count(), 0);
}

TEST(ParkedWrites, DeletionsAreForTheObjectThatWasThere) {
  ParkingCluster parking;
  EXPECT_FALSE(parking.Make("metadata: {name: c}"));
  parking.caller.Allow();
  const Resource& maps = parking.cluster.Get("", "configmaps");

  EXPECT_FALSE(parking.cluster.objects.Delete(maps, "default", "c", {}));
  EXPECT_EQ(parking.caller.Request()["operation"].text(), "DELETE");
  parking.caller.Allow();

  EXPECT_EQ(parking.cluster.Find("", "configmaps", "c"), nullptr);
}

TEST(ParkedWrites, AreBounded) {
  ParkingCluster parking;
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(parking.Make("metadata: {name: c" + std::to_string(i) + "}"));

  const auto refused = parking.Make("metadata: {name: d}");

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "too many writes wait for webhooks");
  EXPECT_EQ(parking.caller.count(), 1000);
  for (int i = 0; i < 1000; ++i) parking.caller.Deny("no");
  // Not all of these denials are remembered.
  EXPECT_FALSE(parking.Make("metadata: {name: c0}"));
  EXPECT_EQ(parking.caller.count(), 1);
}

}  // namespace
}  // namespace berth::server
