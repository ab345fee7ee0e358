// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/cleanup/event_expiry.h"

#include <gtest/gtest.h>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

void AddEvent(TestCluster& cluster, std::string_view name) {
  cluster.Create("", "events",
                 "metadata: {name: " + std::string(name) +
                     "}\ninvolvedObject: {kind: Pod, name: a, namespace: default}\nreason: Test\ntype: Normal");
}

TEST(EventExpiry, EventsGoAnHourAfterTheirLastWrite) {
  TestCluster cluster;
  AddEvent(cluster, "first");
  AddEvent(cluster, "again");
  cluster.timers.Advance(Minutes(40));
  cluster.Change("", "events", "again", [](Json& event) { event.Set("count", Json::Int(2)); });
  cluster.timers.Advance(Minutes(30));
  EXPECT_EQ(cluster.Find("", "events", "first"), nullptr);
  EXPECT_NE(cluster.Find("", "events", "again"), nullptr);
  cluster.timers.Advance(Minutes(40));
  EXPECT_EQ(cluster.Find("", "events", "again"), nullptr);
}

}  // namespace
}  // namespace berth::server
