// SPDX-License-Identifier: Apache-2.0
// PolicyRule: a rule of a role: which verbs are allowed on which resources or paths.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/access/attributes.h"
#include "server/model/json.h"

namespace berth::server {

// Of roles and bindings.
inline constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";

struct PolicyRule {
  std::vector<std::string> verbs;
  std::vector<std::string> groups;
  std::vector<std::string> resources;
  std::vector<std::string> names;  // Empty: all.
  std::vector<std::string> urls;   // With `*` at their end for all that begin so.

  bool operator==(const PolicyRule&) const = default;
};
using PolicyRules = std::vector<PolicyRule>;

// Of a Role or ClusterRole.
PolicyRules ReadRules(const Json& role);

bool Allows(const PolicyRule& rule, const Attributes& attributes);

// What of `asked` is not allowed by `held`, one line for each resource and each path, sorted and with line breaks
// between them; "" if all of it is. Nothing: the rules have too many combinations to tell.
// Cost: the combinations of what is asked times the rules that are held, bounded.
std::optional<std::string> Missing(const PolicyRules& held, const PolicyRules& asked);

}  // namespace berth::server
