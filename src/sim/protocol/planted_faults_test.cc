// SPDX-License-Identifier: Apache-2.0
// Every invariant of the simulation of live schedulers is broken once, to see that its check notices. Those of groups
// are in sim/core/planted_faults_test.cc.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "cluster/test_builders.h"
#include "sim/protocol/cluster_checks.h"
#include "sim/protocol/delivery_check.h"
#include "sim/protocol/live_instance.h"

namespace berth::sim {
namespace {

using server::Json;
using ::testing::HasSubstr;

constexpr Time kServedStart{1'700'000'000'000'000'000};

class PlantedServerFault : public ::testing::Test {
 protected:
  PlantedServerFault() {
    cluster_.Listen([this](const server::Change& change) {
      if (wrong_.empty()) wrong_ = checks_.CheckWrite(change);
    });
  }

  server::ObjectPtr CreatePod(const std::string& name, int milli_cpu, const std::string& node = "") {
    return cluster_.Create(fmt::format(
        R"({{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"{}","namespace":"default"}},"spec":{{{}"containers":[)"
        R"({{"name":"c","image":"i","resources":{{"requests":{{"cpu":"{}m"}}}}}}]}}}})",
        name, node.empty() ? "" : fmt::format(R"("nodeName":"{}",)", node), milli_cpu));
  }

  runtime::Agenda agenda_{kServedStart};
  Dice dice_{1};
  ServedCluster cluster_{agenda_, dice_, {}};
  ClusterChecks checks_{cluster_};
  std::string wrong_;  // The first that a write made.
};

TEST_F(PlantedServerFault, ANodeIsOvercommitted) {
  CreatePod("a", 1500, "n1");
  EXPECT_EQ(wrong_, "");
  CreatePod("b", 600, "n1");
  EXPECT_EQ(wrong_, "node n1 is overcommitted: 2100m cpu, 2 pods");
}

TEST_F(PlantedServerFault, ANodeHasAPodTooMany) {
  for (const char* name : {"a", "b", "c"}) CreatePod(name, 100, "n1");
  EXPECT_EQ(wrong_, "");
  CreatePod("d", 100, "n1");
  EXPECT_EQ(wrong_, "node n1 is overcommitted: 400m cpu, 4 pods");
}

TEST_F(PlantedServerFault, AVolumeHasTwoClaims) {
  for (const char* name : {"a", "b"}) {
    EXPECT_EQ(wrong_, "");
    cluster_.Create(fmt::format(
        R"({{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{{"name":"{}","namespace":"default"}},"spec":{{)"
        R"("accessModes":["ReadWriteOnce"],"resources":{{"requests":{{"storage":"1Gi"}}}},"volumeName":"v"}}}})",
        name));
  }
  EXPECT_EQ(wrong_, "volume v has two claims: default/a and default/b");
}

TEST_F(PlantedServerFault, ADeviceHasTwoClaims) {
  for (const char* name : {"a", "b"}) {
    EXPECT_EQ(wrong_, "");
    const server::ObjectPtr claim = cluster_.Create(fmt::format(
        R"({{"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1","metadata":{{"name":"{}","namespace":"default"}},)"
        R"("spec":{{"devices":{{"requests":[{{"name":"req","exactly":{{"deviceClassName":"gpu",)"
        R"("allocationMode":"ExactCount","count":1}}}}]}}}}}})",
        name));
    cluster_.Edit(*claim, "status", [](Json& next) {
      next.Make("status") = server::ParseTree(R"({"allocation":{"devices":{"results":[{"request":"req",)"
                                              R"("driver":"gpu.example.com","pool":"n1","device":"a"}]}}})")
                                .value();
    });
  }
  EXPECT_EQ(wrong_, "device n1/a is given to the claims default/a and default/b");
}

TEST_F(PlantedServerFault, ABoundPodIsBoundElsewhere) {
  const server::ObjectPtr pod = CreatePod("a", 100, "n1");
  EXPECT_EQ(checks_.CheckBinding(*pod, "n1"), "") << "it is repeated";
  EXPECT_EQ(checks_.CheckBinding(*pod, "n2"), "pod a is to be bound to n2, but is on n1");
}

TEST_F(PlantedServerFault, OneBindsThatDoesNotLead) {
  net::Request request;
  request.target = "/api/v1/namespaces/default/pods/a/binding";
  EXPECT_THAT(checks_.CheckSender("me", request), HasSubstr("me binds without the lease"));
  cluster_.Create(R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"kube-scheduler",)"
                  R"("namespace":"kube-system"},"spec":{"holderIdentity":"me"}})");
  EXPECT_EQ(checks_.CheckSender("me", request), "");
  EXPECT_THAT(checks_.CheckSender("you", request), HasSubstr("you binds without the lease"));
}

// A scheduler, a node and a pod for it. Requests whose target ends with `lost` get no answer.
class PlantedSilence : public PlantedServerFault {
 protected:
  std::string CheckAtRestWithout(const std::string& lost) {
    cluster_.set_on_binding([](const server::StoredObject&, std::string_view) {});
    const server::ObjectPtr node = cluster_.Create(
        R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"n1"},"spec":{},"status":{"allocatable":{"cpu":"2",)"
        R"("memory":"8Gi","pods":"3"},"capacity":{"cpu":"2","memory":"8Gi","pods":"3"}}})");
    cluster_.Edit(*node, "", [](Json& next) { next.Make("spec").Erase("taints"); });
    CreatePod("a", 100);
    const NetworkFaults faults;
    LiveInstance instance({.agenda = agenda_,
                           .dice = dice_,
                           .cluster = cluster_,
                           .faults = faults,
                           .server =
                               [&](const net::Request& request, const std::shared_ptr<Line>& line) {
                                 if (lost.empty() || !request.target.ends_with(lost)) cluster_.Handle(request, line);
                               },
                           .probe = [](const LiveInstance&, const net::Request&) {},
                           .trace = {}},
                          {.name = "me", .elects = false});
    instance.Start();
    agenda_.RunUntil(agenda_.now() + Seconds(20));
    EXPECT_EQ(instance.Check(), "");
    return instance.CheckAtRest();
  }
};

TEST_F(PlantedSilence, AnOrderHasNoAnswer) {
  EXPECT_THAT(CheckAtRestWithout("/pods/a/binding"), HasSubstr("orders and events have no answer"));
}

TEST_F(PlantedSilence, IsNoFaultWhereAllAreHeard) {
  EXPECT_EQ(CheckAtRestWithout(""), "");
  EXPECT_EQ(cluster_.Find("Pod", "default/a")->Field("spec.nodeName"), "n1");
}

// What is delivered of the nodes, of which the server has two.
class PlantedDelivery : public PlantedServerFault {
 protected:
  PlantedDelivery() {
    for (const char* name : {"n1", "n2"}) {
      versions_.push_back(CreateNode(name));
      Deliver(name, versions_.back());
    }
    deliveries_.OnList(nodes_, {}, 2);
    Claim(versions_.back());
    EXPECT_EQ(deliveries_.Check(), "");
  }

