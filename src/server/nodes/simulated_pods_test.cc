// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/simulated_pods.h"

#include <gtest/gtest.h>

#include <set>

#include "server/nodes/address_pool.h"
#include "server/test_cluster.h"

namespace berth::server {
namespace {

void AddPod(TestCluster& cluster, std::string_view name, std::string_view notes = "", std::string_view more = "") {
  cluster.Create("", "pods",
                 "metadata: {name: " + std::string(name) + ", annotations: {" + std::string(notes) +
                     "}}\nspec: {containers: [{name: a, image: a}]" + std::string(more) + "}");
}

std::string Phase(const TestCluster& cluster, std::string_view name) {
  return cluster.Tree("", "pods", name)["status"]["phase"].text();
}

TEST(SimulatedPods, ABoundPodRuns) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddPod(cluster, "pod", "", ", initContainers: [{name: i, image: i}], readinessGates: [{conditionType: x/ready}]");
  cluster.Run();
  const Json status = cluster.Tree("", "pods", "pod")["status"];
  EXPECT_EQ(status["phase"].text(), "Running");
  EXPECT_EQ(status["podIP"].text(), "10.0.0.1");
  EXPECT_TRUE(status["containerStatuses"][size_t{0}]["ready"].AsBool());
  EXPECT_EQ(status["initContainerStatuses"][size_t{0}]["state"]["terminated"]["reason"].text(), "Completed");
  EXPECT_TRUE(cluster.loop.cluster().pods.Find("default/pod")->is_ready);
}

TEST(SimulatedPods, PodsEndAndStartWhenTheirAnnotationsSay) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddPod(cluster, "completes", "berth.dev/complete-after: 10s");
  AddPod(cluster, "fails", "berth.dev/fail-after: 10s");
  AddPod(cluster, "starts", "berth.dev/start-after: 20s");
  cluster.Run(Seconds(9));
  EXPECT_EQ(Phase(cluster, "completes"), "Running");
  EXPECT_EQ(Phase(cluster, "starts"), "Pending");
  cluster.Run(Seconds(3));
  EXPECT_EQ(Phase(cluster, "completes"), "Succeeded");
  EXPECT_EQ(Phase(cluster, "fails"), "Failed");
  const Json failed =
      cluster.Tree("", "pods", "fails")["status"]["containerStatuses"][size_t{0}]["state"]["terminated"];
  EXPECT_EQ(failed["exitCode"].IntOr(0), 1);
  cluster.Run(Seconds(10));
  EXPECT_EQ(Phase(cluster, "starts"), "Running");
}

TEST(SimulatedPods, AnnotationsThatSayNoTimeAreRefusedInPodsAndTemplates) {
  const std::pair<std::string, std::string> cases[] = {
      {"soon", R"(time: invalid duration "soon")"},
      {"\"30\"", R"(time: missing unit in duration "30")"},
      {"-1s", "must not be negative"},
      {"2562048h", R"(time: invalid duration "2562048h")"},
  };
  const std::string spec = "spec: {containers: [{name: a, image: a}]}";
  for (const auto& [value, reason] : cases) {
    SCOPED_TRACE(value);
    TestCluster cluster;
    const std::string metadata =
        "metadata: {name: p, labels: {a: b}, annotations: {berth.dev/start-after: " + value + "}}";

    const auto pod = cluster.TryCreate(cluster.Get("", "pods"), metadata + "\n" + spec);
    const auto made =
        cluster.TryCreate(cluster.Get("apps", "replicasets"),
                          "metadata: {name: r}\nspec:\n  selector: {matchLabels: {a: b}}\n  template:\n    " +
                              metadata + "\n    " + spec);

    ASSERT_FALSE(pod.has_value());
    EXPECT_EQ(pod.error().code, 422);
    EXPECT_NE(pod.error().message.find(reason), std::string::npos) << pod.error().message;
    ASSERT_FALSE(made.has_value());
    EXPECT_NE(made.error().message.find("spec.template.annotations[berth.dev/start-after]"), std::string::npos)
        << made.error().message;
  }
  TestCluster cluster;
  AddPod(cluster, "longest", "berth.dev/start-after: 2562047h47m16s, berth.dev/complete-after: 0s");
}

