// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/core_observer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <memory>

#include "cluster/devices/test_devices.h"
#include "framework/claim_effects.h"
#include "scheduler/test_core.h"
#include "telemetry/test_log.h"

namespace berth::scheduler_app {
namespace {

using scheduler::Node;
using scheduler::Pod;
using telemetry::CapturedLog;
using telemetry::Registry;
using telemetry::SchedulerMetrics;
using telemetry::SlowTrace;
using ::testing::HasSubstr;
using ::testing::Not;

struct Observed {
  int64_t now = 5'000'000'000;
  Registry registry;
  SchedulerMetrics metrics{registry};
  CoreObserver observer{metrics, [this] { return now += 1'000'000; }};  // Every look at the clock takes a millisecond.
  scheduler::World world;

  Observed() { world.core().set_observer(&observer); }
  std::string Text() {
    now += 1'000'000'000;
    world.Pass(Seconds(1));
    return registry.Print();
  }
};

TEST(CoreObserver, CountsAttemptsQueuesAndPoints) {
  Observed run;
  run.world.Put(Node("n1"));
  run.world.Put(Node("n2"));
  run.world.Put(Pod("a").Build());
  run.world.Put(Pod("gated").Gate("wait").Build());
  run.world.Put(Pod("big").Request("cpu", "100").Build());
  run.world.ScheduleAll();
  run.world.Answer(run.world.Take<framework::BindPod>()[0].first);

  const std::string text = run.Text();

  for (
      const char* line : {
          R"(scheduler_schedule_attempts_total{profile="default-scheduler",result="scheduled"} 1)",
          R"(scheduler_schedule_attempts_total{profile="default-scheduler",result="unschedulable"} 1)",
          R"(scheduler_pending_pods{queue="active"} 0)",
          R"(scheduler_pending_pods{queue="gated"} 1)",
          R"(scheduler_pending_pods{queue="incomplete"} 0)",
          R"(scheduler_pending_pods{queue="unschedulable"} 1)",
          R"(scheduler_preemption_attempts_total 1)",
          R"(scheduler_pod_scheduling_attempts_count 1)",
          R"(scheduler_unschedulable_pods{plugin="NodeResourcesFit",profile="default-scheduler"} 1)",
          R"(scheduler_unschedulable_pods{plugin="SchedulingGates",profile="default-scheduler"} 1)",
          R"(scheduler_plugin_evaluation_total{extension_point="Filter",plugin="NodeResourcesFit",profile="default-scheduler"} 4)",
          R"(scheduler_queue_incoming_pods_total{event="UnscheduledPodAdd",queue="active"} 2)",
          R"(scheduler_queue_incoming_pods_total{event="ScheduleAttemptFailure",queue="unschedulable"} 1)",
          R"(scheduler_queue_incoming_entities_total{event="UnscheduledPodAdd",queue="active",type="pod"} 2)",
          R"(scheduler_cache_size{type="nodes"} 2)",
          R"(scheduler_cache_size{type="assumed_pods"} 1)",
          R"(scheduler_goroutines{operation="binding"} 0)",
          R"(scheduler_goroutines{operation="InterPodAffinity"} 0)",
          R"(scheduler_inflight_events{event="PodPopped"} 0)",
          R"(scheduler_event_handling_duration_seconds_count{event="NodeAdd"} 2)",
          R"(scheduler_batch_attempts_total{profile="default-scheduler",result="no_hint"} 2)",
          R"(scheduler_framework_extension_point_duration_seconds_count{extension_point="Bind",profile="default-scheduler",status="Success"} 1)",
          R"(scheduler_framework_extension_point_duration_seconds_count{extension_point="Sign",profile="default-scheduler",status="Success"} 3)",
          R"(scheduler_framework_extension_point_duration_seconds_count{extension_point="PostFilter",profile="default-scheduler",status="Unschedulable"} 1)",
      }) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, Not(HasSubstr("extension_point=\"PreEnqueue\",profile=\"default-scheduler\",status=\"Unsch")));
}

TEST(CoreObserver, WhatWasCountedOfAProfileOutlivesIt) {
  Observed run;
  run.world.Put(Node("n1"));
  run.world.Put(Node("n2"));
  run.world.Put(Pod("big").Request("cpu", "100").Build());
  run.world.ScheduleAll();

  run.world.core().Step({run.world.now(), scheduler::Reconfigure{std::make_shared<framework::SchedulerConfiguration>(
                                              scheduler::DefaultConfiguration())}});
  run.world.ScheduleAll();

  EXPECT_THAT(
      run.Text(),
      HasSubstr(
          R"(scheduler_plugin_evaluation_total{extension_point="Filter",plugin="NodeResourcesFit",profile="default-scheduler"} 4)"));
}

TEST(CoreObserver, CountsPodsOfManyAttemptsTogether) {
  Observed run;
  const auto bound = Pod("a").Build();
  cluster::Cluster cluster;
  const cluster::PodPtr pod = cluster.MakePod(bound);
  for (const int attempts : {1, 14, 15, 40})
    run.observer.PodBound({.pod = *pod, .node = "n1", .attempts = attempts, .waited = Seconds(1)});

  const std::string text = run.Text();

  EXPECT_THAT(text, HasSubstr("scheduler_pod_scheduling_sli_duration_seconds_count{attempts=\"1\"} 1"));
  EXPECT_THAT(text, HasSubstr("scheduler_pod_scheduling_sli_duration_seconds_count{attempts=\"14\"} 1"));
  EXPECT_THAT(text, HasSubstr("scheduler_pod_scheduling_sli_duration_seconds_count{attempts=\"15+\"} 2"));
  EXPECT_THAT(text, Not(HasSubstr("attempts=\"40\"")));
}

TEST(CoreObserver, LogsChangesAndPreemptionsAsUpstreamDoes) {
  CapturedLog log({.verbosity = 3});
  Observed run;
  run.world.Put(Node("n1"));
  run.world.Put(Pod("low").Node("n1").Request("cpu", "4").Priority(0).Build());
  run.world.Put(Pod("high").Request("cpu", "2").Priority(100).Build());
  run.world.Put(Pod("big").Request("cpu", "100").Priority(100).Build());
  run.world.ScheduleAll();
  run.world.Answer(run.world.Take<framework::EvictPod>()[0].first);
  run.world.Remove("Pod", "default", "low");
  run.world.Remove("Pod", "default", "high");
  run.world.Remove("Node", "", "n1");

  const std::string text = log.Read();

  for (const char* line :
       {R"("Add event for node" node="n1")", R"("Add event for scheduled pod" pod="default/low")",
        R"("Add event for unscheduled pod" pod="default/high")",
        R"("the target node for the preemption is determined" node="n1" pod="default/high")",
        R"("Start the preemption asynchronously" preemptor="default/high" node="n1" numVictimsToDelete=1)",
        R"("Preemptor Pod preempted victim Pod" preemptor="default/high" victim="default/low" node="n1")",
        R"("Async Preemption finished completely" preemptor="default/high" node="n1" result="success")",
        R"("No preemption candidate is found; preemption is not helpful for scheduling" pod="default/big")",
        R"("Delete event for scheduled pod" pod="default/low")",
        R"("Delete event for unscheduled pod" pod="default/high")", R"("Delete event for node" node="n1")"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

// Answers all writes of claims, after they have shown, if they succeeded.
void AnswerClaims(scheduler::World& world, scheduler::EffectAnswer::Code code) {
  for (auto [id, bind] : world.Take<framework::BindClaim>()) {
    api::ResourceClaim claim = bind.claim;
    if (claim.meta.name.empty()) claim.meta.name = framework::ExtendedClaimName(*bind.pod);
    claim.meta.resource_version = "1";
    EXPECT_EQ(framework::Apply(bind, claim, world.now()), "");
    if (code == scheduler::EffectAnswer::Code::kOk) world.Put(claim);
    world.Answer(id, code, "no");
  }
}

TEST(CoreObserver, CountsClaimsThatAreCreatedAndDevicesThatAreWaitedFor) {
  Observed run;
  run.world.Put(Node("n1"));
  api::DeviceClass device_class = cluster::TestClass();
  device_class.extended_resource_name = "example.com/gpu";
  run.world.Put(device_class);
  std::vector<api::Device> devices = cluster::TestDevices(3);
  devices[0].binding_conditions = {"Ready"};
  devices[0].binding_failure_conditions = {"Broken"};
  run.world.Put(cluster::TestSlice("s", "pool", "n1", devices));

  run.world.Put(Pod("a").Request("example.com/gpu", "2").Build());
  run.world.ScheduleAll();
  AnswerClaims(run.world, scheduler::EffectAnswer::Code::kFailed);
  run.world.Pass(Seconds(5));
  run.world.ScheduleAll();
  AnswerClaims(run.world, scheduler::EffectAnswer::Code::kOk);
  std::string text = run.Text();
  EXPECT_THAT(text, Not(HasSubstr("scheduler_dra_bindingconditions_")));
  for (const char* status : {"success", "failure"}) {
    EXPECT_THAT(text, HasSubstr(fmt::format("dynamic_resource_allocation_resourceclaim_creates_total{{admin_access="
                                            R"("false",owner_api_group="",owner_api_kind="Pod",status="{}"}} 1)",
                                            status)));
  }

  const api::ResourceClaim* made =
      run.world.core().cluster().objects.resource_claims.Find("default", "a-extended-resources-uid-a");
  ASSERT_NE(made, nullptr);
  api::ResourceClaim claim = *made;
  claim.meta.resource_version = "2";
  claim.devices = {{.driver = cluster::kTestDriver, .pool = "pool", .device = "dev-0", .conditions = {}}};
  claim.devices[0].conditions = {{.type = "Ready", .status = "True", .reason = "", .message = ""}};
  run.world.Put(claim);
  text = run.Text();

  const char* labels = R"({driver="gpu.example.com",profile="default-scheduler",status="success"})";
  EXPECT_THAT(text, HasSubstr(fmt::format("scheduler_dra_bindingconditions_allocations_total{} 1\n", labels)));
  EXPECT_THAT(text,
              HasSubstr(fmt::format("scheduler_dra_bindingconditions_wait_duration_seconds_count{} 2\n", labels)));
}

TEST(CoreObserver, CountsSearchesForDevicesThatAreGivenUp) {
  Observed run;
  cluster::Cluster cluster;
  const cluster::PodPtr pod = cluster.MakePod(Pod("a").Build());

  run.observer.DeviceSearchGivenUp(*pod);

  EXPECT_THAT(run.Text(), HasSubstr(R"(berth_device_searches_given_up_total{profile="default-scheduler"} 1)"));
}

TEST(CoreObserver, TakesTheTimesOfPluginsInOneAttemptOfTen) {
  Observed run;
  run.world.Put(Node("n1"));
  for (int i = 0; i < 500; ++i) {
    const std::string name = "p" + std::to_string(i);
    run.world.Put(Pod(name).Build());
    run.world.ScheduleAll();
    run.world.Remove("Pod", "default", name);
  }
  const uint64_t timed = run.metrics.plugin_execution_duration.With("NodeName", "Filter", "Success").count();
  EXPECT_GT(timed, 20u);
  EXPECT_LT(timed, 100u);
}

TEST(SlowTrace, NamesThePodAndTheStepsThatTookLong) {
  SlowTrace trace;
  trace.Begin("default", "web", 1'000'000'000);
  trace.Step("Computing predicates done", 1'120'000'000);
  trace.Step("Prioritizing done", 1'121'000'000);

  EXPECT_EQ(trace.ToString(1'122'000'000),
            "Trace[1]: \"Scheduling\" namespace:default,name:web (total time: 122ms):\n"
            "Trace[1]: ---\"Computing predicates done\" 120ms\n"
            "Trace[1]: [122ms] END");
}

}  // namespace
}  // namespace berth::scheduler_app
