// SPDX-License-Identifier: Apache-2.0
// Every invariant of the core's simulation is broken once, to see that its check notices.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "cluster/devices/test_devices.h"
#include "cluster/test_builders.h"
#include "config/config.h"
#include "plugins/registry.h"
#include "sim/core/checker.h"
#include "sim/core/group_checks.h"
#include "sim/core/group_gates.h"
#include "sim/core/workload.h"

namespace berth::sim {
namespace {

using cluster::PodBuilder;
using cluster::TestAllocation;
using ::testing::HasSubstr;

constexpr Time kPlantStart{1'700'000'000'000'000'000};
const std::string kNodeKey = ApiModel::Key("Node", "", "n1");

// What only a fault changes.
template <class T>
T& Break(const T& part) {
  return const_cast<T&>(part);
}

// A core that is told of a node with four cpus and five places for pods. It schedules when it is asked to; its effects
// are carried out when the test does so.
class PlantedFault : public ::testing::Test {
 protected:
  PlantedFault() {
    Write(cluster::NodeBuilder("n1").Capacity("4", "8Gi", "5").Build());
    EXPECT_EQ(Wrong(), "");
  }

  void Step(ApiModel::What what) {
    if (const auto* put = std::get_if<scheduler::PutObject>(&what)) {
      if (const auto* pod = std::get_if<api::Pod>(&put->object)) checker_.Remember(*pod);
    }
    for (scheduler::IssuedEffect& effect : core_->Step({agenda_.now(), std::move(what)})) {
      effects_.push_back(std::move(effect));
    }
  }
  // Whatever is under way arrives.
  void Settle() {
    while (agenda_.next()) agenda_.RunNext();
  }
  void Write(api::Object object) {
    server_.Write(std::move(object));
    Settle();
  }
  void Schedule() {
    while (core_->HasWork()) Step(scheduler::ScheduleNext{});
  }
  void CarryOut() {
    while (!effects_.empty()) {
      for (scheduler::IssuedEffect& effect : std::exchange(effects_, {})) server_.Carry(std::move(effect));
      Settle();
    }
  }
  static PodBuilder Pod(const std::string& name) {
    PodBuilder pod(name);
    pod.SchedulerName("default-scheduler").Request("cpu", "1").Label("app", "web");
    return pod;
  }
  // A pod that is scheduled and bound.
  void MakeBound(const PodBuilder& pod) {
    Write(pod.Build());
    Schedule();
    CarryOut();
    ASSERT_EQ(server_.bound().size(), 1u);
    ASSERT_EQ(Wrong(), "");
  }
  void MakeGang(int32_t min_count, int members) {
    api::PodGroup gang;
    gang.meta.ns = "default";
    gang.meta.name = "g";
    gang.spec.min_count = min_count;
    Write(gang);
    for (int i = 0; i < members; ++i) {
      api::Pod pod = Pod("m" + std::to_string(i));
      pod.spec.scheduling_group = "g";
      Write(pod);
    }
    ASSERT_EQ(Wrong(), "");
  }
  // Not told to the core.
  cluster::PodPtr Other(PodBuilder pod, const std::string& node = "") {
    pod.raw().node_name = node;
    return Break(core_->cluster()).MakePod(pod.Build());
  }
  cluster::PodPtr Stored(const std::string& name) const { return core_->pods().Find("default/" + name); }
  cluster::PodPtr OnNode(const std::string& name) const { return cluster::PodCatalog::WithNode(*Stored(name), "n1"); }
  api::Node& SeenNode() { return std::get<api::Node>(Break(server_.seen()).at(kNodeKey)); }
  cluster::NodeTable& Rows() { return Break(core_->cluster()).mutable_nodes(); }