TEST(SimulatedPods, AnnotationsThatDoNotExistAreRefused) {
  TestCluster cluster;

  const auto pod = cluster.TryCreate(cluster.Get("", "pods"),
                                     "metadata: {name: p, annotations: {berth.dev/strat-after: 1s}}\n"
                                     "spec: {containers: [{name: a, image: a}]}");

  ASSERT_FALSE(pod.has_value());
  EXPECT_NE(pod.error().message.find("there is no such annotation; did you mean berth.dev/start-after?"),
            std::string::npos)
      << pod.error().message;
}

void AddPortPod(TestCluster& cluster, std::string_view name, std::string_view port, std::string_view node = "node-1") {
  cluster.Create("", "pods",
                 "metadata: {name: " + std::string(name) + "}\nspec: {nodeName: " + std::string(node) +
                     ", containers: [{name: a, image: a, ports: [{containerPort: 80, " + std::string(port) + "}]}]}");
}

TEST(SimulatedPods, APodWhoseHostPortsAreTakenIsTurnedDown) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.AddNode("node-2");
  AddPortPod(cluster, "first", "hostPort: 8080");
  cluster.Run(Seconds(1));
  const std::pair<std::string_view, std::string_view> others[] = {
      {"same", "hostPort: 8080"},  {"address", "hostPort: 8080, hostIP: 10.1.2.3"},
      {"other", "hostPort: 8081"}, {"protocol", "hostPort: 8080, protocol: UDP"},
      {"none", "protocol: TCP"},
  };
  for (const auto& [name, port] : others) AddPortPod(cluster, name, port);
  AddPortPod(cluster, "elsewhere", "hostPort: 8080", "node-2");
  cluster.Run(Seconds(3));

  for (const char* name : {"same", "address"}) {
    const Json status = cluster.Tree("", "pods", name)["status"];
    EXPECT_EQ(status["phase"].text(), "Failed") << name;
    EXPECT_EQ(status["reason"].text(), "NodePorts") << name;
    EXPECT_EQ(
        status["message"].text(),
        "Pod was rejected: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports")
        << name;
    EXPECT_FALSE(status.Has("containerStatuses")) << name;
  }
  for (const char* name : {"first", "other", "protocol", "none", "elsewhere"})
    EXPECT_EQ(Phase(cluster, name), "Running");
  EXPECT_EQ(
      cluster.Events("same"),
      std::vector<std::string>{"Warning NodePorts: Predicate NodePorts failed: node(s) didn't have free ports for "
                               "the requested pod ports"});
}

TEST(SimulatedPods, PortsOfPodsThatHaveEndedAreFree) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("", "pods",
                 "metadata: {name: first, annotations: {berth.dev/complete-after: 1s}}\nspec: {nodeName: node-1, "
                 "containers: [{name: a, image: a, ports: [{containerPort: 80, hostPort: 80}]}]}");
  cluster.Run(Seconds(2));
  AddPortPod(cluster, "second", "hostPort: 80");
  cluster.Run(Seconds(2));
  EXPECT_EQ(Phase(cluster, "second"), "Running");
}

TEST(SimulatedPods, APodOfAStatefulSetWhosePortsWereTakenIsMadeAnewUntilTheyAreFree) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddPortPod(cluster, "first", "hostPort: 80");
  cluster.Run(Seconds(1));
  cluster.Create("apps", "statefulsets", R"(
metadata: {name: set}
spec:
  replicas: 1
  serviceName: set
  selector: {matchLabels: {app: set}}
  template:
    metadata: {labels: {app: set}}
    spec:
      nodeName: node-1
      containers: [{name: a, image: a, ports: [{containerPort: 80, hostPort: 80}]}]
)");
  std::set<std::string> uids;
  for (int i = 0; i < 50; ++i) {
    cluster.Run(Milliseconds(100));
    if (const ObjectPtr pod = cluster.Find("", "pods", "set-0")) uids.insert(std::string(pod->uid()));
  }
  EXPECT_GT(uids.size(), 1U);
  EXPECT_LT(uids.size(), 7U) << "not many in a second";

  cluster.Delete("", "pods", "first", {.grace_seconds = 0});
  cluster.Run(Seconds(3));
  EXPECT_EQ(Phase(cluster, "set-0"), "Running");
}

