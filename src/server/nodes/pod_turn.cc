// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/pod_turn.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "server/kinds/pods/restart_policy.h"
#include "server/nodes/image.h"
#include "server/nodes/pod_conditions.h"
#include "server/objects/pod_actions.h"

namespace berth::server {
namespace {

constexpr Duration kFirstDelay = Seconds(10);
constexpr Duration kLongestDelay = Minutes(5);

constexpr std::string_view kCrashLoop = "CrashLoopBackOff";
constexpr std::string_view kPullBackOff = "ImagePullBackOff";

constexpr std::string_view kOverdue = "Pod was active on the node longer than the specified deadline";

constexpr std::array<std::string_view, 3> kStatusLists = {"initContainerStatuses", "containerStatuses",
                                                          "ephemeralContainerStatuses"};

Json Addresses(const std::string& address) {
  Json list = Json::MakeList();
  list.Append(Json{{"ip", Json::String(address)}});
  return list;
}

}  // namespace

PodTurn::PodTurn(Json pod, const PodScript& script, PodMemory& memory, Time now, bool tells)
    : pod_(std::move(pod)),
      spec_(pod_["spec"]),
      script_(script),
      memory_(memory),
      now_(now),
      when_(FormatTime(now)),
      policy_(spec_["restartPolicy"].text()),
      tells_(tells) {}

void PodTurn::Admit(const std::string& host) {
  has_changed_ = true;
  Json& status = pod_.Make("status");
  status.SetDefault("startTime", Json::String(when_));
  if (!host.empty()) {
    status.Set("hostIP", host);
    status.Set("hostIPs", Addresses(host));
  }
  AddStatuses("initContainers", "initContainerStatuses");
  AddStatuses("containers", "containerStatuses");
}

void PodTurn::AddStatuses(std::string_view containers, std::string_view statuses) {
  if (spec_[containers].empty()) return;
  const std::string_view reason = spec_["initContainers"].empty() ? "ContainerCreating" : "PodInitializing";
  Json& list = pod_.Make({"status", statuses});
  for (const Json& container : spec_[containers].items()) {
    if (FindStatus(std::as_const(list), container["name"].text()).is_null()) {
      list.Append(WaitingStatus(container, reason));
    }
  }
}

void PodTurn::LackHandler(std::string_view handler) {
  IsDue(now_ + kFirstDelay);
  if (!has_changed_) return;  // It was told when the pod was taken in.
  Tell("Warning", "FailedCreatePodSandBox",
       fmt::format("Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox runtime: no "
                   "runtime for \"{}\" is configured",
                   handler),
       Json());
}

void PodTurn::Start(const std::string& address) {
  has_changed_ = true;
  if (!address.empty()) {
    Json& status = pod_.Make("status");
    status.Set("podIP", address);
    status.Set("podIPs", Addresses(address));
  }
  if (const Json& resources = spec_["resources"]; !resources.is_null()) {
    Json& status = pod_.Make("status");
    status.Set("resources", resources);
    if (resources.Has("requests")) status.Set("allocatedResources", resources["requests"]);
  }
  for (const Json& gate : spec_["readinessGates"].items()) {
    SetPodCondition(pod_, Json{{"type", gate["conditionType"]}, {"status", Json::String("True")}}, now_);
  }
}

void PodTurn::Advance() {
  if (!Initialize()) return;
  if (script_.end_after > Duration{} && pod_["status"]["phase"].text() == "Running" &&
      IsDue(Started() + script_.end_after)) {
    TerminateAll(script_.fails ? std::max<int64_t>(script_.exit_code, 1) : 0);
    return End(script_.fails);
  }
  if (!pod_["status"]["containerStatuses"].is_list()) return;  // As it may be of pods from elsewhere.
  Json::List& statuses = Statuses("containerStatuses");
  for (const Json& container : spec_["containers"].items()) {
    if (Json* status = FindStatus(statuses, container["name"].text())) AdvanceContainer(container, *status);
  }
  if (const std::optional<bool> has_failed = HasFailed()) End(*has_failed);
}

bool PodTurn::Initialize() {
  if (spec_["initContainers"].empty() || !pod_["status"]["initContainerStatuses"].is_list()) return true;
  Json::List& statuses = Statuses("initContainerStatuses");
  for (const Json& container : spec_["initContainers"].items()) {
    Json* status = FindStatus(statuses, container["name"].text());
    if (status == nullptr) continue;
    if (!IsSidecar(container)) {
      if (!AdvanceInit(container, *status)) return false;
    } else if (!(*status)["state"].Has("terminated")) {
      if (!(*status)["state"].Has("running")) Run(container, *status, script_.ready_after == Duration{});
      MakeReady(*status);
    }
  }
  return true;
}

bool PodTurn::AdvanceInit(const Json& container, Json& status) {
  const Json& state = status["state"];
  if (const Json* ended = state.Find("terminated")) {
    const int64_t code = (*ended)["exitCode"].IntOr(0);
    if (code == 0) return true;
    if (MayRestart(container, policy_, code)) {
      TryAgain(container, status, false);
    } else {
      End(true);
    }
    return false;
  }
  if (!status["lastState"].empty() && !state.Has("running")) {
    TryAgain(container, status, false);
    return false;
  }
  if (!state.Has("running")) Run(container, status, false);
  const std::optional<PodScript::Exit> exit = script_.ExitOfInit(container["name"].text());
  if (!exit || !IsDue(Since(status) + exit->after)) return false;
  Terminate(status, exit->code, exit->code == 0);
  return exit->code == 0;
}

void PodTurn::AdvanceContainer(const Json& container, Json& status) {
  const Json& state = status["state"];
  if (state.Has("running")) {
    const std::optional<PodScript::Exit> exit = script_.ExitOf(container["name"].text());
    if (exit && IsDue(Since(status) + exit->after)) return Terminate(status, exit->code, false);
    return MakeReady(status);
  }
  if (const Json* ended = state.Find("terminated")) {
    if (!MayRestart(container, policy_, (*ended)["exitCode"].IntOr(0))) return;
  } else if (status["lastState"].empty()) {
    return Run(container, status, script_.ready_after == Duration{});
  }
  TryAgain(container, status, script_.ready_after == Duration{});
}

void PodTurn::TryAgain(const Json& container, Json& status, bool is_ready) {
  const Time finished = Since(status);
  PodMemory::Container& own = memory_.containers[container["name"].text()];
  const bool is_first = own.delay == Duration{} || finished - own.delayed > kLongestDelay * 2;
  if (!is_first && !IsDue(finished + own.delay)) {
    if (status["state"].Has("waiting")) return;
    has_changed_ = true;
    const Json& metadata = pod_["metadata"];
    const std::string& name = container["name"].text();
    const std::string pod =
        fmt::format("{}_{}({})", metadata["name"].text(), metadata["namespace"].text(), metadata["uid"].text());
    Tell("Warning", "BackOff", fmt::format("Back-off restarting failed container {} in pod {}", name, pod), status);
    return SetBackOff(
        status, kCrashLoop,
        fmt::format("back-off {} restarting failed container={} pod={}", FormatDuration(own.delay), name, pod));
  }
  own.delay = is_first ? kFirstDelay : std::min(own.delay * 2, kLongestDelay);
  own.delayed = now_;
  Run(container, status, is_ready);
}

void PodTurn::MakeReady(Json& status) {
  if (status["ready"].AsBool() || !IsDue(Since(status) + script_.ready_after)) return;
  has_changed_ = true;
  status.Set("ready", Json::Bool(true));
}

void PodTurn::FailPull(const Json& container, Json& status) {
  if (status["state"]["waiting"]["reason"].text() == kPullBackOff) return;
  has_changed_ = true;
  const std::string& image = container["image"].text();
  Tell("Normal", "Pulling", fmt::format("Pulling image \"{}\"", image), status);
  Tell("Warning", "Failed", fmt::format("Failed to pull image \"{}\": not found", image), status);
  Tell("Warning", "Failed", "Error: ErrImagePull", status);
  SetBackOff(status, kPullBackOff, fmt::format("Back-off pulling image \"{}\": ErrImagePull: not found", image));
}

void PodTurn::Run(const Json& container, Json& status, bool is_ready) {
  if (!IsPullable(container["image"].text())) return FailPull(container, status);
  has_changed_ = true;
  SetRunning(status, container, when_, is_ready);
  Note(status);
  if (!tells_) return;
  Tell("Normal", "Pulled",
       fmt::format("Container image \"{}\" already present on machine and can be accessed by the pod",
                   container["image"].text()),
       status);
  Tell("Normal", "Created", "Container created", status);
  Tell("Normal", "Started", "Container started", status);
}

void PodTurn::Terminate(Json& status, int64_t exit_code, bool is_ready) {
  has_changed_ = true;
  const std::string started = status["state"]["running"]["startedAt"].text();
  SetTerminated(status, {.exit_code = exit_code, .started = started, .finished = when_}, is_ready);
  Note(status);
}

void PodTurn::Note(const Json& status) {
  if (!script_.takes_time()) return;
  if (!memory_.started) memory_.started = now_;
  if (script_.times_containers()) memory_.containers[status["name"].text()].since = now_;
}

void PodTurn::Restart(const Json& container, Json& status) {
  Tell("Normal", "Killing", fmt::format("Container {} definition changed, will be restarted", container["name"].text()),
       status);
  Terminate(status, kKilledExitCode, false);
  Run(container, status, script_.ready_after == Duration{});
}

void PodTurn::TerminateAll(int64_t exit_code) {
  for (const std::string_view list : kStatusLists) {
    if (!pod_["status"][list].is_list()) continue;
    for (Json& status : Statuses(list)) {
      if (status["state"].Has("running")) Terminate(status, exit_code, false);
    }
  }
}

void PodTurn::Observe() {
  has_changed_ = true;  // Which generation was seen.
  for (const Json& container : spec_["ephemeralContainers"].items()) {
    Json& list = pod_.Make({"status", "ephemeralContainerStatuses"});
    if (!FindStatus(std::as_const(list), container["name"].text()).is_null()) continue;
    Run(container, list.Append(WaitingStatus(container, "ContainerCreating")), false);
  }
  if (!pod_["status"]["containerStatuses"].is_list()) return;
  Json::List& statuses = Statuses("containerStatuses");
  for (const Json& container : spec_["containers"].items()) {
    Json* status = FindStatus(statuses, container["name"].text());
    if (status == nullptr || !(*status)["state"].Has("running")) continue;
    // Kubelets of other clusters, from which the pod may come, write the names of images in full.
    if (!(*status)["image"].text().ends_with(container["image"].text())) Restart(container, *status);
  }
}

void PodTurn::EndIfOverdue() {
  const std::optional<int64_t> limit = spec_["activeDeadlineSeconds"].AsInt();
  const Result<Time> start = ParseTime(pod_["status"]["startTime"].text());
  if (!limit || !start || !IsDue(*start + Seconds(*limit))) return;
  Tell("Normal", "DeadlineExceeded", std::string(kOverdue), Json());
  Kill("DeadlineExceeded", kOverdue);
}

void PodTurn::Evict(std::string_view message) {
  Tell("Warning", "Evicted", std::string(message), Json());
  SetPodCondition(pod_,
                  Json{{"type", Json::String("DisruptionTarget")},
                       {"status", Json::String("True")},
                       {"reason", Json::String("TerminationByKubelet")},
                       {"message", Json::String(message)}},
                  now_);
  Kill("Evicted", message);
}

void PodTurn::Kill(std::string_view reason, std::string_view message) {
  TellOfStop();
  TerminateAll(kKilledExitCode);
  Json& status = pod_.Make("status");
  status.Set("reason", reason);
  status.Set("message", message);
  End(true);
}

void PodTurn::TellOfStop() {
  if (!tells_) return;
  for (const std::string_view list : kStatusLists) {
    for (const Json& status : pod_["status"][list].items()) {
      if (!status["state"].Has("running")) continue;
      Tell("Normal", "Killing", "Stopping container " + status["name"].text(), status);
    }
  }
}

Time PodTurn::RunsTill() const {
  Time till;
  for (const Json& status : pod_["status"]["containerStatuses"].items()) {
    const auto known = script_.commands.find(status["name"].text());
    if (known == script_.commands.end() || known->second.heeds_signals || !status["state"].Has("running")) continue;
    till = std::max(till, known->second.runs ? Since(status) + *known->second.runs : Time{INT64_MAX});
  }
  return till;
}

void PodTurn::Stop(int64_t exit_code) {
  bool has_failed = exit_code != 0;
  if (pod_["status"]["containerStatuses"].is_list()) {
    for (Json& status : Statuses("containerStatuses")) {
      const std::optional<PodScript::Exit> exit = script_.ExitOf(status["name"].text());
      if (!exit || !status["state"].Has("running") || !IsDue(Since(status) + exit->after)) continue;
      Terminate(status, exit->code, false);
      has_failed |= exit->code != 0;
    }
  }
  TerminateAll(exit_code);
  End(has_failed);
}

void PodTurn::End(bool has_failed) {
  has_changed_ = true;
  TerminateAll(0);  // Sidecars, which end with the others.
  pod_.Make("status").Set("phase", has_failed ? "Failed" : "Succeeded");
}

std::optional<bool> PodTurn::HasFailed() const {
  bool has_failed = false;
  for (const Json& container : spec_["containers"].items()) {
    const Json& status = FindStatus(pod_["status"]["containerStatuses"], container["name"].text());
    const Json* ended = status["state"].Find("terminated");
    if (ended == nullptr) return std::nullopt;
    const int64_t code = (*ended)["exitCode"].IntOr(0);
    if (MayRestart(container, policy_, code)) return std::nullopt;
    has_failed |= code != 0;
  }
  return has_failed;
}

Time PodTurn::Since(const Json& status) const {
  const auto known = memory_.containers.find(status["name"].text());
  if (known != memory_.containers.end() && known->second.since) return *known->second.since;
  const Json& state = status["state"];
  const Json& ended = state.Has("waiting") ? status["lastState"]["terminated"] : state["terminated"];
  const Json& since = state.Has("running") ? state["running"]["startedAt"] : ended["finishedAt"];
  return ParseTime(since.text()).value_or(now_);
}

Time PodTurn::Started() const {
  if (memory_.started) return *memory_.started;
  const Json& first = pod_["status"]["containerStatuses"][size_t{0}]["state"]["running"]["startedAt"];
  const std::string& since = first.text().empty() ? pod_["status"]["startTime"].text() : first.text();
  return ParseTime(since).value_or(now_);
}

bool PodTurn::IsDue(Time when) {
  if (when <= now_) return true;
  if (!next_ || when < *next_) next_ = when;
  return false;
}

// Of the container with this status, or of the whole pod if there is none.
void PodTurn::Tell(std::string_view type, std::string_view reason, std::string message, const Json& status) {
  if (!tells_) return;
  const std::string& name = status["name"].text();
  const auto is_named = [&](const Json& container) { return container["name"].text() == name; };
  std::string field;
  for (const std::string_view list : {"containers", "initContainers", "ephemeralContainers"}) {
    if (name.empty() || std::ranges::none_of(spec_[list].items(), is_named)) continue;
    field = fmt::format("spec.{}{{{}}}", list, name);
    break;
  }
  notices_.push_back({.type = type, .reason = reason, .message = std::move(message), .field = std::move(field)});
}

std::optional<Duration> PodTurn::again() const { return next_ ? std::optional(*next_ - now_) : std::nullopt; }

Json PodTurn::Conclude() {
  const std::string& phase = pod_["status"]["phase"].text();
  if (phase != "Succeeded" && phase != "Failed" && pod_["status"]["containerStatuses"].is_list()) {
    const bool has_started = std::ranges::any_of(pod_["status"]["containerStatuses"].items(), [](const Json& status) {
      return !status["state"].Has("waiting") || !status["lastState"].empty();
    });
    pod_.Make("status").Set("phase", has_started ? "Running" : "Pending");
  }
  SetKubeletConditions(pod_, now_);
  return pod_;
}

}  // namespace berth::server