  // As after a step of the simulation, with everything looked at.
  std::string Wrong() {
    for (std::string wrong : {checker_.CheckDecision(), checker_.CheckInFlight(), checker_.CheckDevices(),
                              group_checks_.CheckStep(agenda_.now()), checker_.CheckPlaces(), checker_.CheckBound(),
                              checker_.CheckCache(), group_checks_.CheckEverything()}) {
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

  const framework::FeatureGates gates_ = AllGroupGates();
  runtime::Agenda agenda_{kPlantStart};
  Dice dice_{1};
  ApiModel server_{agenda_, dice_, [this](ApiModel::What what) { Step(std::move(what)); }};
  std::unique_ptr<scheduler::Core> core_ =
      scheduler::Core::Create(config::Default(gates_), plugins::BuiltIn(), gates_,
                              std::make_unique<framework::SmallestNameChooser>(), kPlantStart)
          .value();
  Checker checker_{*core_, server_};
  GroupChecks group_checks_{*core_};
  std::vector<scheduler::IssuedEffect> effects_;
};

TEST_F(PlantedFault, APodIsBoundASecondTime) {
  Write(Pod("a"));
  Schedule();
  const std::vector<scheduler::IssuedEffect> effects = effects_;
  CarryOut();

  std::string wrong;
  for (const scheduler::IssuedEffect& effect : effects) wrong += checker_.CheckEffect(effect.effect);
  EXPECT_EQ(wrong, "pod default/a (uid-a) is to be bound, but it is bound already");
}

TEST_F(PlantedFault, ANodeIsOverfilled) {
  SeenNode().allocatable.Set("cpu", api::Quantity::FromInt(0));
  Write(Pod("a"));
  Schedule();
  EXPECT_THAT(Wrong(), HasSubstr("overfills node n1: 1 of cpu"));
}

TEST_F(PlantedFault, ANodeHasAPodTooMany) {
  SeenNode().allocatable.Set("pods", api::Quantity::FromInt(0));
  Write(Pod("a"));
  Schedule();
  EXPECT_THAT(Wrong(), HasSubstr("one pod too many on node n1"));
}

TEST_F(PlantedFault, APortIsUsedTwice) {
  Write(Pod("a").HostPort(80));
  Schedule();
  (void)Break(core_->cluster()).AddPod(Other(Pod("b").HostPort(80), "n1"));
  EXPECT_THAT(Wrong(), HasSubstr("use the same port"));
}

TEST_F(PlantedFault, ThePlaceIsAnUnknownNode) {
  Break(server_.seen()).erase(kNodeKey);
  Write(Pod("a"));
  Schedule();
  EXPECT_THAT(Wrong(), HasSubstr("was put on the unknown node n1"));
}

TEST_F(PlantedFault, AnAttemptDoesNotEnd) {
  Write(Pod("a"));
  const std::unique_ptr<queue::QueuedPod> popped = Break(core_->queue()).Pop();
  EXPECT_EQ(Wrong(), "a pod is in flight between two steps");
}

TEST_F(PlantedFault, AVersionIsLost) {
  Write(Pod("a"));
  Break(core_->pods()).Erase("default/a");
  EXPECT_EQ(Wrong(), "the core does not have the newest version of Pod/default/a");
}

TEST_F(PlantedFault, ARemovedPodIsKept) {
  Break(core_->pods()).Put(Other(Pod("a")));
  EXPECT_EQ(Wrong(), "the core knows 1 pods, not 0");
}

TEST_F(PlantedFault, APodIsInNoQueue) {
  Write(Pod("a"));
  Break(core_->queue()).Delete(*Stored("a"), agenda_.now());
  EXPECT_EQ(Wrong(), "pod default/a (uid-a) is in 0 places");
}

TEST_F(PlantedFault, AnAssumedPodIsQueued) {
  Write(Pod("a"));
  Schedule();
  Break(core_->queue()).Add(Stored("a"), agenda_.now());
  EXPECT_EQ(Wrong(), "pod default/a (uid-a) is in 2 places");
}

TEST_F(PlantedFault, APodThatIsGoneIsQueued) {
  Break(core_->queue()).Add(Other(Pod("a")), agenda_.now());
  EXPECT_EQ(Wrong(), "pod default/a (uid-a) is in the active queue, but gone");
}

TEST_F(PlantedFault, ABoundPodIsQueued) {
  MakeBound(Pod("a"));
  Break(core_->queue()).Add(Stored("a"), agenda_.now());
  EXPECT_EQ(Wrong(), "pod default/a (uid-a) is in the active queue, but bound");
}

TEST_F(PlantedFault, AQueuedPodIsStale) {
  Write(Pod("a"));
  auto& seen = std::get<api::Pod>(Break(server_.seen()).at("Pod/default/a"));
  seen.meta.resource_version = "999";
  Break(core_->pods()).Put(Break(core_->cluster()).MakePod(seen));
  EXPECT_EQ(Wrong(), "pod default/a (uid-a) is stale in the active queue");
}

TEST_F(PlantedFault, ABoundPodIsNotInTheCache) {
  MakeBound(Pod("a"));
  (void)Break(core_->cluster()).RemovePod(*Stored("a"));
  EXPECT_EQ(checker_.CheckPlaces(), "pod default/a (uid-a) is bound, but not in the cache");
  EXPECT_EQ(checker_.CheckBound(), "Pod/default/a is bound to n1, but not in the cache");
}

TEST_F(PlantedFault, AnAssumedPodIsGone) {
  (void)Break(core_->cluster()).AssumePod(Other(Pod("a"), "n1"));
  EXPECT_EQ(checker_.CheckPlaces(), "pod default/a (uid-a) is assumed, but gone");
}

TEST_F(PlantedFault, AnAssumedPodIsNotBeingBound) {
  Write(Pod("a"));
  Break(core_->queue()).Delete(*Stored("a"), agenda_.now());
  (void)Break(core_->cluster()).AssumePod(OnNode("a"));
  EXPECT_EQ(Wrong(), "pod default/a (uid-a) is assumed, but neither bound nor being bound");
}

TEST_F(PlantedFault, ADeviceHasTwoClaims) {
  for (const char* name : {"c1", "c2"}) {
    api::ResourceClaim claim = DeviceClaim(name, 1);
    claim.allocation = TestAllocation("n1", {"gpu-2"});
    Write(claim);
  }
  EXPECT_EQ(Wrong(), "device n1/gpu-2 is given to the claims c1 and c2");
}

TEST_F(PlantedFault, ADeviceIsSharedAndGivenAway) {
  for (const bool is_share : {true, false}) {
    api::ResourceClaim claim = DeviceClaim(is_share ? "c1" : "c2", 1);
    claim.allocation = TestAllocation("n1", {"gpu-1"});
    if (is_share) claim.allocation->results[0].share_id = "share";
    Write(claim);
  }
  EXPECT_EQ(Wrong(), "device n1/gpu-1 is shared and given to c2");
}

TEST_F(PlantedFault, ASharedDeviceIsOverdrawn) {
  for (const char* name : {"c1", "c2", "c3"}) {
    api::ResourceClaim claim = DeviceClaim(name, 1);
    claim.allocation = TestAllocation("n1", {"gpu-1"});
    claim.allocation->results[0].share_id = name;
    claim.allocation->results[0].consumed_capacity = cluster::Amounts({{"memory", "1"}});
    Write(claim);
  }
  EXPECT_EQ(Wrong(), "device n1/gpu-1 is overdrawn");
}

TEST_F(PlantedFault, ACounterIsOverdrawn) {
  for (const char* part : {"2", "4"}) {
    api::ResourceClaim claim = DeviceClaim(std::string("c") + part, 1);
    claim.allocation = TestAllocation(std::string(kPartsPool) + "n1", {part});
    Write(claim);
  }
  EXPECT_EQ(Wrong(), "the counter of pool parts-n1 is overdrawn by claim c4");
}

TEST_F(PlantedFault, TheCacheHasAnotherNode) {
  Break(core_->cluster()).AddNode(cluster::NodeBuilder("n2").Build());
  EXPECT_EQ(Wrong(), "the cache has 2 rows, not 1");
}

TEST_F(PlantedFault, TheCacheHasAnotherPod) {
  (void)Break(core_->cluster()).AddPod(Other(Pod("a"), "n1"));
  EXPECT_EQ(Wrong(), "the cache has 1 pods, not 0");
}

TEST_F(PlantedFault, TheCacheCountsWrongly) {
  MakeBound(Pod("a").HostPort(80));
  Rows().requested_cpu[0] += 1;
  EXPECT_EQ(Wrong(), "node n1 in the cache is wrong: requested");
  Rows().requested_cpu[0] -= 1;
  Rows().allocatable_pods[0] += 1;
  EXPECT_EQ(Wrong(), "node n1 in the cache is wrong: allocatable");
  Rows().allocatable_pods[0] -= 1;
  Break(core_->cluster().nodes().pods[0]).used_ports = {};
  EXPECT_EQ(Wrong(), "node n1 in the cache is wrong: ports");
}

TEST_F(PlantedFault, AVolumeClaimHasAnotherUser) {
  PodBuilder pod = Pod("a");
  api::Volume& volume = pod.raw().spec.volumes.emplace_back();
  volume.source = api::Volume::Source::kPersistentVolumeClaim;
  volume.id = "c1";
  Write(pod.Build());
  pod.raw().meta.uid = "other";
  (void)Break(core_->cluster()).AddPod(Other(pod, "n1"));
  EXPECT_EQ(Wrong(), "claim default/c1 has a wrong number of users");
}

TEST_F(PlantedFault, TheAffinityIndexForgetsAPod) {
  MakeBound(Pod("a").AntiAffinity(cluster::Term("kubernetes.io/hostname", {{"app", "db"}})));
  Break(core_->cluster().affinity()).PodRemoved(cluster::NodeSlot{0}, *Stored("a"));
  EXPECT_EQ(Wrong(), "the affinity index is wrong");
}

TEST_F(PlantedFault, ACounterOfPodsIsWrong) {
  MakeBound(Pod("a"));
  cluster::PodQuery query;
  query.namespaces = {"default"};
  query.selectors = {api::Selector::Compile(cluster::MatchLabels({{"app", "web"}})).value()};
  Break(*core_->cluster().CountPods(query)).Add(cluster::NodeSlot{0}, *Stored("a"), 1);
  EXPECT_EQ(Wrong(), "the counter of web is wrong on node n1");
}

TEST_F(PlantedFault, AnEffectHasNoAnswerInTheEnd) {
  Write(Pod("a"));
  Schedule();
  server_.Carry(effects_.front());
  EXPECT_EQ(checker_.CheckAtRest(), "1 effects have no answer");
}

TEST_F(PlantedFault, ABindingDoesNotEnd) {
  Write(Pod("a"));
  Schedule();
  EXPECT_EQ(checker_.CheckAtRest(), "1 bindings do not end");
}

TEST_F(PlantedFault, APreemptionDoesNotEnd) {
  Break(core_->cluster()).running_preemptions.insert("uid-a");
  EXPECT_EQ(checker_.CheckAtRest(), "the preemption for uid-a does not end");
}

TEST_F(PlantedFault, APodStaysAssumed) {
  (void)Break(core_->cluster()).AssumePod(Other(Pod("a"), "n1"));
  EXPECT_EQ(checker_.CheckAtRest(), "a pod stays assumed");
}

TEST_F(PlantedFault, AClaimStaysInFlight) {
  Break(core_->cluster()).devices.AddInFlight("uid-c", TestAllocation("n1", {"gpu-1"}));
  EXPECT_EQ(checker_.CheckAtRest(), "1 claims stay in flight");
  EXPECT_THAT(checker_.CheckNothingLeft(), HasSubstr("everything is gone, but there are 1"));
}

TEST_F(PlantedFault, APodWaitsThatFits) {
  Write(Pod("a"));
  EXPECT_EQ(checker_.CheckAtRest(), "pod default/a (uid-a) is pending, although it fits on node n1");
}

TEST_F(PlantedFault, AGroupWaitsThatFits) {
  MakeGang(2, 2);
  EXPECT_EQ(checker_.CheckAtRest(), "podgroup/default/g waits, although its pod default/m0 fits on node n1");
}

TEST_F(PlantedFault, APodIsLeft) {
  Write(Pod("a"));
  EXPECT_EQ(checker_.CheckNothingLeft(), "everything is gone, but the core has pods");
}

TEST_F(PlantedFault, AMemberIsBoundThatWasNotLetGo) {
  MakeGang(2, 2);
  EXPECT_EQ(group_checks_.CheckEffect(framework::BindPod{Stored("m0"), "n1"}),
            "pod default/m0 (uid-m0) is to be bound, but its group was not let go");
}

TEST_F(PlantedFault, AMemberIsLetGoBeforeItsGangIsComplete) {
  MakeGang(2, 2);
  Break(core_->queue()).Delete(*Stored("m0"), agenda_.now());
  (void)Break(core_->cluster()).AssumePod(OnNode("m0"));
  EXPECT_EQ(Wrong(), "pod default/m0 (uid-m0) is let go, but its group is not complete");
}

TEST_F(PlantedFault, AMemberThatHoldsANodeIsQueued) {
  MakeGang(1, 2);
  (void)Break(core_->cluster()).AssumePod(OnNode("m0"));
  EXPECT_EQ(Wrong(), "pod default/m0 (uid-m0) waits in the queue, but holds a node");
}

TEST_F(PlantedFault, AMemberIsNowhere) {
  MakeGang(2, 2);
  Break(core_->queue()).Delete(*Stored("m0"), agenda_.now());
  EXPECT_EQ(Wrong(), "pod default/m0 (uid-m0) is nowhere");
}

TEST_F(PlantedFault, AMemberIsQueuedTwice) {
  MakeGang(2, 2);
  Break(core_->queue()).Add(Stored("m0"), agenda_.now());
  EXPECT_EQ(Wrong(), "pod default/m0 (uid-m0) is queued 2 times");
}

TEST_F(PlantedFault, AMemberWaitsOnPermitForTooLong) {
  MakeGang(2, 2);
  Break(core_->bindings().waiting()).Add(Stored("m0"), {{"GangScheduling", Minutes(60)}}, agenda_.now());
  EXPECT_EQ(Wrong(), "");
  agenda_.PassTo(agenda_.now() + Minutes(6));
  EXPECT_EQ(Wrong(), "pod default/m0 (uid-m0) waits on permit for too long");
}

TEST_F(PlantedFault, AMemberWithoutAPlaceStaysAssumed) {
  MakeGang(6, 6);
  Schedule();
  ASSERT_EQ(Wrong(), "") << "only four of them fit";
  // Enough of them to be let go, and one that is not in the queue.
  for (int i = 0; i < 6; ++i) {
    const std::string name = "m" + std::to_string(i);
    Break(core_->queue()).Delete(*Stored(name), agenda_.now());
    (void)Break(core_->cluster()).AssumePod(OnNode(name));
  }
  EXPECT_THAT(Wrong(), HasSubstr("found no place, but is assumed"));
}

TEST_F(PlantedFault, AGangOverfillsItsNode) {
  MakeGang(2, 2);
  Schedule();
  Rows().requested_cpu[0] += 5000;
  EXPECT_THAT(Wrong(), HasSubstr("overfills node n1"));
}

TEST_F(PlantedFault, AGroupForgetsAPod) {
  MakeGang(2, 2);
  Break(core_->cluster()).groups.Remove(*Stored("m0"));
  EXPECT_EQ(Wrong(), "podgroup/default/g has other pods than it is known to");
}

TEST_F(PlantedFault, AGroupCountsPodsWrongly) {
  MakeGang(2, 2);
  Break(core_->cluster()).groups.Assume(OnNode("m0"));
  EXPECT_EQ(Wrong(), "podgroup/default/g counts assumed pods wrongly");
  Break(core_->cluster()).groups.Add(OnNode("m0"));
  EXPECT_EQ(Wrong(), "podgroup/default/g counts pods on nodes wrongly");
}

TEST_F(PlantedFault, AGroupIsNotKnown) {
  MakeGang(2, 2);
  Break(core_->cluster()).groups.Restore({false, "default", "g"}, std::nullopt);
  EXPECT_EQ(group_checks_.CheckEverything(), "nothing is known of podgroup/default/g");
}

}  // namespace
}  // namespace berth::sim