TEST(SimulatedPods, APodWaitsForARuntimeThatItsNodeDoesNotHave) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("node.k8s.io", "runtimeclasses", "metadata: {name: safe}\nhandler: kata");
  AddPod(cluster, "before", "", ", runtimeClassName: safe");
  cluster.Run(Seconds(1));
  EXPECT_EQ(Phase(cluster, "before"), "Running") << "a node that does not say has all";
  const auto offer = [&](Json handlers) {
    cluster.Change(
        "", "nodes", "node-1", [&](Json& node) { node.Make("status").Set("runtimeHandlers", std::move(handlers)); },
        "status");
  };
  offer(Json::MakeList({Json{{"name", Json::String("")}}, Json{{"name", Json::String("runc")}}}));
  AddPod(cluster, "pod", "", ", runtimeClassName: safe");
  AddPod(cluster, "plain");
  cluster.Run(Seconds(12));
  EXPECT_EQ(Phase(cluster, "plain"), "Running");
  EXPECT_EQ(Phase(cluster, "pod"), "Pending");
  const Json status = cluster.Tree("", "pods", "pod")["status"];
  EXPECT_EQ(status["containerStatuses"][size_t{0}]["state"]["waiting"]["reason"].text(), "ContainerCreating");
  EXPECT_EQ(cluster.Events("pod"),
            std::vector<std::string>{"Warning FailedCreatePodSandBox: Failed to create pod sandbox: rpc error: code = "
                                     "Unknown desc = failed to get sandbox runtime: no runtime for \"kata\" is "
                                     "configured"});

  offer(Json::MakeList({Json{{"name", Json::String("kata")}}}));
  cluster.Run(Seconds(12));
  EXPECT_EQ(Phase(cluster, "pod"), "Running");
}

TEST(SimulatedPods, APodThatIsDeletedGoesAtOnce) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddPod(cluster, "pod");
  cluster.Run();
  cluster.Delete("", "pods", "pod");
  EXPECT_TRUE(cluster.Tree("", "pods", "pod")["metadata"].Has("deletionTimestamp"));
  cluster.Run(Milliseconds(20));
  EXPECT_EQ(cluster.Find("", "pods", "pod"), nullptr);
}

TEST(SimulatedPods, ADeletedPodGoesAfterTheTimeThatIsGiven) {
  TestCluster cluster(true, {}, {.lives = {.termination = Seconds(10)}});
  cluster.AddNode("node-1");
  AddPod(cluster, "pod", "berth.dev/complete-after: 3s");
  cluster.Run(Seconds(1));
  cluster.Delete("", "pods", "pod");
  cluster.Run(Seconds(9));
  EXPECT_NE(cluster.Find("", "pods", "pod"), nullptr);
  cluster.Run(Seconds(2));
  EXPECT_EQ(cluster.Find("", "pods", "pod"), nullptr);
}

TEST(SimulatedPods, ADeletedPodSleepsBeforeItStopsIfItsHookSaysSo) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("", "pods",
                 "metadata: {name: pod}\nspec: {terminationGracePeriodSeconds: 20, containers: [{name: c, image: i, "
                 "lifecycle: {preStop: {sleep: {seconds: 10}}}}]}");
  cluster.Run(Seconds(1));
  cluster.Delete("", "pods", "pod");
  cluster.Run(Seconds(9));
  EXPECT_NE(cluster.Find("", "pods", "pod"), nullptr);
  cluster.Run(Seconds(2));
  EXPECT_EQ(cluster.Find("", "pods", "pod"), nullptr);
}

// Of a pod that is deleted two seconds after it began.
struct Farewell {
  Duration after;     // Of its deletion, when it was gone, to a tenth of a second.
  std::string phase;  // The last that it had.
  int64_t exit_code = 0;
};

