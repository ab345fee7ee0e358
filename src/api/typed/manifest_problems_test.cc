// SPDX-License-Identifier: Apache-2.0
#include "api/typed/manifest_problems.h"

#include <gtest/gtest.h>

#include "base/assert.h"

namespace berth::api {
namespace {

// "line: text" of each.
std::vector<std::string> Problems(std::string_view yaml) {
  const auto documents = ParseYaml(yaml);
  BERTH_ASSERT(documents);
  const auto objects = FlattenManifests(*documents);
  BERTH_ASSERT(objects);
  std::vector<std::string> texts;
  for (const ManifestObject& object : *objects) {
    for (const ManifestProblem& problem : ManifestProblems(object)) {
      texts.push_back(std::to_string(problem.line) + ": " + problem.text);
    }
  }
  return texts;
}

using Texts = std::vector<std::string>;

TEST(ManifestProblems, NameTheLineOfTheFieldAndTheOneThatWasMeant) {
  EXPECT_EQ(Problems("apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: c\n    resources:\n"
                     "      request:\n        cpu: 1\n  tolerations:\n  - {key: a, opeartor: Exists}\n"),
            (Texts{R"(7: unknown field "spec.containers[0].resources.request"; did you mean requests?)",
                   R"(10: unknown field "spec.tolerations[0].opeartor"; did you mean operator?)"}));
  EXPECT_EQ(Problems("apiVersion: v1\nkind: Pod\nzzz: 1\nspec: {nodeName: a, nodeName: b}\n"),
            (Texts{R"(3: unknown field "zzz")", R"(4: duplicate field "spec.nodeName")"}));
}

TEST(ManifestProblems, FindKindsAndVersionsThatDoNotExist) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"apiVersion: apps/v7\nkind: Deployment", "1: there is no Deployment in apps/v7; did you mean apps/v1?"},
      {"apiVersion: app/v1\nkind: Deployment", "1: there is no Deployment in app/v1; did you mean apps/v1?"},
      {"apiVersion: v1\nkind: Deployment", "1: there is no Deployment in v1; did you mean apps/v1?"},
      {"apiVersion: v1\nkind: Nodes", "2: there is no kind Nodes in v1; did you mean Node?"},
      {"apiVersion: apps/v1\nkind: Deploymnet", "2: there is no kind Deploymnet in apps/v1; did you mean Deployment?"},
      {"kind: Pod", "1: apiVersion is missing; a Pod is of v1"},
      {"apiVersion: storage.k8s.oi/v1\nkind: StorageClass",
       "1: there is no StorageClass in storage.k8s.oi/v1; did you mean storage.k8s.io/v1?"},
      {"apiVersion: policy/v1beta1\nkind: PodDisruptionBudget",
       "1: there is no PodDisruptionBudget in policy/v1beta1; did you mean policy/v1?"},
  };

  for (const auto& [yaml, problem] : cases) {
    SCOPED_TRACE(yaml);
    EXPECT_EQ(Problems(yaml), Texts{std::string(problem)});
  }
}

TEST(ManifestProblems, LetCustomResourcesAndKnownFieldsPass) {
  for (const std::string_view yaml :
       {"apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nspec: {any: thing}",
        "apiVersion: serving.knative.dev/v1\nkind: Service",
        "apiVersion: snapshot.storage.k8s.io/v1\nkind: VolumeSnapshot", "apiVersion: v1\nkind: ConfigMap\ndata: {a: b}",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {labels: {any: thing}}\nspec: {replicas: 3}"}) {
    SCOPED_TRACE(yaml);
    EXPECT_EQ(Problems(yaml), Texts{});
  }
}

TEST(ManifestProblems, TellWhatComesFromAServer) {
  const auto documents = ParseYaml(
      "{apiVersion: v1, kind: List, metadata: {resourceVersion: ''}, items: [{apiVersion: v1, kind: Pod}]}\n---\n"
      "{apiVersion: v1, kind: Pod, metadata: {name: a, uid: u}}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: "
      "a}}\n---\n"
      "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Pod}]}");
  ASSERT_TRUE(documents);

  const auto objects = FlattenManifests(*documents);

  ASSERT_TRUE(objects);
  std::vector<bool> from_server;
  for (const ManifestObject& object : *objects) from_server.push_back(object.is_from_server);
  EXPECT_EQ(from_server, (std::vector<bool>{true, true, false, false}));
}

}  // namespace
}  // namespace berth::api
