// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/pod_tolerations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>

#include "api/parts/selector.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

void ValidateValue(const Json& toleration, const FieldPath& path, FieldErrors& errors) {
  const std::string& op = toleration["operator"].text();
  const std::string& value = toleration["value"].text();
  const FieldPath at = path / "operator";
  if (op.empty() || op == "Equal") {
    const Problems problems = api::ValidateLabelValue(value);
    if (!problems.empty()) errors.Invalid(at, value, fmt::format("{}", fmt::join(problems, ";")));
  } else if (op == "Exists") {
    if (!value.empty()) errors.Invalid(at, value, "value must be empty when `operator` is 'Exists'");
  } else if (op == "Lt" || op == "Gt") {
    // Known, but off unless a feature gate is opened.
    errors.NotSupported(at, op, {"Equal", "Exists", "Lt", "Gt"});
  } else {
    errors.NotSupported(at, op, {"Equal", "Exists"});
  }
}

bool DiffersInSecondsOnly(const Json& left, const Json& right) {
  constexpr std::array<std::string_view, 4> kOthers = {"key", "operator", "value", "effect"};
  return std::ranges::all_of(kOthers, [&](std::string_view name) { return left[name].text() == right[name].text(); });
}

}  // namespace

void ValidateTolerations(const Json& tolerations, const FieldPath& path, FieldErrors& errors) {
  for (size_t i = 0; i < tolerations.size(); ++i) {
    const Json& toleration = tolerations[i];
    const FieldPath at = path[i];
    const std::string& key = toleration["key"].text();
    const std::string& op = toleration["operator"].text();
    const std::string& effect = toleration["effect"].text();
    if (!key.empty()) {
      CheckQualifiedName(errors, at / "key", key);
    } else if (op != "Exists") {
      errors.Invalid(at / "operator", op,
                     "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
    }
    if (toleration.Has("tolerationSeconds") && effect != "NoExecute") {
      errors.Invalid(at / "effect", effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    ValidateValue(toleration, at, errors);
    if (!effect.empty()) CheckOneOf(errors, at / "effect", effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"});
  }
}

void ValidateAddedTolerations(const Json& tolerations, const Json& old, const FieldPath& path, FieldErrors& errors) {
  for (const Json& earlier : old.items()) {
    const bool is_kept =
        std::ranges::any_of(tolerations.items(), [&](const Json& item) { return DiffersInSecondsOnly(item, earlier); });
    if (!is_kept) {
      return errors.Forbidden(path, "existing toleration can not be modified except its tolerationSeconds");
    }
  }
  ValidateTolerations(tolerations, path, errors);
}

}  // namespace berth::server
