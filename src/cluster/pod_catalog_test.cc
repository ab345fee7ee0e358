// SPDX-License-Identifier: Apache-2.0

#include "cluster/pod_catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/test_builders.h"

namespace berth::cluster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PodCatalogTest : public testing::Test {
 protected:
  ResourceNames names_;
  PodCatalog catalog_{names_, {}};
};

TEST_F(PodCatalogTest, EqualPodsShareTemplateAndLabels) {
  const PodPtr a = catalog_.Make(PodBuilder("a").Node("n1").Label("app", "web").Request("cpu", "1"));
  const PodPtr b = catalog_.Make(PodBuilder("b").Node("n2").Label("app", "web").Request("cpu", "1000m"));
  const PodPtr c = catalog_.Make(PodBuilder("c").Label("app", "db").Request("cpu", "2"));
  const PodPtr other_ns = catalog_.Make(PodBuilder("a").Namespace("other").Label("app", "web").Request("cpu", "1"));

  EXPECT_EQ(a->pod_template, b->pod_template);
  EXPECT_EQ(a->label_set, b->label_set);
  EXPECT_NE(a->pod_template, c->pod_template);
  EXPECT_NE(a->label_set, c->label_set);
  EXPECT_NE(a->pod_template, other_ns->pod_template);
  EXPECT_EQ(a->label_set, other_ns->label_set);
}

TEST_F(PodCatalogTest, TemplateIsFreedWithItsLastPod) {
  std::weak_ptr<const PodTemplate> seen;
  for (int i = 0; i < 1000; ++i) {
    const PodPtr pod = catalog_.Make(PodBuilder("p").Priority(i));
    EXPECT_TRUE(seen.expired());
    seen = pod->pod_template;
  }
}

TEST_F(PodCatalogTest, KnowsPodsThatAwaitAResizeWhereTheyAreAskedFor) {
  PodCatalog asked(names_, {.deferred_resizes = true});
  const api::Pod deferred = PodBuilder("p").Node("n1").Condition("PodResizePending", "True", "Deferred");

  EXPECT_TRUE(asked.Make(deferred)->awaits_resize);
  EXPECT_FALSE(catalog_.Make(deferred)->awaits_resize);
  EXPECT_FALSE(asked.Make(PodBuilder("p").Condition("PodResizePending", "True", "Infeasible"))->awaits_resize);
  EXPECT_FALSE(asked.Make(PodBuilder("p").Condition("PodResizeInProgress", "True", "Deferred"))->awaits_resize);
}

TEST_F(PodCatalogTest, KeepsStatusOnlyWhereItSaysSomething) {
  const PodPtr plain = catalog_.Make(PodBuilder("p").Request("cpu", "1").Phase("Running"));
  const PodPtr as_requested = catalog_.Make(
      PodBuilder("p").Request("cpu", "1").ContainerStatus("main", Amounts({{"cpu", "1"}}), Amounts({{"cpu", "1"}})));
  const PodPtr resized =
      catalog_.Make(PodBuilder("p").Request("cpu", "1").ContainerStatus("main", Amounts({{"cpu", "2"}}), std::nullopt));
  const PodPtr condition = catalog_.Make(PodBuilder("p").Condition("PodScheduled", "False", "Unschedulable"));

  EXPECT_EQ(plain->status, nullptr);
  EXPECT_EQ(as_requested->status, nullptr);
  EXPECT_EQ(as_requested->resized, nullptr);
  ASSERT_NE(resized->resized, nullptr);
  EXPECT_EQ(resized->pod_template, plain->pod_template);
  EXPECT_EQ(resized->requests().cpu_milli, 2000);
  EXPECT_EQ(resized->nonzero_cpu_milli(), 2000);
  EXPECT_EQ(plain->requests().cpu_milli, 1000);
  ASSERT_NE(condition->Condition("PodScheduled"), nullptr);
  EXPECT_EQ(plain->Condition("PodScheduled"), nullptr);
}

