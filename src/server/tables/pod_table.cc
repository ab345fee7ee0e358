// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "server/tables/cells.h"
#include "server/tables/printer.h"

namespace berth::server {
namespace {

// What the containers of a pod say together.
struct Summary {
  int64_t ready = 0;
  int64_t restarts = 0;
  Json last_restart;  // Null if there was none.
  std::string reason;
};

void CountRestarts(const Json& status, int64_t& restarts, Json& last_restart) {
  restarts += status["restartCount"].IntOr(0);
  const Json& finished = status["lastState"]["terminated"]["finishedAt"];
  // Timestamps of one spelling, so they sort as times.
  if (finished.is_string() && (last_restart.is_null() || last_restart.text() < finished.text()))
    last_restart = finished;
}

bool IsSidecar(const Json& pod, std::string_view container) {
  return std::ranges::any_of(pod["spec"]["initContainers"].items(), [&](const Json& init) {
    return init["name"].text() == container && init["restartPolicy"].text() == "Always";
  });
}

std::string TerminationReason(const Json& terminated) {
  if (!terminated["reason"].text().empty()) return terminated["reason"].text();
  if (const int64_t signal = terminated["signal"].IntOr(0); signal != 0) return fmt::format("Signal:{}", signal);
  return fmt::format("ExitCode:{}", terminated["exitCode"].IntOr(0));
}

// Why an init container keeps the pod from starting.
std::string InitReason(const Json& pod, const Json& state, size_t index) {
  if (state.Has("terminated")) return "Init:" + TerminationReason(state["terminated"]);
  const std::string& waiting = state["waiting"]["reason"].text();
  if (!waiting.empty() && waiting != "PodInitializing") return "Init:" + waiting;
  return fmt::format("Init:{}/{}", index, pod["spec"]["initContainers"].size());
}

// Looks at init containers up to the first that is not done. Whether there is one. The restarts of sidecars are counted
// apart, since they alone count once the pod has started.
bool SummarizeInit(const Json& pod, Summary& summary, Summary& sidecars) {
  const Json& statuses = pod["status"]["initContainerStatuses"];
  for (size_t i = 0; i < statuses.size(); ++i) {
    const Json& status = statuses[i];
    const bool is_sidecar = IsSidecar(pod, status["name"].text());
    CountRestarts(status, summary.restarts, summary.last_restart);
    if (is_sidecar) CountRestarts(status, sidecars.restarts, sidecars.last_restart);
    const Json& terminated = status["state"]["terminated"];
    if (terminated.is_map() && terminated["exitCode"].IntOr(0) == 0) continue;
    if (is_sidecar && status["started"].AsBool()) {
      if (status["ready"].AsBool()) ++summary.ready;
      continue;
    }
    summary.reason = InitReason(pod, status["state"], i);
    return true;
  }
  return false;
}

// From the last container to the first, so that the first has the last word.
void SummarizeContainers(const Json& pod, Summary& summary) {
  bool has_running = false;
  std::string error_reason;
  const Json::List& statuses = pod["status"]["containerStatuses"].items();
  for (auto status = statuses.rbegin(); status != statuses.rend(); ++status) {
    CountRestarts(*status, summary.restarts, summary.last_restart);
    const Json& state = (*status)["state"];
    if (!state["waiting"]["reason"].text().empty()) {
      summary.reason = state["waiting"]["reason"].text();
    } else if (state.Has("terminated")) {
      summary.reason = TerminationReason(state["terminated"]);
      if (state["terminated"]["exitCode"].IntOr(0) != 0) error_reason = summary.reason;
    } else if ((*status)["ready"].AsBool() && state.Has("running")) {
      has_running = true;
      ++summary.ready;
    }
  }
  if (summary.reason != "Completed") return;
  const bool is_ready = std::ranges::any_of(pod["status"]["conditions"].items(), [](const Json& condition) {
    return condition["type"].text() == "Ready" && condition["status"].text() == "True";
  });
  if (has_running && is_ready) {
    summary.reason = "Running";
  } else if (!error_reason.empty()) {
    summary.reason = error_reason;
  } else if (has_running) {
    summary.reason = "NotReady";
  }
}

bool IsGated(const Json& pod) {
  return std::ranges::any_of(pod["status"]["conditions"].items(), [](const Json& condition) {
    return condition["type"].text() == "PodScheduled" && condition["reason"].text() == "SchedulingGated";
  });
}

Summary Summarize(const Json& pod) {
  const Json& status = pod["status"];
  const std::string& phase = status["phase"].text();
  Summary summary;
  summary.reason = IsGated(pod) ? "SchedulingGated" : TextOr(status["reason"], phase);
  Summary sidecars;
  const bool is_initializing = SummarizeInit(pod, summary, sidecars);
  if (!is_initializing || IsTrue(status["conditions"], "Initialized")) {
    summary.restarts = sidecars.restarts;
    summary.last_restart = sidecars.last_restart;
    SummarizeContainers(pod, summary);
  }
  if (IsDeleted(pod)) {
    if (status["reason"].text() == "NodeLost") {
      summary.reason = "Unknown";
    } else if (phase != "Succeeded" && phase != "Failed") {
      summary.reason = "Terminating";
    }
  }
  return summary;
}

// Ordinary containers and sidecars.
size_t CountContainers(const Json& spec) {
  const auto sidecars = std::ranges::count_if(spec["initContainers"].items(), [](const Json& container) {
    return container["restartPolicy"].text() == "Always";
  });
  return spec["containers"].size() + static_cast<size_t>(sidecars);
}

std::string ReadinessGates(const Json& pod) {
  const Json::List& gates = pod["spec"]["readinessGates"].items();
  if (gates.empty()) return std::string(kNothing);
  const auto open = std::ranges::count_if(
      gates, [&](const Json& gate) { return IsTrue(pod["status"]["conditions"], gate["conditionType"].text()); });
  return fmt::format("{}/{}", open, gates.size());
}

Json::List PodCells(const Json& pod, Time now) {
  const Summary summary = Summarize(pod);
  std::string restarts = fmt::to_string(summary.restarts);
  if (summary.restarts != 0 && summary.last_restart.is_string()) {
    restarts += fmt::format(" ({} ago)", Since(summary.last_restart, now));
  }
  return Row(Name(pod), fmt::format("{}/{}", summary.ready, CountContainers(pod["spec"])), summary.reason, restarts,
             Age(pod, now), TextOr(pod["status"]["podIPs"][size_t{0}]["ip"], kNothing),
             TextOr(pod["spec"]["nodeName"], kNothing), TextOr(pod["status"]["nominatedNodeName"], kNothing),
             ReadinessGates(pod));
}

Json::List PodTemplateCells(const Json& object, Time) {
  const Json& pod = object["template"];
  const Json& containers = pod["spec"]["containers"];
  return Row(Name(object), ContainerNames(containers), ContainerImages(containers),
             FormatLabels(pod["metadata"]["labels"]));
}

}  // namespace

std::span<const Printer> PodPrinters() {
  static const std::vector<Printer> kPrinters = {
      {"",
       "pods",
       {kNameColumn,
        {"Ready"},
        {"Status"},
        {"Restarts"},
        kAgeColumn,
        {"IP", "string", 1},
        {"Node", "string", 1},
        {"Nominated Node", "string", 1},
        {"Readiness Gates", "string", 1}},
       PodCells},
      {"", "podtemplates", {kNameColumn, {"Containers"}, {"Images"}, {"Pod Labels"}}, PodTemplateCells},
  };
  return kPrinters;
}

}  // namespace berth::server
