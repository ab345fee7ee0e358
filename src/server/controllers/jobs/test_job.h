// SPDX-License-Identifier: Apache-2.0
// The Job of a test, `work`, and its pods.

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "server/controllers/job_marks.h"
#include "server/model/find_condition.h"
#include "server/test_cluster.h"

namespace berth::server {

// Of pods that run until something is done to them.
inline constexpr std::string_view kRunsForever = "berth.dev/complete-after: 10h";

// `more`: other members of the spec; `note`: an annotation of the pods.
inline std::string JobYaml(std::string_view more, std::string_view note = "") {
  return "metadata: {name: work}\nspec:\n" + std::string(more) + "\n  template:\n    metadata: {annotations: {" +
         std::string(note) + R"(}}
    spec: {restartPolicy: Never, containers: [{name: main, image: work}]}
)";
}

inline Json JobStatus(const TestCluster& cluster) { return cluster.Tree("batch", "jobs", "work")["status"]; }

inline bool JobHas(const Json& status, std::string_view type) { return IsTrue(status["conditions"], type); }

// Reason and message of a condition that is true.
inline std::string JobWhy(const Json& status, std::string_view type) {
  const Json& condition = FindCondition(status["conditions"], type);
  if (condition["status"].text() != "True") return "";
  return condition["reason"].text() + ": " + condition["message"].text();
}

// What was reported of the Job, each as `TYPE REASON: MESSAGE`.
inline std::vector<std::string> JobEvents(const TestCluster& cluster) {
  std::vector<std::string> events;
  for (const auto& [key, event] : cluster.store.All(cluster.Get("", "events"))) {
    const TreePtr tree = event->tree();
    if ((*tree)["involvedObject"]["kind"].text() != "Job") continue;
    EXPECT_EQ((*tree)["source"]["component"].text(), "job-controller");
    events.push_back((*tree)["type"].text() + " " + (*tree)["reason"].text() + ": " + (*tree)["message"].text());
  }
  return events;
}

inline bool HasJobEvent(const TestCluster& cluster, std::string_view event) {
  return std::ranges::count(JobEvents(cluster), event) == 1;
}

inline std::vector<ObjectPtr> ActivePods(const TestCluster& cluster) {
  std::vector<ObjectPtr> pods = cluster.Pods();
  std::erase_if(pods, [](const ObjectPtr& pod) {
    return pod->is_being_deleted() || pod->Field("status.phase") == "Succeeded" ||
           pod->Field("status.phase") == "Failed";
  });
  return pods;
}

// The active pod of this index.
inline ObjectPtr PodOfIndex(const TestCluster& cluster, std::string_view index) {
  for (const ObjectPtr& pod : ActivePods(cluster)) {
    if (pod->labels().Get(kJobIndex) == index) return pod;
  }
  return nullptr;
}

// Its container exits with this code, and that is the end of the pod.
inline void ExitPod(TestCluster& cluster, const ObjectPtr& pod, int64_t code) {
  ASSERT_NE(pod, nullptr);
  const std::string now = FormatTime(cluster.timers.WallNow());
  cluster.Change(
      "", "pods", pod->name(),
      [&](Json& changed) {
        Json terminated{{"exitCode", Json::Int(code)}, {"finishedAt", Json::String(now)}};
        Json container{{"name", Json::String("main")}, {"image", Json::String("work")},
                       {"imageID", Json::String("")},  {"ready", Json::Bool(false)},
                       {"restartCount", Json::Int(0)}, {"state", Json{{"terminated", std::move(terminated)}}}};
        changed.Make("status").Set("phase", code == 0 ? "Succeeded" : "Failed");
        changed.Make("status").Set("containerStatuses", Json::MakeList({std::move(container)}));
      },
      "status");
}

}  // namespace berth::server
