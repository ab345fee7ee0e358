// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/pod_conditions.h"

#include <string>
#include <string_view>
#include <utility>

#include "server/kinds/pods/restart_policy.h"
#include "server/model/find_condition.h"
#include "server/nodes/container_statuses.h"
#include "server/objects/pod_actions.h"

namespace berth::server {
namespace {

// Of a condition that is not true; empty: it is.
struct Lack {
  std::string_view reason = {};
  std::string message = {};
};

class Names {
 public:
  void Add(const std::string& name) { list_ += (list_.empty() ? "" : " ") + name; }
  // Appends what is said of them, if there are any.
  void Tell(std::string_view what, std::string& message) const {
    if (list_.empty()) return;
    if (!message.empty()) message += ", ";
    message += std::string(what) + ": [" + list_ + "]";
  }

 private:
  std::string list_;
};

bool HasStarted(const Json& pod) {
  for (const Json& status : pod["status"]["containerStatuses"].items()) {
    if (!status["state"].Has("waiting") || !status["lastState"].empty()) return true;
  }
  return false;
}

Lack WhyNotInitialized(const Json& pod) {
  const Json& containers = pod["spec"]["initContainers"];
  if (containers.empty() || HasStarted(pod)) return {};
  Names incomplete;
  for (const Json& container : containers.items()) {
    const Json& status = FindStatus(pod["status"]["initContainerStatuses"], container["name"].text());
    if (!status[IsSidecar(container) ? "started" : "ready"].AsBool()) incomplete.Add(container["name"].text());
  }
  std::string message;
  incomplete.Tell("containers with incomplete status", message);
  if (message.empty()) return {};
  return {"ContainersNotInitialized", std::move(message)};
}

Lack WhyContainersNotReady(const Json& pod, std::string_view phase) {
  if (phase == "Succeeded") return {"PodCompleted"};
  if (phase == "Failed") return {"PodFailed"};
  Names unready;
  const auto look = [&](const Json& container, std::string_view statuses) {
    const std::string& name = container["name"].text();
    if (!FindStatus(pod["status"][statuses], name)["ready"].AsBool()) unready.Add(name);
  };
  for (const Json& container : pod["spec"]["initContainers"].items()) {
    if (IsSidecar(container)) look(container, "initContainerStatuses");
  }
  for (const Json& container : pod["spec"]["containers"].items()) look(container, "containerStatuses");
  std::string message;
  unready.Tell("containers with unready status", message);
  if (message.empty()) return {};
  return {"ContainersNotReady", std::move(message)};
}

Lack WhyGatesAreClosed(const Json& pod) {
  std::string message;
  for (const Json& gate : pod["spec"]["readinessGates"].items()) {
    const std::string& type = gate["conditionType"].text();
    const Json& condition = FindCondition(pod["status"]["conditions"], type);
    if (condition["status"].text() == "True") continue;
    if (!message.empty()) message += ", ";
    message += condition.is_null() ? "corresponding condition of pod readiness gate \"" + type + "\" does not exist."
                                   : "the status of pod readiness gate \"" + type + "\" is not \"True\", but " +
                                         condition["status"].text();
  }
  if (message.empty()) return {};
  return {"ReadinessGatesNotReady", std::move(message)};
}

// Pods that came in as they are may have no generation.
void SetObserved(Json& object, const Json& pod) {
  const Json& generation = pod["metadata"]["generation"];
  if (!generation.is_null()) object.Set("observedGeneration", generation);
}

void Set(Json& pod, std::string_view type, const Lack& lack, Time now, std::string_view reason_if_true = {}) {
  const bool is_true = lack.reason.empty();
  Json condition{{"type", Json::String(type)}, {"status", Json::String(is_true ? "True" : "False")}};
  if (const std::string_view reason = is_true ? reason_if_true : lack.reason; !reason.empty()) {
    condition.Set("reason", reason);
  }
  if (!lack.message.empty()) condition.Set("message", lack.message);
  SetObserved(condition, pod);
  SetPodCondition(pod, std::move(condition), now);
}

}  // namespace

void SetKubeletConditions(Json& pod, Time now) {
  const std::string phase = pod["status"]["phase"].text();
  const bool has_ended = phase == "Succeeded" || phase == "Failed";
  const bool has_sandbox = !pod["status"]["podIP"].text().empty() || phase == "Running";
  Lack sandbox;
  if (has_ended) sandbox = {"PodSandboxNotReady", "pod sandbox is not ready"};
  if (!has_ended && !has_sandbox) sandbox = {"PodSandboxNotReady", "no pod sandbox exists"};
  Set(pod, "PodReadyToStartContainers", sandbox, now);
  Set(pod, "Initialized", WhyNotInitialized(pod), now, phase == "Succeeded" ? "PodCompleted" : "");
  const Lack containers = WhyContainersNotReady(pod, phase);
  Set(pod, "Ready", containers.reason.empty() ? WhyGatesAreClosed(pod) : containers, now);
  Set(pod, "ContainersReady", containers, now);
  if (Json* scheduled = FindMutableCondition(pod.Make({"status", "conditions"}), "PodScheduled")) {
    SetObserved(*scheduled, pod);
  }
  SetObserved(pod.Make("status"), pod);
}

}  // namespace berth::server
