// SPDX-License-Identifier: Apache-2.0
#include "client/orders/orders.h"

#include <gmock/gmock.h>

#include "cluster/cluster.h"
#include "cluster/test_builders.h"

namespace berth::client {
namespace {

constexpr Time kNow{1'767'225'600'000'000'000};  // 2026-01-01T00:00:00Z

cluster::PodPtr Pod(cluster::Cluster& cluster, const std::string& name, int64_t generation = 1) {
  cluster::PodBuilder builder(name);
  builder.SchedulerName("default-scheduler").ResourceVersion("7").raw().meta.generation = generation;
  return cluster.MakePod(builder.Build());
}

template <class T>
T Make(framework::Effect effect, std::string_view lane) {
  Order order = OrderOf({42, std::move(effect)}, kNow);
  EXPECT_EQ(order.id, 42u);
  EXPECT_EQ(order.lane, lane);
  return std::get<T>(std::move(order.what));
}

TEST(OrderOf, BindsThePodByItsUid) {
  cluster::Cluster cluster;
  const auto order = Make<BindOrder>(framework::BindPod{Pod(cluster, "a"), "n1"}, "uid-a");
  EXPECT_EQ(order.pod.ns, "default");
  EXPECT_EQ(order.pod.name, "a");
  EXPECT_EQ(order.binding.root().ToJson(),
            R"({"kind":"Binding","apiVersion":"v1","metadata":{"name":"a","namespace":"default","uid":"uid-a"},)"
            R"("target":{"kind":"Node","name":"n1"}})");
}

TEST(OrderOf, TellsTheVictimForWhomItGoes) {
  cluster::Cluster cluster;
  const auto order =
      Make<EvictOrder>(framework::EvictPod{Pod(cluster, "victim", 3), Pod(cluster, "a"), "n1"}, "uid-victim");
  EXPECT_EQ(order.patch,
            R"({"status":{"conditions":[{"lastProbeTime":null,"lastTransitionTime":"2026-01-01T00:00:00Z",)"
            R"("message":"default-scheduler: preempting to accommodate a higher priority pod","observedGeneration":3,)"
            R"("reason":"PreemptionByScheduler","status":"True","type":"DisruptionTarget"}]}})");
}

TEST(OrderOf, PatchesOnlyWhatDiffersFromThePod) {
  cluster::Cluster cluster;
  const cluster::PodPtr pod = cluster.MakePod(cluster::PodBuilder("a").NominatedNode("n1").Build());
  EXPECT_EQ(Make<PatchOrder>(framework::NominatePod{pod, ""}, "uid-a").patch,
            R"({"status":{"nominatedNodeName":null}})");
  EXPECT_EQ(Make<PatchOrder>(framework::NominatePod{pod, "n1"}, "uid-a").patch, "");
  EXPECT_EQ(Make<PatchOrder>(framework::PatchPodStatus{pod, std::nullopt, "n2"}, "uid-a").patch,
            R"({"status":{"nominatedNodeName":"n2"}})");
}

TEST(OrderOf, TakesBackTheReservationOfThePodOrOfItsGroup) {
  cluster::Cluster cluster;
  const cluster::PodPtr pod = Pod(cluster, "a");
  const auto of_pod = Make<PatchOrder>(framework::UnreserveClaim{pod, "c", "uid-c"}, "uid-c");
  EXPECT_EQ(of_pod.object.text(), "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/c");
  EXPECT_THAT(of_pod.patch, ::testing::HasSubstr(R"("uid": "uid-a")"));
  const auto of_group = Make<PatchOrder>(framework::UnreserveClaim{pod, "c", "uid-c", "uid-group"}, "uid-c");
  EXPECT_THAT(of_group.patch, ::testing::HasSubstr(R"("uid": "uid-group")"));
}

TEST(OrderOf, SetsClaimAndAnnotationsOfAVolume) {
  api::PersistentVolume volume;
  volume.meta.name = "pv1";
  volume.meta.uid = "uid-pv1";
  volume.meta.resource_version = "5";
  volume.meta.annotations.Set("pv.kubernetes.io/bound-by-controller", "yes");
  volume.claim_ref = api::ObjectReference{"PersistentVolumeClaim", "v1", "default", "data", "uid-data", "4"};
  const auto order = Make<UpdateOrder>(framework::UpdatePersistentVolume{volume}, "uid-pv1");
  EXPECT_EQ(order.object.resource, "persistentvolumes");
  EXPECT_EQ(order.object.ns, "");
  EXPECT_EQ(order.object.name, "pv1");
  EXPECT_EQ(order.resource_version, "5");
  EXPECT_EQ(WithMembers(api::ParseJson("{}").value().root(), order.members),
            R"({"metadata":{"annotations":{"pv.kubernetes.io/bound-by-controller":"yes"}},)"
            R"("spec":{"claimRef":{"kind":"PersistentVolumeClaim","namespace":"default","name":"data",)"
            R"("uid":"uid-data","apiVersion":"v1","resourceVersion":"4"}}})");
}

TEST(OrderOf, SetsTheSelectedNodeOfAClaim) {
  api::PersistentVolumeClaim claim;
  claim.meta.ns = "default";
  claim.meta.name = "data";
  claim.meta.uid = "uid-data";
  claim.meta.annotations.Set("volume.kubernetes.io/selected-node", "n1");
  const auto order = Make<UpdateOrder>(framework::UpdatePersistentVolumeClaim{claim}, "uid-data");
  EXPECT_EQ(order.object.resource, "persistentvolumeclaims");
  EXPECT_EQ(order.object.ns, "default");
  EXPECT_EQ(WithMembers(api::ParseJson("{}").value().root(), order.members),
            R"({"metadata":{"annotations":{"volume.kubernetes.io/selected-node":"n1"}}})");
}

TEST(OrderOf, ReportsEventsInTheNameOfTheirReporter) {
  cluster::Cluster cluster;
  const Event event = Make<WriteEventOrder>(framework::RecordEvent{Pod(cluster, "a"), "Normal", "Scheduled", "Binding",
                                                                   "Successfully assigned", "mine"},
                                            "")
                          .event;
  EXPECT_EQ(event.regarding, (api::ObjectReference{"Pod", "v1", "default", "a", "uid-a", "7"}));
  EXPECT_EQ(event.controller, "mine");
  EXPECT_EQ(event.type, "Normal");
  EXPECT_EQ(event.reason, "Scheduled");
  EXPECT_EQ(event.action, "Binding");
  EXPECT_EQ(event.note, "Successfully assigned");
  EXPECT_EQ(event.related, std::nullopt);
}

TEST(OrderOf, TellsWhatElseHasAPartInAnEvent) {
  cluster::Cluster cluster;
  const api::ObjectReference group{"PodGroup", "scheduling.k8s.io/v1beta1", "default", "g", "uid-g", "3"};
  const framework::RecordEvent record{Pod(cluster, "a"), "Normal", "Preempted", "Preempting", "note", "mine", group};
  EXPECT_EQ(Make<WriteEventOrder>(record, "").event.related, group);
}

TEST(OrderOf, ReadsAPodAfterWhatElseIsDoneToIt) {
  cluster::Cluster cluster;
  EXPECT_EQ(Make<ReadPodOrder>(framework::ReadPod{Pod(cluster, "a")}, "uid-a").pod.name, "a");
}

TEST(OrderOf, AsksExtendersAndTakesItBack) {
  cluster::Cluster cluster;
  const auto call = Make<CallExtenderOrder>(framework::CallExtender{Pod(cluster, "a"), 2, "filter", "{}"}, "");
  EXPECT_EQ(call.extender, 2U);
  EXPECT_EQ(call.verb, "filter");
  EXPECT_EQ(call.body, "{}");
  EXPECT_EQ(Make<CancelExtenderOrder>(framework::CancelExtenderCall{7}, "").id, 7U);
}

}  // namespace
}  // namespace berth::client
