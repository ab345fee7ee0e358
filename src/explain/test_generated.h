// SPDX-License-Identifier: Apache-2.0
// Generated clusters for tests of questions, by seed.

#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"

namespace berth::explain {

// How many of so many cases are run: all of them if BERTH_ALL_CASES is set.
inline uint64_t CasesOf(uint64_t few, uint64_t all) { return std::getenv("BERTH_ALL_CASES") == nullptr ? few : all; }

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  template <class T>
  T Of(const std::vector<T>& values) {
    return values[random_.Below(values.size())];
  }
  bool OneIn(uint64_t n) { return random_.Below(n) == 0; }
  uint64_t Below(uint64_t n) { return random_.Below(n); }

  // Nodes of several sizes in three zones, some tainted or cordoned, and pods on them.
  std::string Cluster() {
    std::string yaml =
        "---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}\n"
        "---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: middle}, value: 100}\n";
    const uint64_t nodes = 3 + Below(6);
    for (uint64_t i = 0; i < nodes; ++i) {
      const std::string taints = OneIn(4) ? "taints: [{key: team, value: a, effect: NoSchedule}]" : "";
      const std::string cordon = OneIn(8) ? (taints.empty() ? "unschedulable: true" : ", unschedulable: true") : "";
      // No two nodes have the same size, so that scores are seldom equal.
      yaml += fmt::format(
          "---\n{{apiVersion: v1, kind: Node, metadata: {{name: n{0}, labels: {{kubernetes.io/hostname: n{0}, "
          "topology.kubernetes.io/zone: z{1}, disk: {2}}}}}, spec: {{{3}{4}}}, status: {{allocatable: {{cpu: {5}m, "
          "memory: {6}Mi, pods: {7}}}}}}}\n",
          i, i % 3, Of<std::string>({"ssd", "hdd"}), taints, cordon, 2000 + 130 * i + 1000 * Below(3), 4000 + 170 * i,
          4 + Below(8));
      const uint64_t pods = i < 2 ? 2 : Below(4);
      for (uint64_t j = 0; j < pods; ++j) {
        // Both classes are in use: a core knows no others.
        const std::string priority = i + j == 0               ? ", priorityClassName: high"
                                     : i + j == 1 || OneIn(4) ? ", priorityClassName: middle"
                                                              : "";
        yaml += fmt::format(
            "---\n{{apiVersion: v1, kind: Pod, metadata: {{name: old-{}-{}, labels: {{app: {}}}}}, spec: {{nodeName: "
            "n{}{}, tolerations: [{{operator: Exists}}], containers: [{{name: c, image: i, resources: {{requests: "
            "{{cpu: {}m, memory: {}Mi}}}}}}]}}}}\n",
            i, j, Of<std::string>({"a", "b"}), i, priority, 100 * (1 + Below(9)), 100 * (1 + Below(9)));
      }
    }
    return yaml;
  }

  // Members of a pod's spec besides its containers, as JSON; each begins with a comma.
  std::string Rules(std::string_view app) {
    std::string rules;
    if (OneIn(4)) rules += R"(,"nodeSelector":{"disk":"ssd"})";
    if (OneIn(4)) rules += R"(,"tolerations":[{"key":"team","operator":"Exists"}])";
    if (OneIn(4)) rules += fmt::format(R"(,"priorityClassName":"{}")", Of<std::string>({"high", "middle"}));
    if (OneIn(4)) {
      rules += fmt::format(R"(,"topologySpreadConstraints":[{{"maxSkew":1,"topologyKey":"topology.kubernetes.io/zone",)"
                           R"("whenUnsatisfiable":"DoNotSchedule","labelSelector":{{"matchLabels":{{"app":"{}"}}}}}}])",
                           app);
    }
    if (OneIn(4)) {
      rules += fmt::format(R"(,"affinity":{{"{}":{{"requiredDuringSchedulingIgnoredDuringExecution":[{{"topologyKey":)"
                           R"("kubernetes.io/hostname","labelSelector":{{"matchLabels":{{"app":"{}"}}}}}}]}}}})",
                           OneIn(3) ? "podAffinity" : "podAntiAffinity", app);
    }
    return rules;
  }

  // Containers and rules, without the braces.
  std::string Spec(std::string_view app, uint64_t cpu_max = 15) {
    return fmt::format(
        R"("containers":[{{"name":"c","image":"i","resources":{{"requests":{{"cpu":"{}m","memory":"{}Mi"}}}}}}]{})",
        100 * (1 + Below(cpu_max)), 100 * (1 + Below(15)), Rules(app));
  }

  // Workloads as JSON, separated by commas.
  std::string Rollout() {
    std::string objects;
    const uint64_t count = 1 + Below(3);
    for (uint64_t i = 0; i < count; ++i) {
      const std::string kind = Of<std::string>({"Deployment", "Deployment", "StatefulSet", "ReplicaSet", "DaemonSet"});
      const std::string app = Of<std::string>({"a", "b", "c"});
      const std::string replicas = kind == "DaemonSet" ? "" : fmt::format(R"("replicas":{},)", 1 + Below(6));
      objects += fmt::format(
          R"({}{{"apiVersion":"apps/v1","kind":"{}","metadata":{{"name":"w{}"}},"spec":{{{}"selector":{{"matchLabels":)"
          R"({{"set":"w{}"}}}},"template":{{"metadata":{{"labels":{{"set":"w{}","app":"{}"}}}},"spec":{{{}}}}}}}}})",
          i == 0 ? "" : ",", kind, i, replicas, i, i, app, Spec(app));
    }
    return objects;
  }

 private:
  Random random_;
};

}  // namespace berth::explain
