// SPDX-License-Identifier: Apache-2.0
#include "world/loader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/agenda.h"

namespace berth::world {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

std::string PodWith(const std::string& metadata, const std::string& spec = "") {
  return "---\napiVersion: v1\nkind: Pod\nmetadata: {" + metadata +
         "}\nspec: {containers: [{name: c, image: i, resources: {limits: {cpu: 1}}}]" + spec + "}\n";
}

std::string WorkloadYaml(const std::string& kind, const std::string& group, const std::string& spec) {
  return "---\napiVersion: " + group + "\nkind: " + kind + "\nmetadata: {name: w}\nspec: {" + spec +
         ", selector: {matchLabels: {app: w}}, template: {metadata: {labels: {app: w}}, spec: {containers: [{name: c, "
         "image: i}]}}}\n";
}

struct Loaded {
  Loaded() : world(agenda, 1, {}) {}

  Result<void> Load(const std::string& yaml) {
    Manifests manifests;
    BERTH_CHECK_OK(manifests.Add(yaml, "in"));
    return loader.Load(manifests);
  }
  server::Json Tree(std::string_view kind, std::string_view ns, std::string_view name) {
    const server::ObjectPtr found = world.store().Find(*world.catalog().FindKept(kind), ns, name);
    return found == nullptr ? server::Json() : found->Tree();
  }

  runtime::Agenda agenda{Time{}};
  World world;
  Loader loader{world, false};
};

TEST(Loader, WhatIsWrittenByHandGetsItsDefaultsAndItsNamespace) {
  Loaded loaded;

  const Result<void> done = loaded.Load(PodWith("name: p, namespace: team"));

  ASSERT_TRUE(done) << done.error().message;
  const server::Json pod = loaded.Tree("Pod", "team", "p");
  EXPECT_EQ(pod["spec"]["schedulerName"].text(), "default-scheduler");
  EXPECT_EQ(pod["spec"]["preemptionPolicy"].text(), "PreemptLowerPriority");
  EXPECT_EQ(pod["spec"]["containers"][size_t{0}]["resources"]["requests"]["cpu"].text(), "1");
  EXPECT_EQ(loaded.Tree("Namespace", "", "team")["metadata"]["labels"]["kubernetes.io/metadata.name"].text(), "team");
}

TEST(Loader, WhatComesFromAClusterStaysAsItIs) {
  Loaded loaded;

  const Result<void> done =
      loaded.Load(PodWith("name: p, uid: u1, resourceVersion: '9', managedFields: [{manager: x}], creationTimestamp: "
                          "'2026-01-01T00:00:00Z'",
                          ", nodeName: n1, priority: 7") +
                  "status: {phase: Running, podIP: 10.0.0.9}\n");

  ASSERT_TRUE(done) << done.error().message;
  const server::Json pod = loaded.Tree("Pod", "default", "p");
  EXPECT_EQ(pod["metadata"]["uid"].text(), "u1");
  EXPECT_EQ(pod["metadata"]["creationTimestamp"].text(), "2026-01-01T00:00:00Z");
  EXPECT_FALSE(pod["metadata"].Has("managedFields")) << "nobody asks for them";
  EXPECT_EQ(pod["spec"]["priority"].IntOr(0), 7) << "whatever its class says here";
  EXPECT_EQ(pod["status"]["phase"].text(), "Running");
}

TEST(Loader, EveryClusterHasAServiceOfItsApi) {
  Loaded loaded;

  const Result<void> done = loaded.Load(
      "---\n{apiVersion: v1, kind: Service, metadata: {name: kubernetes, namespace: default, uid: u1}, "
      "spec: {clusterIP: 10.0.0.1, ports: [{port: 443}]}}\n");

  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(loaded.Tree("Service", "default", "kubernetes")["spec"]["clusterIP"].text(), "10.0.0.1");
}

TEST(Loader, OwnersThatAreWrittenByHandAreKnownByName) {
  Loaded loaded;

  const Result<void> done = loaded.Load(
      PodWith(
          "name: p, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: w, uid: any, controller: true}]") +
      WorkloadYaml("ReplicaSet", "apps/v1", "replicas: 1"));

  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(loaded.Tree("Pod", "default", "p")["metadata"]["ownerReferences"][size_t{0}]["uid"].text(),
            loaded.Tree("ReplicaSet", "default", "w")["metadata"]["uid"].text());
}

TEST(Loader, ErrorsNameObjectFieldAndReason) {
  const struct {
    std::string yaml;
    std::string expected;
  } cases[] = {
      {PodWith("name: p", ", priorityClassName: x"), "in:2: Pod default/p: pods \"p\" is forbidden: no PriorityClass"},
      {PodWith("name: p") + PodWith("name: p"), "in:7: Pod default/p is already in the input, at in:2"},
      {PodWith("name: P"), "metadata.name: "},
      {PodWith("name: p, uid: u") + PodWith("name: q, uid: u"), "another pod in the input has its uid"},
      {PodWith("name: p", ", tolerations: [{key: a, effect: Never}]"),
       "in:2: Pod default/p: spec.tolerations[0].effect: Unsupported value: \"Never\""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.expected);
    const Result<void> done = Loaded().Load(c.yaml);
    ASSERT_FALSE(done);
    EXPECT_THAT(done.error().message, HasSubstr(c.expected));
  }
}

TEST(Loader, ErrorsBeyondTwentyAreCounted) {
  std::string yaml;
  for (int i = 0; i < 20; ++i) yaml += PodWith(fmt::format("name: P{}", i));

  const Result<void> twenty = Loaded().Load(yaml);
  const Result<void> more = Loaded().Load(yaml + PodWith("name: Q") + PodWith("name: R"));

  ASSERT_FALSE(twenty);
  EXPECT_THAT(twenty.error().message, AllOf(HasSubstr("P19"), Not(HasSubstr("more errors"))));
  ASSERT_FALSE(more);
  EXPECT_THAT(more.error().message, AllOf(HasSubstr("P19"), Not(HasSubstr("Q")), EndsWith("\nand 2 more errors")));
}

TEST(Loader, SaysWhichWorkloadMakesTooManyPods) {
  const auto workload = [](int64_t replicas) {
    return WorkloadYaml("Deployment", "apps/v1", fmt::format("replicas: {}", replicas));
  };

  EXPECT_TRUE(Loaded().Load(workload(kPodsMax)));
  const Result<void> done = Loaded().Load(workload(kPodsMax + 1));

  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("in:2: Deployment default/w: too many pods"));
}

}  // namespace
}  // namespace berth::world
