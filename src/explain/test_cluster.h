// SPDX-License-Identifier: Apache-2.0
// Clusters for tests of questions: a core that was told of manifests, in surroundings in which nothing moves.

#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "config/config.h"
#include "explain/answer.h"
#include "explain/surroundings.h"
#include "framework/chooser.h"
#include "plugins/registry.h"
#include "world/manifests.h"

namespace berth::explain {

struct TestCluster {
  explicit TestCluster(const std::string& yaml, const framework::FeatureGates& enabled = {}) : gates(enabled) {
    auto made = scheduler::Core::Create(config::Default(gates), plugins::BuiltIn(), gates,
                                        std::make_unique<framework::SmallestNameChooser>(), Time{});
    EXPECT_TRUE(made.has_value());
    core = *std::move(made);
    surroundings = std::make_unique<Surroundings>(*core, gates, Time{}, Surroundings::Past::kNone);
    world::Manifests manifests;
    EXPECT_TRUE(manifests.Add(yaml, "cluster").has_value());
    const Result<void> filled = surroundings->FillFrom(manifests);
    EXPECT_TRUE(filled.has_value()) << (filled ? "" : filled.error().message);
    EXPECT_TRUE(surroundings->Settle(pacer).has_value());
  }

  // In the world of the manifests.
  Result<api::Json> Ask(const std::string& kind, const std::string& body) {
    return AnswerIn(*surroundings, kind, *api::ParseTree(body), pacer);
  }
  // As if only the core was left.
  Result<api::Json> AskCore(const std::string& kind, const std::string& body) {
    Result<std::string> answer = Answer(kind, {*core, gates, surroundings->now()}, body, pacer);
    if (!answer) return std::unexpected(answer.error());
    return api::ParseTree(*answer);
  }

  framework::FeatureGates gates;
  Unhindered pacer;
  std::unique_ptr<scheduler::Core> core;
  std::unique_ptr<Surroundings> surroundings;
};

inline std::string NodeYaml(const std::string& name, const std::string& fields = "", const std::string& cpu = "2") {
  return "---\n{apiVersion: v1, kind: Node, metadata: {name: " + name + ", labels: {kubernetes.io/hostname: " + name +
         fields + "}}, status: {allocatable: {cpu: " + cpu + ", memory: 4Gi, pods: 10}}}\n";
}

inline std::string PodYaml(const std::string& name, const std::string& cpu, const std::string& fields = "",
                           const std::string& metadata = "") {
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name + metadata +
         "}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: " + cpu + "}}}]" + fields + "}}\n";
}

inline std::string PodJson(const std::string& name, const std::string& cpu, const std::string& fields = "") {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
         R"("},"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":")" + cpu + R"("}}}])" +
         fields + "}}";
}

}  // namespace berth::explain
