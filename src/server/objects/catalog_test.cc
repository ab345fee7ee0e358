// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "server/model/resource.h"

namespace berth::server {
namespace {

using Words = std::vector<std::string_view>;

TEST(Catalog, KnowsResourcesByPluralAndByKind) {
  const Catalog catalog;
  const Resource* const pods = catalog.Find("", "v1", "pods");
  ASSERT_NE(pods, nullptr);

  EXPECT_EQ(catalog.FindKind("v1", "Pod"), pods);
  EXPECT_EQ(&catalog.Get("", "pods"), pods);
  EXPECT_EQ(catalog.Find("apps", "v1", "pods"), nullptr);
  EXPECT_EQ(catalog.FindKind("v2", "Pod"), nullptr);
  EXPECT_EQ(pods->singular, "pod");
  EXPECT_EQ(pods->list_kind, "PodList");
  EXPECT_TRUE(pods->namespaced);
  EXPECT_TRUE(pods->returns_deleted);
  EXPECT_EQ(pods->short_names, Words{"po"});
  EXPECT_EQ(pods->categories, Words{"all"});
  EXPECT_EQ(pods->Qualified(), "pods");
  EXPECT_EQ(catalog.Get("scheduling.k8s.io", "priorityclasses").Qualified(), "priorityclasses.scheduling.k8s.io");
}

TEST(Catalog, SubresourcesHaveKindsOfTheirOwn) {
  const Catalog catalog;
  const Resource& pods = catalog.Get("", "pods");

  EXPECT_EQ(pods.FindSubresource("status")->kind, "Pod");
  EXPECT_EQ(pods.FindSubresource("eviction")->kind, "Eviction");
  EXPECT_EQ(pods.FindSubresource("eviction")->group, "policy");
  EXPECT_EQ(pods.FindSubresource("eviction")->verbs, Words{"create"});
  EXPECT_EQ(pods.FindSubresource("scale"), nullptr);
}

TEST(Catalog, EventsOfBothGroupsAreKeptOnce) {
  const Catalog catalog;
  const Resource& core = catalog.Get("", "events");

  EXPECT_EQ(core.stored, &core);
  EXPECT_EQ(catalog.Get("events.k8s.io", "events").stored, &core);
}

TEST(Catalog, AutoscalersOfBothVersionsAreKeptOnce) {
  const Catalog catalog;
  const Resource& kept = catalog.Get("autoscaling", "horizontalpodautoscalers");

  EXPECT_EQ(kept.version, "v2");
  EXPECT_EQ(kept.stored, &kept);
  EXPECT_EQ(catalog.Find("autoscaling", "v1", "horizontalpodautoscalers")->stored, &kept);
}

TEST(Catalog, GroupsAreServedByGateAndKeptWithout) {
  const Catalog none;
  EXPECT_EQ(none.Find("scheduling.k8s.io", "v1beta1", "podgroups"), nullptr);
  EXPECT_FALSE(none.Get("scheduling.k8s.io", "podgroups").is_served);
  EXPECT_LT(none.served().size(), none.all().size());

  const Catalog some(framework::FeatureGates::Create({{"GenericWorkload", true}}).value());
  EXPECT_TRUE(some.Get("scheduling.k8s.io", "podgroups").is_served);
  EXPECT_NE(some.Find("scheduling.k8s.io", "v1beta1", "workloads"), nullptr);
  EXPECT_EQ(some.Find("scheduling.k8s.io", "v1alpha3", "compositepodgroups"), nullptr);
}

TEST(Catalog, GroupsOfBothVersionsAreKeptOnce) {
  const Catalog catalog(framework::FeatureGates::Create({{"GenericWorkload", true}}).value());
  const Resource& kept = catalog.Get("scheduling.k8s.io", "podgroups");

  EXPECT_EQ(kept.version, "v1beta1");
  EXPECT_EQ(catalog.Find("scheduling.k8s.io", "v1alpha3", "podgroups")->stored, &kept);
}

TEST(Catalog, ReviewsAreVirtual) {
  const Catalog catalog;

  EXPECT_TRUE(catalog.Get("authorization.k8s.io", "selfsubjectaccessreviews").is_virtual());
  EXPECT_TRUE(catalog.Get("", "bindings").is_virtual());
  EXPECT_FALSE(catalog.Get("", "namespaces").is_virtual());
}

TEST(Catalog, EveryResourceIsComplete) {
  const Catalog catalog;
  std::set<std::string> names;
  for (const auto& resource : catalog.all()) {
    SCOPED_TRACE(resource->Qualified());
    EXPECT_TRUE(names.insert(resource->Qualified() + '/' + std::string(resource->version)).second);
    EXPECT_EQ(catalog.all()[resource->index].get(), resource.get());
    EXPECT_FALSE(resource->plural.empty());
    EXPECT_NE(resource->strategy, nullptr);
    EXPECT_EQ(resource->list_kind.empty(), resource->is_virtual());
  }
}

}  // namespace
}  // namespace berth::server