  int64_t CreateNode(const std::string& name) {
    return cluster_
        .Create(fmt::format(R"({{"kind":"Node","apiVersion":"v1","metadata":{{"name":"{}"}},"spec":{{}}}})", name))
        ->revision();
  }
  int64_t Change(const std::string& name) {
    return cluster_
        .Edit(
            *cluster_.Find("Node", name), "",
            [&](Json& next) { next.Make({"metadata", "labels", "change"}) = Json::String(std::to_string(++changes_)); })
        ->revision();
  }
  void Deliver(const std::string& name, int64_t version) {
    api::Node node = cluster::NodeBuilder(name).Build();
    node.meta.resource_version = std::to_string(version);
    deliveries_.OnDelivered(scheduler::PutObject{node});
  }
  void Claim(int64_t version) { deliveries_.OnResourceVersion(nodes_, std::to_string(version)); }

  const client::WatchedResource nodes_{.kind = "Node", .api_version = "v1", .plural = "nodes", .field_selector = ""};
  DeliveryCheck deliveries_{cluster_};
  std::vector<int64_t> versions_;
  int changes_ = 0;
};

TEST_F(PlantedDelivery, AChangeIsLost) {
  Change("n1");
  const int64_t last = Change("n2");
  Deliver("n2", last);
  Claim(last);
  EXPECT_THAT(deliveries_.Check(), HasSubstr("Node: n2 in version"));
}

TEST_F(PlantedDelivery, ChangesComeInAnotherOrder) {
  const int64_t first = Change("n1");
  const int64_t last = Change("n2");
  Deliver("n2", last);
  Deliver("n1", first);
  Claim(last);
  EXPECT_THAT(deliveries_.Check(), HasSubstr("Node: n2 in version"));
}

TEST_F(PlantedDelivery, AChangeIsDeliveredTwice) {
  const int64_t last = Change("n1");
  Deliver("n1", last);
  Deliver("n1", last);
  EXPECT_EQ(deliveries_.Check(), fmt::format("n1: version {0} was delivered after {0}", last));
}

TEST_F(PlantedDelivery, AnObjectGoesBack) {
  const int64_t last = Change("n1");
  Deliver("n1", last);
  Deliver("n1", versions_[0]);
  EXPECT_EQ(deliveries_.Check(), fmt::format("n1: version {} was delivered after {}", versions_[0], last));
}

TEST_F(PlantedDelivery, AListLeavesSomethingOut) {
  cluster_.Remove(*cluster_.Find("Node", "n1"));
  const int64_t last = Change("n2");
  Deliver("n2", last);
  deliveries_.OnList(nodes_, {}, 1);
  Claim(last);
  EXPECT_THAT(deliveries_.Check(), HasSubstr("Node n1: version"));
}

TEST_F(PlantedDelivery, AReflectorGoesBack) {
  Claim(versions_[0]);
  EXPECT_EQ(deliveries_.Check(), fmt::format("Node: went back from version {} to {}", versions_[1], versions_[0]));
}

TEST_F(PlantedDelivery, AnObjectCannotBeRead) {
  deliveries_.OnSkipped(nodes_, "no");
  EXPECT_EQ(deliveries_.Check(), "a Node could not be read: no");
}

TEST_F(PlantedDelivery, SomethingIsMissingInTheEnd) {
  EXPECT_EQ(deliveries_.CheckAtRest(), "");
  const int64_t last = Change("n1");
  EXPECT_EQ(deliveries_.CheckAtRest(), fmt::format("at rest, version {} of Node n1 has not arrived", last));
}

}  // namespace
}  // namespace berth::sim
