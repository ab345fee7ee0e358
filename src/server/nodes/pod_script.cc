// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/pod_script.h"

#include <algorithm>
#include <charconv>

#include "server/kinds/pods/life_annotations.h"
#include "server/kinds/pods/restart_policy.h"

namespace berth::server {
namespace {

// What a container does is done by then if nothing else is known; and it is seen Running before it ends.
constexpr Duration kRuns = Seconds(1);
constexpr Duration kForEver{INT64_MAX};

struct Line {
  std::string_view annotation;
  Duration PodScript::* span;
};
constexpr Line kLines[] = {
    {kStartAfter, &PodScript::start_after},         {kInitFor, &PodScript::init_for},
    {kReadyAfter, &PodScript::ready_after},         {kExitAfter, &PodScript::exit_after},
    {kTerminateAfter, &PodScript::terminate_after},
};

// Pods that came in unchecked may have annotations that say nothing.
Duration ReadSpan(const std::string& text) {
  const Duration span = ParseDuration(text).value_or(Duration{});
  return std::max(span, Duration{});
}

bool BelongsToJob(const Json& pod) {
  return std::ranges::any_of(pod["metadata"]["ownerReferences"].items(),
                             [](const Json& owner) { return owner["kind"].text() == "Job"; });
}

bool AllExitForGood(const Json& pod, const PodScript& script) {
  const Json& spec = pod["spec"];
  return std::ranges::all_of(spec["containers"].items(), [&](const Json& container) {
    const std::optional<PodScript::Exit> exit = script.ExitOf(container["name"].text());
    return exit && !MayRestart(container, spec["restartPolicy"].text(), exit->code);
  });
}

void ReadCommand(const Json& spec, const Json& container, PodScript& script) {
  if (!script.obeys_commands) return;
  std::optional<ContainerCommand> command = ReadContainerCommand(container);
  if (!command) return;
  // Nobody but the first process is deaf.
  const bool is_first = !spec["shareProcessNamespace"].AsBool() && !spec["hostPID"].AsBool();
  if (!is_first || script.is_stop_told) command->heeds_signals = true;
  if (command->runs) command->runs = std::max(*command->runs, kRuns);
  script.commands.emplace(container["name"].text(), *command);
}

void ReadCommands(const Json& pod, PodScript& script) {
  for (const Json& container : pod["spec"]["containers"].items()) ReadCommand(pod["spec"], container, script);
  if (!BelongsToJob(pod)) return;
  if (script.commands.empty()) {
    script.end_after = kRuns;
    return;
  }
  for (const Json& container : pod["spec"]["containers"].items()) {
    script.commands.try_emplace(container["name"].text(), ContainerCommand{.runs = kRuns, .heeds_signals = true});
  }
}

void ReadInitCommands(const Json& pod, PodScript& script) {
  for (const Json& container : pod["spec"]["initContainers"].items()) {
    if (!IsSidecar(container)) ReadCommand(pod["spec"], container, script);
  }
}

// How long a running container is kept from stopping.
Duration HookOf(const Json& container, bool obeys_commands) {
  const Json& hook = container["lifecycle"]["preStop"];
  if (hook.is_null()) return {};
  if (hook.Has("sleep")) return Seconds(hook["sleep"]["seconds"].IntOr(0));
  if (!obeys_commands) return {};
  const auto command = ReadContainerCommand(Json{{"command", hook["exec"]["command"]}});
  return command ? command->runs.value_or(kForEver) : Duration{};
}

}  // namespace

std::optional<PodScript::Exit> PodScript::ExitOf(std::string_view container) const {
  if (exit_after > Duration{}) return Exit{.after = exit_after, .code = exit_code};
  const auto known = commands.find(container);
  if (known == commands.end() || !known->second.runs) return std::nullopt;
  return Exit{.after = *known->second.runs, .code = known->second.exit_code};
}

std::optional<PodScript::Exit> PodScript::ExitOfInit(std::string_view container) const {
  const auto known = commands.find(container);
  if (known == commands.end()) return Exit{.after = init_for};
  if (!known->second.runs) return std::nullopt;
  return Exit{.after = *known->second.runs, .code = known->second.exit_code};
}

bool PodScript::times_containers() const {
  if (init_for > Duration{} || ready_after > Duration{} || exit_after > Duration{}) return true;
  return std::ranges::any_of(commands, [](const auto& each) { return each.second.runs.has_value(); });
}

PodScript ScriptOf(const Json& pod, PodScript script) {
  Duration completes{};
  Duration fails{};
  for (const Json::Member& annotation : pod["metadata"]["annotations"].members()) {
    const std::string& name = annotation.name;
    if (!name.starts_with(kLifePrefix)) continue;
    const std::string& text = annotation.value.text();
    for (const Line& line : kLines) {
      if (name == line.annotation) script.*line.span = ReadSpan(text);
    }
    if (name == kTerminateAfter) script.is_stop_told = true;
    if (name == kCompleteAfter) completes = ReadSpan(text);
    if (name == kFailAfter) fails = ReadSpan(text);
    if (name == kExitCode) std::from_chars(text.data(), text.data() + text.size(), script.exit_code);
  }
  script.exit_code = std::clamp<int64_t>(script.exit_code, 0, 255);
  if (completes > Duration{} || fails > Duration{}) {
    script.fails = fails > Duration{};
    script.end_after = script.fails ? fails : completes;
  }
  const bool has_end = script.end_after > Duration{} || script.exit_after > Duration{};
  if (!has_end) ReadCommands(pod, script);
  if (script.init_for == Duration{}) ReadInitCommands(pod, script);
  if (pod["status"]["phase"].text() != "Running") return script;
  for (const Json& container : pod["spec"]["containers"].items()) {
    script.terminate_after = std::max(script.terminate_after, HookOf(container, script.obeys_commands));
  }
  return script;
}

bool EndsOfItself(const Json& pod, const PodScript& script) {
  if (script.end_after > Duration{} || pod["spec"].Has("activeDeadlineSeconds")) return true;
  return AllExitForGood(pod, script);
}

}  // namespace berth::server
