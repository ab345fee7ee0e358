// SPDX-License-Identifier: Apache-2.0
#include "server/objects/objects.h"

#include <gtest/gtest.h>

#include <set>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

constexpr std::string_view kPod = "metadata: {name: pod}\nspec: {containers: [{name: a, image: a}]}";
constexpr std::string_view kDeployment = R"(
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: a, image: a}]}}
)";

Outcome<Objects::Written> Put(TestCluster& cluster, const Resource& resource, std::string_view name, Json object,
                              const WriteOptions& options = {}) {
  return cluster.objects.Update(resource, "default", name, options,
                                [&](const Json&) -> Outcome<Json> { return object; });
}

Json Map(std::string_view name, std::string_view value, std::string_view version = {}) {
  Json map{{"apiVersion", Json::String("v1")},
           {"kind", Json::String("ConfigMap")},
           {"metadata", Json{{"name", Json::String(name)}, {"namespace", Json::String("default")}}},
           {"data", Json{{"key", Json::String(value)}}}};
  if (!version.empty()) map.Make("metadata").Set("resourceVersion", version);
  return map;
}

TEST(Objects, CreationSetsWhatTheServerSets) {
  TestCluster cluster(false);
  const ObjectPtr created = cluster.Create("apps", "deployments", R"(
metadata: {name: web, uid: mine, generation: 9, creationTimestamp: "1999-01-01T00:00:00Z"}
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: a, image: a}]}}
status: {replicas: 7}
)");
  const Json tree = created->Tree();
  EXPECT_NE(tree["metadata"]["uid"].text(), "mine");
  EXPECT_EQ(tree["metadata"]["uid"].text().size(), 36U);
  EXPECT_EQ(tree["metadata"]["generation"].IntOr(0), 1);
  EXPECT_EQ(tree["metadata"]["creationTimestamp"].text(), "2026-01-01T00:00:00Z");
  EXPECT_EQ(tree["metadata"]["resourceVersion"].text(), std::to_string(created->revision()));
  EXPECT_FALSE(tree["status"].Has("replicas"));
  EXPECT_EQ(tree["spec"]["replicas"].IntOr(0), 1);
}

TEST(Objects, ANameIsTakenOnce) {
  TestCluster cluster(false);
  cluster.Create("", "pods", kPod);
  const auto again = cluster.TryCreate(cluster.Get("", "pods"), kPod);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, 409);
  EXPECT_EQ(again.error().reason, "AlreadyExists");
  EXPECT_EQ(again.error().message, "pods \"pod\" already exists");
}

TEST(Objects, NamesAreGeneratedFromAPrefix) {
  TestCluster cluster(false);
  const Resource& maps = cluster.Get("", "configmaps");
  std::set<std::string> names;
  for (int i = 0; i < 100; ++i)
    names.insert(std::string(cluster.Create(maps, "metadata: {generateName: job-}")->name()));
  EXPECT_EQ(names.size(), 100U);
  for (const std::string& name : names) {
    EXPECT_TRUE(name.starts_with("job-"));
    EXPECT_EQ(name.size(), 9U);
  }
  const ObjectPtr longest = cluster.Create(maps, "metadata: {generateName: " + std::string(80, 'x') + "}");
  EXPECT_EQ(longest->name().size(), 63U);
}

TEST(Objects, NothingIsCreatedInAVersion) {
  TestCluster cluster(false);
  const auto created = cluster.TryCreate(cluster.Get("", "configmaps"), "metadata: {name: a, resourceVersion: '5'}");
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().message, "resourceVersion should not be set on objects to be created");
  // It is the store that minds.
  EXPECT_TRUE(
      cluster.TryCreate(cluster.Get("", "configmaps"), "metadata: {name: a, resourceVersion: '5'}", {.dry_run = true}));
}

TEST(Objects, AnUpdateOfAnOldVersionIsAConflict) {
  TestCluster cluster(false);
  const Resource& maps = cluster.Get("", "configmaps");
  const ObjectPtr created = cluster.Create(maps, "metadata: {name: a}");
  const std::string version = std::to_string(created->revision());
  ASSERT_TRUE(Put(cluster, maps, "a", Map("a", "1", version)));
  const auto stale = Put(cluster, maps, "a", Map("a", "2", version));
  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error().code, 409);
  EXPECT_EQ(stale.error().reason, "Conflict");
  EXPECT_TRUE(Put(cluster, maps, "a", Map("a", "3"))) << "without a version it is written anyhow";
  Json other = Map("a", "4");
  other.Make("metadata").Set("uid", "another");
  EXPECT_EQ(Put(cluster, maps, "a", other).error().code, 409);
}

TEST(Objects, AChangeThatChangesNothingIsNoWrite) {
  TestCluster cluster(false);
  const Resource& maps = cluster.Get("", "configmaps");
  ASSERT_TRUE(cluster.objects.Create(maps, "default", Map("a", "1"), {.manager = "me"}));
  const ObjectPtr before = cluster.Find("", "configmaps", "a");
  cluster.timers.Advance(Seconds(10));
  const auto written = Put(cluster, maps, "a", Map("a", "1"), {.manager = "me"});
  ASSERT_TRUE(written);
  EXPECT_EQ(written->object->revision(), before->revision());
  EXPECT_EQ(cluster.store.revision(), before->revision());
}

