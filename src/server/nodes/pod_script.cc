// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/pod_script.h"

#include <algorithm>
#include <charconv>

#include "server/kinds/pods/life_annotations.h"
#include "server/kinds/pods/restart_policy.h"

namespace berth::server {
namespace {

// A Job's pod is seen Running before it ends.
constexpr Duration kJobPodRuns = Seconds(1);

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

bool AllExitForGood(const Json& pod, int64_t exit_code) {
  const Json& spec = pod["spec"];
  return std::ranges::none_of(spec["containers"].items(), [&](const Json& container) {
    return MayRestart(container, spec["restartPolicy"].text(), exit_code);
  });
}

}  // namespace

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
  if (!has_end && BelongsToJob(pod)) script.end_after = kJobPodRuns;
  return script;
}

Duration StopOf(const Json& pod, const PodScript& script) {
  Duration stop = script.terminate_after;
  if (pod["status"]["phase"].text() != "Running") return stop;
  for (const Json& container : pod["spec"]["containers"].items()) {
    stop = std::max(stop, Seconds(container["lifecycle"]["preStop"]["sleep"]["seconds"].IntOr(0)));
  }
  return stop;
}

bool EndsOfItself(const Json& pod, const PodScript& script) {
  if (script.end_after > Duration{} || pod["spec"].Has("activeDeadlineSeconds")) return true;
  return script.exit_after > Duration{} && AllExitForGood(pod, script.exit_code);
}

}  // namespace berth::server
