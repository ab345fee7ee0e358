// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/conditions.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/ascii.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr size_t kReasonBytesMax = 1024;
constexpr size_t kMessageBytesMax = 32768;

bool IsWord(char c) { return IsAlphanumeric(c) || c == '_'; }

bool IsReason(std::string_view text) {
  return IsLetter(text.front()) && IsWord(text.back()) &&
         std::ranges::all_of(text, [](char c) { return IsWord(c) || c == ',' || c == ':'; });
}

void ValidateReason(const std::string& reason, const FieldPath& path, FieldErrors& errors) {
  if (reason.empty()) return errors.Required(path);
  if (!IsReason(reason)) {
    errors.Invalid(path, reason,
                   "a condition reason must start with alphabetic character, optionally followed by a string of "
                   "alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. "
                   "'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used "
                   "for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')");
  }
  if (reason.size() > kReasonBytesMax) errors.TooLong(path, kReasonBytesMax);
}

void ValidateCondition(const Json& condition, const FieldPath& path, FieldErrors& errors) {
  const std::string& type = condition["type"].text();
  if (type.empty()) {
    errors.Required(path / "type", "is required");
  } else {
    CheckQualifiedName(errors, path / "type", type);
  }
  CheckEnum(errors, path, condition, "status", {"False", "True", "Unknown"});
  if (condition["observedGeneration"].IntOr(0) < 0) {
    errors.Invalid(path / "observedGeneration", condition["observedGeneration"],
                   "must be greater than or equal to zero");
  }
  if (!condition["lastTransitionTime"].is_string()) errors.Required(path / "lastTransitionTime");
  ValidateReason(condition["reason"].text(), path / "reason", errors);
  if (condition["message"].text().size() > kMessageBytesMax) errors.TooLong(path / "message", kMessageBytesMax);
}

}  // namespace

void ValidateConditions(const Json& conditions, const FieldPath& path, FieldErrors& errors) {
  std::set<std::string> types;
  for (size_t i = 0; i < conditions.size(); ++i) {
    const std::string& type = conditions[i]["type"].text();
    if (!types.insert(type).second) errors.Duplicate(path[i], type);
    ValidateCondition(conditions[i], path[i], errors);
  }
}

}  // namespace berth::server
