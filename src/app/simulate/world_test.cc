// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/world.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/simulate/expand.h"

namespace berth::simulate {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kContainer = "containers: [{name: c, resources: {limits: {cpu: 1}}}]";

Result<World> Build(const std::string& yaml) {
  Manifests manifests;
  BERTH_CHECK_OK(manifests.Add(yaml, "in"));
  return BuildWorld(manifests);
}

std::string PodWith(const std::string& metadata, const std::string& spec = "") {
  return "---\napiVersion: v1\nkind: Pod\nmetadata: {" + metadata + "}\nspec: {" + std::string(kContainer) + spec +
         "}\n";
}

std::string WorkloadYaml(const std::string& kind, const std::string& group, const std::string& spec) {
  return "---\napiVersion: " + group + "\nkind: " + kind + "\nmetadata: {name: w}\nspec: {" + spec +
         ", selector: {matchLabels: {app: w}}, template: {metadata: {labels: {app: w}}, spec: {" +
         std::string(kContainer) + "}}}\n";
}

std::vector<std::string> PodNames(const World& world) {
  std::vector<std::string> names;
  for (const PodSource& source : world.pods) names.push_back(api::FullName(source.pod.meta));
  return names;
}

TEST(World, PodsGetTheDefaultsOfAnApiServer) {
  const Result<World> world = Build(PodWith("name: p"));

  ASSERT_TRUE(world);
  const api::Pod& pod = world->pods[0].pod;
  EXPECT_EQ(pod.meta.ns, "default");
  EXPECT_FALSE(pod.meta.uid.empty());
  EXPECT_EQ(pod.spec.scheduler_name, "default-scheduler");
  EXPECT_EQ(pod.spec.priority, 0);
  EXPECT_EQ(pod.spec.preemption_policy, "PreemptLowerPriority");
  EXPECT_EQ(pod.status.phase, "Pending");
  EXPECT_EQ(pod.spec.containers[0].requests.Find("cpu")->String(), "1");
  EXPECT_EQ(pod.spec.tolerations.size(), 2U);
}

TEST(World, ObjectsOfTheClusterHaveNoNamespace) {
  const Result<World> world = Build(
      "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {}\n"
      "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b}\nspec: {}\n");

  ASSERT_TRUE(world) << world.error().message;
  ASSERT_EQ(world->others.size(), 2U);
  EXPECT_EQ(api::MetaOf(world->others[0]).ns, "");
  EXPECT_EQ(api::MetaOf(world->others[1]).ns, "default");
}

TEST(World, MissingNamespacesAreMadeWithTheirLabel) {
  const Result<World> world = Build(PodWith("name: p, namespace: team"));

  ASSERT_TRUE(world);
  ASSERT_EQ(world->namespaces.size(), 3U);
  EXPECT_EQ(world->namespaces[2].meta.labels.Get("kubernetes.io/metadata.name"), "team");
}

TEST(World, GeneratedNamesAreFree) {
  const Result<World> world = Build(PodWith("generateName: p-") + PodWith("name: p-1"));

  ASSERT_TRUE(world);
  EXPECT_THAT(PodNames(*world), ElementsAre("default/p-2", "default/p-1"));
}

TEST(World, ErrorsNameObjectFieldAndReason) {
  const struct {
    std::string yaml;
    std::string expected;
  } cases[] = {
      {PodWith("name: p", ", priorityClassName: x"), "in:2: Pod default/p: spec.priorityClassName: no PriorityClass"},
      {PodWith("name: p") + PodWith("name: p"), "in:7: Pod default/p is already in the input, at in:2"},
      {PodWith("name: P"), "metadata.name: "},
      {PodWith("name: p, uid: u") + PodWith("name: q, uid: u"), "metadata.uid: another pod"},
      {PodWith("name: p", ", tolerations: [{key: a, effect: Never}]"), "spec.tolerations[0].effect: unknown value"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.expected);
    const Result<World> world = Build(c.yaml);
    ASSERT_FALSE(world);
    EXPECT_THAT(world.error().message, HasSubstr(c.expected));
  }
}

TEST(World, ErrorsBeyondTwentyAreCounted) {
  std::string yaml;
  for (int i = 0; i < 20; ++i) yaml += PodWith(fmt::format("name: P{}", i));

  const Result<World> twenty = Build(yaml);
  const Result<World> more = Build(yaml + PodWith("name: Q") + PodWith("name: R"));

  ASSERT_FALSE(twenty);
  EXPECT_THAT(twenty.error().message, AllOf(HasSubstr("P19"), Not(HasSubstr("more errors"))));
  ASSERT_FALSE(more);
  EXPECT_THAT(more.error().message, AllOf(HasSubstr("P19"), Not(HasSubstr("Q")), EndsWith("\nand 2 more errors")));
}

TEST(Expand, DeploymentsMakeAReplicaSetThatOwnsThePods) {
  const Result<World> world = Build(WorkloadYaml("Deployment", "apps/v1", "replicas: 2"));

  ASSERT_TRUE(world);
  ASSERT_EQ(world->pods.size(), 2U);
  const auto& set = std::get<api::ReplicaSet>(world->others[0]);
  const api::Pod& pod = world->pods[0].pod;
  EXPECT_EQ(pod.meta.controller()->name, set.meta.name);
  EXPECT_EQ(pod.meta.name, set.meta.name + "-1");
  EXPECT_TRUE(api::Selector::Compile(set.selector)->Matches(pod.meta.labels));
  EXPECT_TRUE(pod.meta.labels.Has("pod-template-hash"));
}

TEST(Expand, StatefulSetsFillGapsAndKeepOrdinals) {
  const std::string owner = ", ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: w, controller: true}]";
  const Result<World> world =
      Build(PodWith("name: w-6" + owner) +
            WorkloadYaml("StatefulSet", "apps/v1",
                         "replicas: 3, ordinals: {start: 5}, volumeClaimTemplates: [{metadata: {name: d}}]"));

  ASSERT_TRUE(world);
  EXPECT_THAT(PodNames(*world), ElementsAre("default/w-6", "default/w-5", "default/w-7"));
  EXPECT_EQ(world->claims.size(), 3U);
  EXPECT_EQ(world->pods[1].pod.spec.volumes[0].id, "d-w-5");
}

TEST(Expand, SaysWhichWorkloadMakesTooManyPods) {
  const struct {
    std::string kind;
    std::string group;
    std::string spec;
  } cases[] = {
      {"Deployment", "apps/v1", "replicas: 100000000"},
      {"ReplicaSet", "apps/v1", "replicas: 1000001"},
      {"StatefulSet", "apps/v1", "replicas: 2147483647, ordinals: {start: 2147483647}"},
      {"Job", "batch/v1", "parallelism: 2000000000, completions: 2000000000"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.kind);
    const Result<World> world = Build(WorkloadYaml(c.kind, c.group, c.spec));
    ASSERT_FALSE(world);
    EXPECT_THAT(world.error().message, HasSubstr("in:2: " + c.kind + " default/w: too many pods: "));
    EXPECT_THAT(world.error().message, HasSubstr("a simulation makes 1000000 at most"));
  }
}

TEST(Expand, ReplacementsHaveNewNamesExceptInStatefulSets) {
  Result<World> world = Build(WorkloadYaml("StatefulSet", "apps/v1", "replicas: 1") +
                              "---\napiVersion: v1\nkind: ReplicationController\nmetadata: {name: rc}\n"
                              "spec: {template: {spec: {" +
                              std::string(kContainer) + "}}}\n");

  ASSERT_TRUE(world);
  EXPECT_EQ(Replacement(world->pods[0], world->names).pod.meta.name, "w-0");
  EXPECT_EQ(Replacement(world->pods[1], world->names).pod.meta.name, "rc-2");
  EXPECT_NE(Replacement(world->pods[0], world->names).pod.meta.uid, world->pods[0].pod.meta.uid);
}

}  // namespace
}  // namespace berth::simulate