TEST(Objects, SystemFieldsStay) {
  TestCluster cluster(false);
  const ObjectPtr before = cluster.Create("", "configmaps", "metadata: {name: a}");
  cluster.Change("", "configmaps", "a", [](Json& map) {
    map.Make("metadata").Set("creationTimestamp", "2001-01-01T00:00:00Z");
    map.Make("metadata").Set("generation", Json::Int(9));
    map.Make("data").Set("x", "y");
  });
  const Json after = cluster.Tree("", "configmaps", "a");
  EXPECT_EQ(after["metadata"]["creationTimestamp"], before->Tree()["metadata"]["creationTimestamp"]);
  EXPECT_FALSE(after["metadata"].Has("generation"));
}

TEST(Objects, TheGenerationCountsChangesOfTheSpec) {
  TestCluster cluster(false);
  cluster.Create("apps", "deployments", kDeployment);
  const auto generation = [&] { return cluster.Tree("apps", "deployments", "web")["metadata"]["generation"].IntOr(0); };
  cluster.Change("apps", "deployments", "web", [](Json& web) { web.Make({"metadata", "labels"}).Set("a", "b"); });
  cluster.Change(
      "apps", "deployments", "web", [](Json& web) { web.Make("status").Set("replicas", Json::Int(1)); }, "status");
  EXPECT_EQ(generation(), 1);
  cluster.Change("apps", "deployments", "web", [](Json& web) { web.Make("spec").Set("replicas", Json::Int(3)); });
  EXPECT_EQ(generation(), 2);
}

TEST(Objects, SpecAndStatusAreWrittenApart) {
  TestCluster cluster(false);
  cluster.Create("apps", "deployments", kDeployment);
  const auto both = [](Json& web) {
    web.Make("spec").Set("replicas", Json::Int(5));
    web.Make("status").Set("replicas", Json::Int(5));
  };
  cluster.Change("apps", "deployments", "web", both, "status");
  EXPECT_EQ(cluster.Tree("apps", "deployments", "web")["spec"]["replicas"].IntOr(0), 1);
  EXPECT_EQ(cluster.Tree("apps", "deployments", "web")["status"]["replicas"].IntOr(0), 5);
  cluster.Change("apps", "deployments", "web", [](Json& web) {
    web.Make("spec").Set("replicas", Json::Int(2));
    web.Make("status").Set("replicas", Json::Int(2));
  });
  EXPECT_EQ(cluster.Tree("apps", "deployments", "web")["spec"]["replicas"].IntOr(0), 2);
  EXPECT_EQ(cluster.Tree("apps", "deployments", "web")["status"]["replicas"].IntOr(0), 5);
}

TEST(Objects, AnUpdateMayCreateWhereThatIsAllowed) {
  TestCluster cluster(false);
  const Resource& leases = cluster.Get("coordination.k8s.io", "leases");
  const auto lease = [&]() -> Outcome<Json> { return TestCluster::Parse(leases, "metadata: {name: l}"); };
  const auto same = [](const Json& current) -> Outcome<Json> { return current; };
  const auto first = cluster.objects.Update(leases, "default", "l", {}, same, lease);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_TRUE(first->is_new);
  const auto second = cluster.objects.Update(leases, "default", "l", {}, same, lease);
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->is_new);
  EXPECT_EQ(cluster.objects.Update(leases, "default", "none", {}, same).error().code, 404);
}

TEST(Objects, ADryRunWritesNothing) {
  TestCluster cluster(false);
  const Resource& maps = cluster.Get("", "configmaps");
  const Revision before = cluster.store.revision();
  const auto created = cluster.TryCreate(maps, "metadata: {name: a}", {.dry_run = true});
  ASSERT_TRUE(created);
  EXPECT_FALSE((*created)->uid().empty());
  EXPECT_EQ(cluster.store.revision(), before);
  cluster.Create(maps, "metadata: {name: a}");
  const Revision present = cluster.store.revision();
  const auto changed = Put(cluster, maps, "a", Map("a", "1"), {.dry_run = true});
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->object->Tree()["data"]["key"].text(), "1");
  const auto deleted = cluster.objects.Delete(maps, "default", "a", {.dry_run = true});
  ASSERT_TRUE(deleted);
  EXPECT_EQ(cluster.store.revision(), present);
}