Farewell Part(TestCluster& cluster, std::string_view notes, std::string_view container, std::string_view more = "") {
  cluster.AddNode("node-1");
  cluster.Create("", "pods",
                 "metadata: {name: pod, annotations: {" + std::string(notes) +
                     "}}\nspec: {terminationGracePeriodSeconds: 8, containers: [{name: c, image: i" +
                     std::string(container) + "}]" + std::string(more) + "}");
  cluster.Run(Seconds(2));
  Farewell farewell;
  cluster.store.Listen([&](const ChangePtr& change) {
    if (change->object->name() != "pod") return;
    const Json status = change->object->Tree()["status"];
    farewell.phase = status["phase"].text();
    farewell.exit_code = status["containerStatuses"][size_t{0}]["state"]["terminated"]["exitCode"].IntOr(-1);
  });
  cluster.Delete("", "pods", "pod");
  cluster.Run(Milliseconds(20));
  while (cluster.Find("", "pods", "pod") != nullptr && farewell.after < Seconds(20)) {
    cluster.Run(Milliseconds(100));
    farewell.after = farewell.after + Milliseconds(100);
  }
  return farewell;
}

TEST(SimulatedPods, ContainersWhoseCommandsDoNotHeedItGoOnWhenTheirPodIsDeleted) {
  const struct {
    const char* notes;
    const char* container;
    const char* more;
    Duration after;
    const char* phase;
    int64_t exit_code;
  } cases[] = {
      {"", "", "", Seconds(0), "Running", -1},
      {"", ", command: [sleep, infinity]", "", Seconds(8), "Failed", 137},
      {"", ", command: [sh, -c, sleep 100]", "", Seconds(8), "Failed", 137},
      {"", ", command: [sleep, '5']", "", Seconds(3), "Succeeded", 0},
      {"", ", command: [sh, -c, sleep 5; exit 3]", "", Seconds(3), "Failed", 3},
      {"", ", command: [sleep, infinity]", ", shareProcessNamespace: true", Seconds(0), "Running", -1},
      {"berth.dev/terminate-after: 0s", ", command: [sleep, infinity]", "", Seconds(0), "Running", -1},
      {"berth.dev/terminate-after: 2s", ", command: [sleep, infinity]", "", Seconds(2), "Succeeded", 0},
      {"", ", command: [nginx]", "", Seconds(0), "Running", -1},
      {"", ", lifecycle: {preStop: {exec: {command: [sleep, '4']}}}", "", Seconds(4), "Succeeded", 0},
      {"", ", lifecycle: {preStop: {exec: {command: [sleep, infinity]}}}", "", Seconds(8), "Failed", 137},
      {"", ", lifecycle: {preStop: {exec: {command: [nginx, -s, quit]}}}", "", Seconds(0), "Running", -1},
  };
  for (const auto& each : cases) {
    SCOPED_TRACE(std::string(each.notes) + each.container + each.more);
    TestCluster cluster;
    const Farewell farewell = Part(cluster, each.notes, each.container, each.more);
    EXPECT_LE(each.after - Milliseconds(100), farewell.after);
    EXPECT_LE(farewell.after, each.after + Milliseconds(200));
    EXPECT_EQ(farewell.phase, each.phase);
    EXPECT_EQ(farewell.exit_code, each.exit_code);
  }
}

TEST(SimulatedPods, ARunningPodCanBeSeenToGo) {
  TestCluster cluster(true, {}, {.lives = {.stop = Milliseconds(100)}});
  cluster.AddNode("node-1");
  AddPod(cluster, "pod");
  AddPod(cluster, "waits", "berth.dev/start-after: 1h");
  AddPod(cluster, "hasty");
  cluster.Run();
  for (const char* name : {"pod", "waits"}) cluster.Delete("", "pods", name);
  cluster.Delete("", "pods", "hasty", {.grace_seconds = 0});
  EXPECT_EQ(cluster.Find("", "pods", "hasty"), nullptr);
  const Revision before = cluster.Find("", "pods", "pod")->revision();
  cluster.Run(Milliseconds(60));
  ASSERT_NE(cluster.Find("", "pods", "pod"), nullptr);
  EXPECT_EQ(cluster.Find("", "pods", "pod")->revision(), before) << "nothing is written of it";
  EXPECT_EQ(cluster.Tree("", "pods", "pod")["metadata"]["generation"].IntOr(0), 2);
  EXPECT_EQ(cluster.Find("", "pods", "waits"), nullptr);
  cluster.Run(Milliseconds(100));
  EXPECT_EQ(cluster.Find("", "pods", "pod"), nullptr);
}