TEST_F(PodCatalogTest, PlacedPodIsTheSameVersionWithoutNomination) {
  const PodPtr pod = catalog_.Make(PodBuilder("p").NominatedNode("n1").ResourceVersion("7"));

  const PodPtr placed = PodCatalog::WithNode(*pod, "n2");

  EXPECT_EQ(placed->node_name, "n2");
  EXPECT_EQ(placed->nominated_node_name, "");
  EXPECT_EQ(placed->resource_version, "7");
  EXPECT_EQ(placed->pod_template, pod->pod_template);
}

TEST_F(PodCatalogTest, HostPortsAreThoseOfContainersAndSidecars) {
  PodBuilder pod("p");
  pod.HostPort(80).Sidecar("side").InitContainer("init");
  pod.raw().spec.init_containers[0].host_ports = {{"10.0.0.1", "UDP", 53}};
  pod.raw().spec.init_containers[1].host_ports = {{"", "", 99}};

  EXPECT_THAT(catalog_.Make(pod)->pod_template->host_ports,
              ElementsAre(api::HostPort{"10.0.0.1", "UDP", 53}, api::HostPort{"0.0.0.0", "TCP", 80}));
}

TEST_F(PodCatalogTest, AffinityTermsNameTheirNamespaces) {
  api::PodAffinityTerm named = Term("zone", {{"app", "web"}});
  named.namespaces = {"b", "a", "b"};
  api::PodAffinityTerm selected = Term("zone", {{"app", "web"}});
  selected.namespace_selector.emplace();
  api::PodAffinityTerm without_selector = Term("zone", {});
  without_selector.label_selector.reset();
  const PodPtr pod = catalog_.Make(PodBuilder("p")
                                       .Namespace("own")
                                       .Affinity(Term("zone", {{"app", "web"}}))
                                       .Affinity(named)
                                       .AntiAffinity(selected)
                                       .PreferredAntiAffinity(7, without_selector));
  const PodTemplate& compiled = *pod->pod_template;
  const api::Labels web = {{"app", "web"}};

  ASSERT_EQ(compiled.required_affinity.size(), 2U);
  EXPECT_THAT(compiled.required_affinity[0].namespaces, ElementsAre("own"));
  EXPECT_TRUE(compiled.required_affinity[0].Matches("own", web, {}));
  EXPECT_FALSE(compiled.required_affinity[0].Matches("other", web, {}));
  EXPECT_THAT(compiled.required_affinity[1].namespaces, ElementsAre("a", "b"));
  EXPECT_THAT(compiled.required_anti_affinity[0].namespaces, IsEmpty());
  EXPECT_TRUE(compiled.required_anti_affinity[0].Matches("other", web, {}));
  EXPECT_EQ(compiled.preferred_anti_affinity[0].weight, 7);
  EXPECT_FALSE(compiled.preferred_anti_affinity[0].Matches("own", web, {}));
  EXPECT_EQ(compiled.affinity_error, "");
}

TEST_F(PodCatalogTest, ListWithAnInvalidTermIsEmptyAsAWhole) {
  api::PodAffinityTerm invalid = Term("zone", {});
  invalid.label_selector->match_expressions = {{"app", "Is", {"web"}}};
  const std::string reason = "\"Is\" is not a valid label selector operator";

  const PodPtr one =
      catalog_.Make(PodBuilder("p").Affinity(Term("zone", {})).Affinity(invalid).AntiAffinity(Term("zone", {})));
  EXPECT_THAT(one->pod_template->required_affinity, IsEmpty());
  EXPECT_EQ(one->pod_template->required_anti_affinity.size(), 1U);
  EXPECT_EQ(one->pod_template->affinity_error, "requiredAffinityTerms: " + reason);

  const PodPtr two = catalog_.Make(PodBuilder("p").Affinity(invalid).PreferredAffinity(1, invalid));
  EXPECT_EQ(two->pod_template->affinity_error,
            "[requiredAffinityTerms: " + reason + ", preferredAffinityTerms: " + reason + "]");
}

}  // namespace
}  // namespace berth::cluster
