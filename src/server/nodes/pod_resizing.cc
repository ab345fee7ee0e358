// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/pod_resizing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "server/kinds/pods/container_resources.h"
#include "server/model/checks.h"
#include "server/model/find_condition.h"
#include "server/nodes/container_statuses.h"
#include "server/objects/pod_actions.h"

namespace berth::server {
namespace {

constexpr std::string_view kPending = "PodResizePending";
constexpr std::string_view kInProgress = "PodResizeInProgress";

struct Lists {
  std::string_view containers;
  std::string_view statuses;
};
constexpr std::array<Lists, 2> kLists = {
    {{"initContainers", "initContainerStatuses"}, {"containers", "containerStatuses"}}};

const Json& StatusOf(const Json& pod, const Json& container) {
  const std::string& name = container["name"].text();
  const Json& status = FindStatus(pod["status"]["containerStatuses"], name);
  return status.is_null() ? FindStatus(pod["status"]["initContainerStatuses"], name) : status;
}

void AddOwn(const Json& pod, const Json& pod_level, Amounts& total) {
  for (const auto& [name, amount] : ReadAmounts(pod_level)) {
    if (IsPodLevelResource(name)) total[name] = amount;
  }
  AddAmounts(total, ReadAmounts(pod["spec"]["overhead"]));
}

// Whether both come to the same, however they are written.
bool AreSame(const Json& left, const Json& right, std::string_view kind) {
  return left[kind] == right[kind] || ReadAmounts(left[kind]) == ReadAmounts(right[kind]);
}
bool AreSame(const Json& left, const Json& right) {
  return AreSame(left, right, "requests") && AreSame(left, right, "limits");
}

template <class Visit>
void ForEachStatus(Json& pod, Visit visit) {
  for (const auto& [containers, statuses] : kLists) {
    if (!pod["status"][statuses].is_list()) continue;
    const Json all = pod["spec"][containers];
    Json::List& list = pod.Make({"status", statuses}).mutable_items();
    for (const Json& container : all.items()) {
      Json* status = FindStatus(list, container["name"].text());
      if (status != nullptr && status->Has("resources")) visit(container, *status);
    }
  }
}

void Erase(Json& pod, std::string_view type) {
  if (FindCondition(pod["status"]["conditions"], type).is_null()) return;
  Json::List& conditions = pod.Make({"status", "conditions"}).mutable_items();
  std::erase_if(conditions, [&](const Json& condition) { return condition["type"].text() == type; });
}

Json ConditionOf(const Json& pod, std::string_view type) {
  return Json{{"type", Json::String(type)},
              {"status", Json::String("True")},
              {"observedGeneration", pod["metadata"]["generation"]}};
}

api::Quantity AmountOf(std::string_view resource, const Amounts& amounts) {
  const auto found = amounts.find(resource);
  return found == amounts.end() ? api::Quantity() : found->second;
}

bool StartsAgain(const Json& container, const Json& had) {
  const auto has_changed = [&](std::string_view kind, const std::string& name) {
    return AmountOf(name, ReadAmounts(container["resources"][kind])) != AmountOf(name, ReadAmounts(had[kind]));
  };
  return std::ranges::any_of(container["resizePolicy"].items(), [&](const Json& policy) {
    const std::string& name = policy["resourceName"].text();
    return policy["restartPolicy"].text() == "RestartContainer" &&
           (has_changed("requests", name) || has_changed("limits", name));
  });
}

// As schedulers count it.
int64_t UnitsOf(std::string_view resource, const Amounts& amounts) {
  const api::Quantity amount = AmountOf(resource, amounts);
  return resource == "cpu" ? amount.MilliValue() : amount.Value();
}

bool NeedsMore(const Json& pod) {
  const Amounts granted = GrantedRequests(pod);
  const Amounts wanted = WantedRequests(pod);
  return std::ranges::any_of(std::array<std::string_view, 2>{"cpu", "memory"}, [&](std::string_view resource) {
    return AmountOf(resource, wanted).Cmp(AmountOf(resource, granted)) > 0;
  });
}

}  // namespace

Amounts WantedRequests(const Json& pod) {
  Amounts total = AggregateAmounts(pod["spec"], "requests");
  AddOwn(pod, pod["spec"]["resources"]["requests"], total);
  return total;
}

Amounts GrantedRequests(const Json& pod) {
  Amounts total = AggregateAmounts(pod["spec"], [&](const Json& container) {
    const Json& status = StatusOf(pod, container);
    return ReadAmounts(status.Has("resources") ? status["allocatedResources"] : container["resources"]["requests"]);
  });
  const Json& status = pod["status"];
  const bool is_told = status.Has("resources");
  if (pod["spec"].Has("resources")) {
    AddOwn(pod, is_told ? status["allocatedResources"] : pod["spec"]["resources"]["requests"], total);
  } else {
    AddOwn(pod, Json(), total);
  }
  return total;
}

bool AwaitsResize(const Json& pod) {
  for (const auto& [containers, statuses] : kLists) {
    for (const Json& container : pod["spec"][containers].items()) {
      const Json& status = FindStatus(pod["status"][statuses], container["name"].text());
      if (status.Has("resources") && !AreSame(container["resources"], status["resources"])) return true;
    }
  }
  const Json* own = pod["status"].Find("resources");
  return own != nullptr && pod["spec"].Has("resources") && !AreSame(pod["spec"]["resources"], *own);
}

bool IsResizeGranted(const Json& pod) {
  const Json& progress = FindCondition(pod["status"]["conditions"], kInProgress);
  return !progress.is_null() && progress["observedGeneration"] == pod["metadata"]["generation"];
}

bool TellsOfResize(const Json& pod) {
  const Json& conditions = pod["status"]["conditions"];
  return !FindCondition(conditions, kPending).is_null() || !FindCondition(conditions, kInProgress).is_null();
}

NoRoom FindRoom(const Json& allocatable, const Amounts& others, const Amounts& wanted) {
  const Amounts capacity = ReadAmounts(allocatable);
  for (const std::string_view resource : {"cpu", "memory"}) {
    api::Quantity total = AmountOf(resource, others);
    total.Add(AmountOf(resource, wanted));
    if (AmountOf(resource, wanted).IsZero() || total.Cmp(AmountOf(resource, capacity)) <= 0) continue;
    return {resource == "cpu" ? "OutOfcpu" : "OutOfmemory",
            fmt::format("Node didn't have enough resource: {}, requested: {}, used: {}, capacity: {}", resource,
                        UnitsOf(resource, wanted), UnitsOf(resource, others), UnitsOf(resource, capacity))};
  }
  return {};
}

void DeferResize(Json& pod, const std::string& message, Time now) {
  Json condition = ConditionOf(pod, kPending);
  condition.Set("reason", "Deferred");
  condition.Set("message", message);
  SetPodCondition(pod, std::move(condition), now);
}

void GrantResize(Json& pod, Time now) {
  Erase(pod, kPending);
  Erase(pod, kInProgress);
  SetPodCondition(pod, ConditionOf(pod, kInProgress), now);
  ForEachStatus(pod, [](const Json& container, Json& status) {
    const Json resources = status["resources"];
    GiveResources(status, container);
    status.Set("resources", resources);
  });
  if (pod["spec"].Has("resources")) {
    const Json requests = pod["spec"]["resources"]["requests"];
    if (!requests.is_null()) pod.Make("status").Set("allocatedResources", requests);
  }
}

void FinishResize(Json& pod, Time now) {
  const std::string when = FormatTime(now);
  Erase(pod, kInProgress);
  ForEachStatus(pod, [&](const Json& container, Json& status) {
    const Json had = status["resources"];
    GiveResources(status, container);
    const std::string started = status["state"]["running"]["startedAt"].text();
    if (started.empty() || !StartsAgain(container, had)) return;
    const bool was_ready = status["ready"].AsBool();
    SetTerminated(status, {.exit_code = kKilledExitCode, .started = started, .finished = when}, false);
    SetRunning(status, container, when, was_ready);
  });
  if (pod["status"].Has("resources")) pod.Make("status").Set("resources", pod["spec"]["resources"]);
}

void ForgetResize(Json& pod) {
  Erase(pod, kPending);
  Erase(pod, kInProgress);
  ForEachStatus(pod, [](const Json& container, Json& status) { GiveResources(status, container); });
}

std::string ResizeMessage(const Json& pod, std::string_view how, const std::string& error) {
  // In the order in which upstream writes the members.
  std::string text = fmt::format("Pod resize {}: {{", how);
  for (const auto& [containers, statuses] : kLists) {
    if (pod["spec"][containers].empty()) continue;
    Json list = Json::MakeList();
    for (const Json& container : pod["spec"][containers].items()) {
      const Json& resources = container["resources"];
      list.Append(Json{{"name", container["name"]}, {"resources", resources.is_null() ? Json::MakeMap() : resources}});
    }
    text += fmt::format("\"{}\":{},", containers, list.ToText());
  }
  text += fmt::format("\"generation\":{}", pod["metadata"]["generation"].IntOr(0));
  if (!error.empty()) text += fmt::format(",\"error\":{}", Json::String(error).ToText());
  return text + "}";
}

bool IsServedBefore(const Json& left, const Json& right) {
  const auto rank = [](const Json& pod) {
    const bool is_guaranteed = pod["status"]["qosClass"].text() == "Guaranteed";
    const Json& pending = FindCondition(pod["status"]["conditions"], kPending);
    return std::tuple(NeedsMore(pod), ~pod["spec"]["priority"].IntOr(0), !is_guaranteed,
                      pending["lastTransitionTime"].text());
  };
  return rank(left) < rank(right);
}

}  // namespace berth::server