TEST(SimulatedPods, VictimsOfAPreemptionGoAtOnce) {
  TestCluster cluster(true, {}, {.lives = {.stop = Milliseconds(100)}});
  cluster.AddNode("node-1");
  AddPod(cluster, "pod");
  cluster.Run();
  cluster.Change(
      "", "pods", "pod",
      [](Json& pod) {
        pod.Make({"status", "conditions"})
            .Append(Json{{"type", Json::String("DisruptionTarget")},
                         {"status", Json::String("True")},
                         {"reason", Json::String("PreemptionByScheduler")}});
      },
      "status");
  cluster.Delete("", "pods", "pod");
  cluster.Run(Milliseconds(1));
  EXPECT_EQ(cluster.Find("", "pods", "pod"), nullptr);
}

TEST(SimulatedPods, WherePodsDoNotEndTheirAnnotationsSayNothing) {
  TestCluster cluster(true, {}, {.lives = {.end = false}});
  cluster.AddNode("node-1");
  AddPod(cluster, "pod", "berth.dev/complete-after: 3s");
  cluster.Run(Seconds(10));
  EXPECT_EQ(Phase(cluster, "pod"), "Running");
}

TEST(SimulatedPods, PodsEndExactlyInTime) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Run(Seconds(1));
  cluster.timers.Advance(Milliseconds(900));
  AddPod(cluster, "pod", "berth.dev/complete-after: 1s");
  cluster.Run(Milliseconds(800));
  EXPECT_EQ(Phase(cluster, "pod"), "Running") << "though a full second of the clock has begun";
  cluster.Run(Milliseconds(300));
  EXPECT_EQ(Phase(cluster, "pod"), "Succeeded");
}

TEST(SimulatedPods, AFinalizerHoldsAPodThatIsDeleted) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddPod(cluster, "pod");
  cluster.Change("", "pods", "pod", [](Json& pod) {
    pod.Make("metadata").Set("finalizers", Json::MakeList({Json::String("example.com/hold")}));
  });
  cluster.Run();
  cluster.Delete("", "pods", "pod");
  cluster.Run(Milliseconds(20));
  EXPECT_EQ(Phase(cluster, "pod"), "Failed") << "it is told how it ended";
  const Json status = cluster.Tree("", "pods", "pod")["status"]["containerStatuses"][size_t{0}];
  EXPECT_EQ(status["state"]["terminated"]["exitCode"].IntOr(0), 143);
  cluster.Run();
  const ObjectPtr held = cluster.Find("", "pods", "pod");
  ASSERT_NE(held, nullptr);
  cluster.Run();
  EXPECT_EQ(cluster.Find("", "pods", "pod")->revision(), held->revision()) << "nothing is written again and again";
  cluster.Change("", "pods", "pod", [](Json& pod) { pod.Make("metadata").Erase("finalizers"); });
  EXPECT_EQ(cluster.Find("", "pods", "pod"), nullptr);
}

TEST(AddressPool, NoTwoPodsHaveTheSame) {
  AddressPool addresses(kPodNetwork);
  std::set<std::string> given;
  addresses.Keep("old", "10.0.0.7");
  for (int i = 0; i < 600; ++i) {
    const std::string pod = "a-" + std::to_string(i);
    EXPECT_TRUE(given.insert(addresses.Take("node-1", pod)).second);
    EXPECT_TRUE(given.insert(addresses.Take("node-2", "b" + pod)).second);
  }
  EXPECT_FALSE(given.contains("10.0.0.7"));
  EXPECT_EQ(addresses.Take("node-1", "a-5"), addresses.Take("node-1", "a-5"));
  const std::string free = addresses.Take("node-1", "a-5");
  addresses.Release("a-5");
  EXPECT_EQ(addresses.Take("node-1", "new"), free);
}

}  // namespace
}  // namespace berth::server
