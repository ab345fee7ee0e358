// SPDX-License-Identifier: Apache-2.0
#include "server/model/checks.h"

#include <algorithm>
#include <vector>

#include "api/parts/selector.h"

namespace berth::server {

bool Require(FieldErrors& errors, const FieldPath& object_path, const Json& object, std::string_view name) {
  const Json& member = object[name];
  if (!member.text().empty() || !member.empty()) return true;
  errors.Required(object_path / name);
  return false;
}

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> texts) {
  return std::ranges::find(texts, text) != texts.end();
}

void CheckOneOf(FieldErrors& errors, const FieldPath& path, std::string_view text,
                std::initializer_list<std::string_view> supported) {
  if (!IsOneOf(text, supported)) errors.NotSupported(path, text, supported);
}

void CheckMemberOneOf(FieldErrors& errors, const FieldPath& object_path, const Json& object, std::string_view name,
                      std::initializer_list<std::string_view> supported) {
  if (const Json* member = object.Find(name)) CheckOneOf(errors, object_path / name, member->text(), supported);
}

void CheckEnum(FieldErrors& errors, const FieldPath& object_path, const Json& object, std::string_view name,
               std::initializer_list<std::string_view> supported) {
  const std::string& text = object[name].text();
  if (text.empty()) {
    errors.Required(object_path / name);
  } else {
    CheckOneOf(errors, object_path / name, text, supported);
  }
}

void CheckNonNegative(FieldErrors& errors, const FieldPath& object_path, const Json& object,
                      std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const Json& value = object[name];
    if (value.IntOr(0) < 0) errors.Invalid(object_path / name, value, "must be greater than or equal to 0");
  }
}

void CheckRequiredDnsLabel(FieldErrors& errors, const FieldPath& object_path, const Json& object,
                           std::string_view name) {
  if (!Require(errors, object_path, object, name)) return;
  const std::string& text = object[name].text();
  Report(errors, object_path / name, text, CheckDnsLabel(text));
}

void CheckUnixIdMember(FieldErrors& errors, const FieldPath& object_path, const Json& object, std::string_view name) {
  if (const Json* id = object.Find(name)) Report(errors, object_path / name, *id, CheckUnixId(id->IntOr(-1)));
}

void CheckQualifiedName(FieldErrors& errors, const FieldPath& path, std::string_view name) {
  Report(errors, path, name, api::ValidateQualifiedName(name));
}

void CheckNoBacksteps(FieldErrors& errors, const FieldPath& path, std::string_view target) {
  for (size_t at = 0; (at = target.find("..", at)) != target.npos; at += 2) {
    const bool starts = at == 0 || target[at - 1] == '/';
    const bool ends = at + 2 == target.size() || target[at + 2] == '/';
    if (starts && ends) return errors.Invalid(path, target, "must not contain '..'");
  }
}

void CheckRelativePath(FieldErrors& errors, const FieldPath& path, std::string_view target) {
  if (target.starts_with('/')) errors.Invalid(path, target, "must be a relative path");
  CheckNoBacksteps(errors, path, target);
}

void CheckLocalPath(FieldErrors& errors, const FieldPath& path, std::string_view target) {
  CheckRelativePath(errors, path, target);
  if (target.starts_with("..") && !target.starts_with("../")) {
    errors.Invalid(path, target, "must not start with '..'");
  }
}

void CheckPort(FieldErrors& errors, const FieldPath& path, const Json& port) {
  if (port.is_string()) return Report(errors, path, port.text(), CheckPortName(port.text()));
  const Json number = port.is_number() ? port : Json::Int(0);
  Report(errors, path, number, CheckPortNumber(number.IntOr(0)));
}

void CheckImmutable(FieldErrors& errors, const FieldPath& path, const Json& value, const Json& old) {
  if (value != old) errors.Invalid(path, value, "field is immutable");
}

api::Quantity ToQuantity(const Json& text) { return api::Quantity::Parse(text.text()).value_or(api::Quantity()); }

}  // namespace berth::server
