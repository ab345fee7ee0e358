// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/restart_policy.h"

#include <algorithm>
#include <string>

namespace berth::server {
namespace {

bool Matches(const Json& rule, int64_t exit_code) {
  const Json& codes = rule["exitCodes"];
  const bool is_listed =
      std::ranges::any_of(codes["values"].items(), [&](const Json& value) { return value.AsInt() == exit_code; });
  const std::string& op = codes["operator"].text();
  return (op == "In" && is_listed) || (op == "NotIn" && !is_listed);
}

}  // namespace

bool MayRestart(const Json& container, std::string_view pod_policy, int64_t exit_code) {
  const Json::List& rules = container["restartPolicyRules"].items();
  if (container.Has("restartPolicy")) {
    if (std::ranges::any_of(rules, [&](const Json& rule) { return Matches(rule, exit_code); })) return true;
    pod_policy = container["restartPolicy"].text();
  }
  if (pod_policy == "Never") return false;
  return pod_policy != "OnFailure" || exit_code != 0;
}

}  // namespace berth::server
