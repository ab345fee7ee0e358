// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/jobs/job_failure_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace berth::server {
namespace {

bool MatchesExitCode(const Json& rule, int64_t code) {
  const bool is_listed =
      std::ranges::any_of(rule["values"].items(), [&](const Json& value) { return value.AsInt() == code; });
  const std::string& op = rule["operator"].text();
  return (op == "In" && is_listed) || (op == "NotIn" && !is_listed);
}

// The first container that ended in a way that the rule is about; null if none did.
const Json& ContainerThatMatches(const Json& rule, const Json& status) {
  static const Json kNone;
  const Json* name = rule.Find("containerName");
  for (const std::string_view list : {"containerStatuses", "initContainerStatuses"}) {
    for (const Json& container : status[list].items()) {
      const int64_t code = container["state"]["terminated"]["exitCode"].IntOr(0);
      if (name != nullptr && name->text() != container["name"].text()) continue;
      if (code != 0 && MatchesExitCode(rule, code)) return container;
    }
  }
  return kNone;
}

// The first condition of the pod that is among those of the rule; null if none is.
const Json& ConditionThatMatches(const Json& patterns, const Json& status) {
  static const Json kNone;
  for (const Json& condition : status["conditions"].items()) {
    const bool matches = std::ranges::any_of(patterns.items(), [&](const Json& pattern) {
      return pattern["type"] == condition["type"] && pattern["status"] == condition["status"];
    });
    if (matches) return condition;
  }
  return kNone;
}

// What about the pod the rule is about, in the words of a Job that fails for it; "": nothing.
std::string MatchOf(const Json& rule, const Json& pod) {
  const std::string& ns = pod["metadata"]["namespace"].text();
  const std::string& name = pod["metadata"]["name"].text();
  if (rule.Has("onExitCodes")) {
    const Json& container = ContainerThatMatches(rule["onExitCodes"], pod["status"]);
    if (container.is_null()) return {};
    return fmt::format("Container {} for pod {}/{} failed with exit code {}", container["name"].text(), ns, name,
                       container["state"]["terminated"]["exitCode"].text());
  }
  const Json& condition = ConditionThatMatches(rule["onPodConditions"], pod["status"]);
  return condition.is_null() ? "" : fmt::format("Pod {}/{} has condition {}", ns, name, condition["type"].text());
}

}  // namespace

FailureVerdict JudgeFailure(const Json& policy, const Json& pod) {
  const Json::List& rules = policy["rules"].items();
  for (size_t i = 0; i < rules.size(); ++i) {
    const std::string match = MatchOf(rules[i], pod);
    if (match.empty()) continue;
    const std::string& action = rules[i]["action"].text();
    if (action == "Ignore") return {.counts = false};
    if (action == "Count") return {};
    if (action == "FailIndex") return {.fails_index = true};
    if (action == "FailJob") return {.fails_job = fmt::format("{} matching FailJob rule at index {}", match, i)};
  }
  return {};
}

}  // namespace berth::server
