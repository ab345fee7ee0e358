// SPDX-License-Identifier: Apache-2.0
// Counterfactuals of generated pods that fit nowhere: each holds when it is applied to the world, and where exactly one
// change made a pod unschedulable, undoing it is first.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "explain/counterfactual.h"
#include "explain/test_cluster.h"
#include "explain/test_generated.h"
#include "server/patch/json_patch.h"

namespace berth::explain {
namespace {

using api::Json;

Json PodOf(const std::string& spec) {
  return *api::ParseTree(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"app":"a"}},"spec":{)" +
                         spec + "}}");
}

// Whether the pod gets a node in a cluster of its own, after the change.
bool IsPlaced(const std::string& yaml, std::vector<Json> objects, const Json& change) {
  TestCluster cluster(yaml);
  const Json question{{"changes", change.is_null() ? Json::MakeList() : Json::MakeList({change})},
                      {"objects", Json::MakeList(std::move(objects))}};
  const Result<Json> answer = cluster.Ask("what-if", question.ToText());
  EXPECT_TRUE(answer) << (answer ? "" : answer.error().message);
  return answer && (*answer)["unplaced"].IntOr(1) == 0;
}

TEST(CounterfactualGenerated, EachHoldsWhenItIsApplied) {
  size_t pending = 0;
  size_t checked = 0;
  const uint64_t cases = CasesOf(12, 1000);
  for (uint64_t seed = 0; pending < cases && seed < 100 * cases; ++seed) {
    SCOPED_TRACE(seed);
    Generator generator(seed);
    const std::string yaml = generator.Cluster();
    const Json pod = PodOf(generator.Spec("a", 30));
    TestCluster cluster(yaml + "---\n" + pod.ToText() + "\n");
    const Result<CounterfactualAnswer> answer =
        Counterfactuals(*cluster.core, "default/p", cluster.surroundings->now(), cluster.pacer);
    if (!answer) continue;  // It has a node.
    ++pending;
    EXPECT_FALSE(answer->is_placed_now);
    for (const Counterfactual& each : answer->changes) {
      SCOPED_TRACE(each.text);
      Json changed = pod;
      for (const ObjectPatch& patch : each.patches) {
        auto patched = server::ApplyJsonPatch(pod, patch.patch);
        ASSERT_TRUE(patched) << patch.patch.ToText() << pod.ToText();
        changed = *std::move(patched);
      }
      std::vector<Json> objects = each.objects;
      objects.push_back(changed);
      EXPECT_TRUE(IsPlaced(yaml, std::move(objects), each.change)) << yaml << changed.ToText();
      ++checked;
    }
  }
  EXPECT_EQ(pending, cases);
  EXPECT_GT(checked, cases / 2);
}

TEST(CounterfactualGenerated, UndoingTheOneChangeIsFirst) {
  struct Way {
    std::string kind;  // Of the change that undoes it.
    std::string rule;  // What is added to the pod.
  };
  const std::vector<Way> ways = {
      {"dropNodeSelector", R"(,"nodeSelector":{"disk":"tape"})"},
      {"dropPodAffinity",
       R"(,"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"app":"nobody"}}}]}})"},
      {"dropNodeAffinity",
       R"(,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"disk","operator":"In","values":["tape"]}]}]}}})"},
      {"removeGate", R"(,"schedulingGates":[{"name":"g"}])"},
  };
  size_t made = 0;
  const uint64_t cases = CasesOf(12, 300);
  for (uint64_t seed = 0; made < cases && seed < 100 * cases; ++seed) {
    SCOPED_TRACE(seed);
    Generator generator(seed);
    const std::string yaml = generator.Cluster();
    const std::string spec =
        fmt::format(R"("containers":[{{"name":"c","image":"i","resources":{{"requests":{{"cpu":"{}m"}}}}}}])",
                    100 * (1 + generator.Below(10)));
    if (!IsPlaced(yaml, {PodOf(spec)}, {})) continue;
    const Way way = generator.Of(ways);
    ++made;
    TestCluster cluster(yaml + "---\n" + PodOf(spec + way.rule).ToText() + "\n");
    const Result<CounterfactualAnswer> answer =
        Counterfactuals(*cluster.core, "default/p", cluster.surroundings->now(), cluster.pacer);
    ASSERT_TRUE(answer) << answer.error().message;
    ASSERT_FALSE(answer->changes.empty()) << way.kind << answer->message;
    EXPECT_EQ(answer->changes.front().kind, way.kind) << CounterfactualText(ToJson(*answer));
  }
  EXPECT_EQ(made, cases);
}

}  // namespace
}  // namespace berth::explain