TEST(Objects, FinalizersHoldAnObject) {
  TestCluster cluster(false);
  cluster.Create("", "configmaps", "metadata: {name: a, finalizers: [x.io/one, x.io/two]}");
  const auto deleted = cluster.objects.Delete(cluster.Get("", "configmaps"), "default", "a", {});
  ASSERT_TRUE(deleted);
  EXPECT_FALSE(deleted->is_gone);
  const Json marked = cluster.Tree("", "configmaps", "a");
  EXPECT_EQ(marked["metadata"]["deletionTimestamp"].text(), "2026-01-01T00:00:00Z");
  EXPECT_EQ(marked["metadata"]["deletionGracePeriodSeconds"].IntOr(-1), 0);
  const Revision revision = cluster.store.revision();
  cluster.Delete("", "configmaps", "a");
  EXPECT_EQ(cluster.store.revision(), revision) << "it is marked already";
  const auto keep = [&](std::initializer_list<const char*> finalizers) {
    cluster.Change("", "configmaps", "a", [&](Json& map) {
      Json::List list;
      for (const char* finalizer : finalizers) list.push_back(Json::String(finalizer));
      map.Make("metadata").Set("finalizers", Json::MakeList(list));
      if (list.empty()) map.Make("metadata").Erase("finalizers");
    });
  };
  keep({"x.io/two"});
  EXPECT_NE(cluster.Find("", "configmaps", "a"), nullptr);
  keep({});
  EXPECT_EQ(cluster.Find("", "configmaps", "a"), nullptr);
}

TEST(Objects, ABoundPodIsGrantedItsTimeAndItMayBeShortened) {
  TestCluster cluster(false);
  cluster.Create("", "pods", kPod);
  cluster.Bind("pod", "node");
  const auto metadata = [&] { return cluster.Tree("", "pods", "pod")["metadata"]; };
  cluster.Delete("", "pods", "pod");
  EXPECT_EQ(metadata()["deletionGracePeriodSeconds"].IntOr(0), 30);
  EXPECT_EQ(metadata()["deletionTimestamp"].text(), "2026-01-01T00:00:30Z");
  cluster.Delete("", "pods", "pod", {.grace_seconds = 60});
  EXPECT_EQ(metadata()["deletionGracePeriodSeconds"].IntOr(0), 30) << "never extended";
  cluster.timers.Advance(Seconds(2));
  cluster.Delete("", "pods", "pod", {.grace_seconds = 5});
  EXPECT_EQ(metadata()["deletionTimestamp"].text(), "2026-01-01T00:00:05Z");
  EXPECT_EQ(metadata()["deletionGracePeriodSeconds"].IntOr(0), 5);
  cluster.Delete("", "pods", "pod", {.grace_seconds = 0});
  EXPECT_EQ(cluster.Find("", "pods", "pod"), nullptr);
}

TEST(Objects, APodThatDoesNotRunGoesAtOnce) {
  TestCluster cluster(false);
  cluster.Create("", "pods", kPod);
  cluster.Delete("", "pods", "pod", {.grace_seconds = 30});
  EXPECT_EQ(cluster.Find("", "pods", "pod"), nullptr);
}

TEST(Objects, DeletionHasPreconditions) {
  TestCluster cluster(false);
  const Resource& maps = cluster.Get("", "configmaps");
  const ObjectPtr created = cluster.Create(maps, "metadata: {name: a}");
  EXPECT_EQ(cluster.objects.Delete(maps, "default", "a", {.uid = "other"}).error().code, 409);
  EXPECT_EQ(cluster.objects.Delete(maps, "default", "a", {.resource_version = "1"}).error().code, 409);
  EXPECT_TRUE(cluster.objects.Delete(maps, "default", "a",
                                     {.uid = created->uid(), .resource_version = std::to_string(created->revision())}));
  EXPECT_EQ(cluster.objects.Delete(maps, "default", "a", {}).error().code, 404);
}

TEST(Objects, PropagationIsAFinalizer) {
  using Propagation = DeleteOptions::Propagation;
  TestCluster cluster(false);
  const auto finalizer = [&](std::string_view name) {
    return cluster.Tree("", "configmaps", name)["metadata"]["finalizers"][size_t{0}].text();
  };
  for (const char* name : {"orphan", "foreground", "background"}) {
    cluster.Create("", "configmaps", std::string("metadata: {name: ") + name + "}");
  }
  cluster.Delete("", "configmaps", "orphan", {.propagation = Propagation::kOrphan});
  cluster.Delete("", "configmaps", "foreground", {.propagation = Propagation::kForeground});
  cluster.Delete("", "configmaps", "background", {.propagation = Propagation::kBackground});
  EXPECT_EQ(finalizer("orphan"), "orphan");
  EXPECT_EQ(finalizer("foreground"), "foregroundDeletion");
  EXPECT_EQ(cluster.Find("", "configmaps", "background"), nullptr);
  // The last word counts.
  cluster.Delete("", "configmaps", "orphan", {.propagation = Propagation::kForeground});
  EXPECT_EQ(finalizer("orphan"), "foregroundDeletion");
  cluster.Delete("", "configmaps", "orphan", {.propagation = Propagation::kBackground});
  EXPECT_EQ(cluster.Find("", "configmaps", "orphan"), nullptr);
}

TEST(Objects, InvalidObjectsAreRefused) {
  TestCluster cluster(false);
  const auto created = cluster.TryCreate(cluster.Get("", "pods"), "metadata: {name: Pod!}\nspec: {containers: []}");
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().code, 422);
  EXPECT_EQ(created.error().reason, "Invalid");
  EXPECT_GE(created.error().causes.size(), 2U);
  EXPECT_EQ(cluster.Pods().size(), 0U);
}

}  // namespace
}  // namespace berth::server
