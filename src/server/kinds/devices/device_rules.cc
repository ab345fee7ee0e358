// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/devices/device_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "api/parts/selector.h"
#include "base/ascii.h"
#include "cel/device_expression.h"
#include "server/kinds/storage/persistent_volume.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr size_t kDomainLengthMax = 63;
constexpr size_t kIdLengthMax = 32;
constexpr size_t kPoolLengthMax = 253;
constexpr size_t kSelectorsMax = 32;
constexpr size_t kExpressionLengthMax = 10240;
constexpr size_t kOpaqueLengthMax = 10240;
constexpr size_t kBindingConditionsMax = 4;

void CheckIdentifier(FieldErrors& errors, const FieldPath& path, std::string_view name) {
  if (name.size() > kIdLengthMax) errors.TooLong(path, kIdLengthMax);
  const auto is_start = [](char c) { return IsLetter(c) || c == '_'; };
  const auto is_part = [](char c) { return IsAlphanumeric(c) || c == '_'; };
  if (!name.empty() && is_start(name.front()) && std::ranges::all_of(name, is_part)) return;
  errors.Invalid(path, name,
                 "a valid C identifier must start with alphabetic character or '_', followed by a string of "
                 "alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for "
                 "validation is '[A-Za-z_][A-Za-z0-9_]*')");
}

void CheckExpression(const std::string& text, const FieldPath& path, FieldErrors& errors) {
  if (text.size() > kExpressionLengthMax) return errors.TooLong(path, kExpressionLengthMax);
  const auto compiled = cel::DeviceExpression::Compile(text, {.is_stored = false, .estimates_cost = true});
  if (!compiled) {
    const cel::CompileError& error = compiled.error();
    if (!error.is_internal) return errors.Invalid(path, text, error.detail);
    return errors.Add({"InternalError", "Internal error: " + error.detail, path});
  }
  if (compiled->max_cost() > cel::CompileOptions::kCostLimit) {
    errors.Forbidden(path, "too complex, exceeds cost limit");
  }
}

void ValidateToleration(const Json& toleration, const FieldPath& path, DeviceErrors& errors) {
  const std::string& op = toleration["operator"].text();
  const std::string& value = toleration["value"].text();
  if (op == "Exists") {
    if (!value.empty()) errors.written.Invalid(path / "value", value, "must be empty for operator `Exists`");
  } else if (op == "Equal") {
    Report(errors.written, path / "value", value, api::ValidateLabelValue(value));
  }
  if (!toleration["key"].text().empty()) CheckQualifiedName(errors.declared, path / "key", toleration["key"].text());
  CheckEnum(errors.declared, path, toleration, "operator", {"Equal", "Exists"});
  if (!toleration["effect"].text().empty()) {
    CheckOneOf(errors.declared, path / "effect", toleration["effect"].text(), {"NoExecute", "NoSchedule", "None"});
  }
}

}  // namespace

void DeviceErrors::AddTo(FieldErrors& errors) {
  for (FieldErrors* each : {&written, &declared}) {
    for (FieldError& error : each->Take()) errors.Add(std::move(error));
  }
}

bool CheckCount(FieldErrors& errors, const FieldPath& path, size_t count, size_t max) {
  if (count <= max) return true;
  errors.TooMany(path, count, max);
  return false;
}

void CheckPoolName(FieldErrors& errors, const FieldPath& path, std::string_view name) {
  if (name.empty()) return errors.Required(path);
  if (name.size() > kPoolLengthMax) errors.TooLong(path, kPoolLengthMax);
  for (;;) {
    const size_t slash = name.find('/');
    const std::string_view part = name.substr(0, slash);
    Report(errors, path, part, api::ValidateDnsSubdomain(part));
    if (slash == name.npos) return;
    name.remove_prefix(slash + 1);
  }
}

void CheckDeclaredPoolName(FieldErrors& errors, const FieldPath& path, std::string_view name) {
  if (name.empty()) return errors.Required(path);
  if (name.size() > kPoolLengthMax) errors.TooLong(path, kPoolLengthMax);
  std::string_view rest = name;
  for (size_t i = 0;; ++i) {
    const size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    if (part.empty()) errors.Invalid(path, name, fmt::format("segment {}: must not be empty", i));
    for (const std::string& problem : part.empty() ? Problems() : api::ValidateDnsSubdomain(part)) {
      errors.Invalid(path, part, fmt::format("segment {}: {}", i, InBytes(problem)));
    }
    if (slash == rest.npos) return;
    rest.remove_prefix(slash + 1);
  }
}

void CheckDeclaredDriverName(FieldErrors& errors, const FieldPath& path, std::string_view name) {
  if (name.size() > kDomainLengthMax) {
    return errors.Add(
        {"FieldValueTooLong", fmt::format("Too long: may not be more than {} characters", kDomainLengthMax), path});
  }
  CheckDriverName(errors, path, name, DriverCase::kAny);
}

void CheckDeclaredLabel(FieldErrors& errors, const FieldPath& path, std::string_view name) {
  for (const std::string& problem : CheckDnsLabel(name)) errors.Invalid(path, name, InBytes(problem));
}

void CheckAttributeName(FieldErrors& errors, const FieldPath& path, std::string_view name) {
  const size_t slash = name.find('/');
  if (slash == name.npos) return CheckIdentifier(errors, path, name);
  const std::string_view domain = name.substr(0, slash);
  const std::string_view id = name.substr(slash + 1);
  if (id.find('/') != id.npos) return;  // Upstream does not look at these.
  if (domain.empty()) {
    errors.Invalid(path, "", "the domain must not be empty");
  } else {
    CheckDriverName(errors, path, domain);
  }
  if (id.empty()) return errors.Invalid(path, "", "the name must not be empty");
  CheckIdentifier(errors, path, id);
}

void CheckFullAttributeName(FieldErrors& errors, const FieldPath& path, std::string_view name) {
  const size_t slash = name.find('/');
  if (slash == name.npos) {
    CheckIdentifier(errors, path, name);
    return errors.Invalid(path, name, "a fully qualified name must be a domain and a name separated by a slash");
  }
  const std::string_view domain = name.substr(0, slash);
  const std::string_view id = name.substr(slash + 1);
  if (id.find('/') != id.npos) return;
  if (domain.empty()) {
    errors.Invalid(path, "", "prefix must not be empty");
  } else {
    if (domain.size() > kDomainLengthMax) errors.TooLong(path, kDomainLengthMax);
    for (const std::string& problem : api::ValidateDnsSubdomain(domain)) {
      errors.Invalid(path, domain, "prefix: " + InBytes(problem));
    }
  }
  if (id.empty()) return errors.Invalid(path, "", "name must not be empty");
  CheckIdentifier(errors, path, id);
}

void CheckShareId(FieldErrors& errors, const FieldPath& path, std::string_view id) {
  bool is_valid = id.size() == 36;
  for (size_t i = 0; is_valid && i < id.size(); ++i) {
    const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    is_valid = is_dash ? id[i] == '-' : IsDigit(id[i]) || (id[i] >= 'a' && id[i] <= 'f');
  }
  if (!is_valid) errors.Invalid(path, id, "must be a lowercase UUID in 8-4-4-4-12 format");
}

void ValidateDeviceSelectors(const Json& selectors, bool is_stored, const FieldPath& path, DeviceErrors& errors) {
  if (!CheckCount(errors.declared, path, selectors.size(), kSelectorsMax)) return;
  for (size_t i = 0; i < selectors.size(); ++i) {
    const FieldPath at = path[i];
    const FieldPath cel_path = at / "cel";
    if (!selectors[i].Has("cel")) {
      errors.written.Required(cel_path);
    } else if (!is_stored) {
      CheckExpression(selectors[i]["cel"]["expression"].text(), cel_path / "expression", errors.written);
    }
  }
}

void ValidateDeviceTaint(const Json& taint, bool is_effect_new, const FieldPath& path, DeviceErrors& errors) {
  CheckQualifiedName(errors.written, path / "key", taint["key"].text());
  const std::string& value = taint["value"].text();
  if (!value.empty()) Report(errors.written, path / "value", value, api::ValidateLabelValue(value));
  if (is_effect_new) CheckEnum(errors.declared, path, taint, "effect", {"NoExecute", "NoSchedule", "None"});
}

void ValidateDeviceTolerations(const Json& tolerations, const FieldPath& path, DeviceErrors& errors) {
  for (size_t i = 0; i < tolerations.size(); ++i) ValidateToleration(tolerations[i], path[i], errors);
}

void ValidateBindingConditions(const Json& object, const FieldPath& path, DeviceErrors& errors) {
  const Json& waits = object["bindingConditions"];
  const Json& fails = object["bindingFailureConditions"];
  const FieldPath waits_path = path / "bindingConditions";
  const FieldPath fails_path = path / "bindingFailureConditions";
  for (const auto& [list, at] : {std::pair{&waits, &waits_path}, {&fails, &fails_path}}) {
    if (!CheckCount(errors.declared, *at, list->size(), kBindingConditionsMax)) continue;
    for (size_t i = 0; i < list->size(); ++i) CheckQualifiedName(errors.written, (*at)[i], (*list)[i].text());
  }
  std::set<std::string_view> waiting;
  for (size_t i = 0; i < waits.size(); ++i) {
    if (!waiting.insert(waits[i].text()).second) errors.written.Duplicate(waits_path[i], waits[i]);
  }
  std::set<std::string_view> failing;
  for (size_t i = 0; i < fails.size(); ++i) {
    if (!failing.insert(fails[i].text()).second) errors.written.Duplicate(fails_path[i], fails[i]);
    if (waiting.contains(fails[i].text())) {
      errors.written.Invalid(fails_path[i], fails[i],
                             "bindingFailureConditions must not overlap with bindingConditions");
    }
  }
  if (waits.empty() && !fails.empty()) {
    errors.written.Invalid(waits_path, waits, "bindingConditions are required to use bindingFailureConditions");
  }
  if (fails.empty() && !waits.empty()) {
    errors.written.Invalid(fails_path, fails, "bindingFailureConditions are required to use bindingConditions");
  }
}

void ValidateDeviceConfig(const Json& config, bool is_stored, const FieldPath& path, DeviceErrors& errors) {
  const FieldPath at = path / "opaque";
  const Json* opaque = config.Find("opaque");
  if (opaque == nullptr) return errors.written.Required(at);
  CheckDeclaredDriverName(errors.declared, at / "driver", (*opaque)["driver"].text());
  ValidateOpaque((*opaque)["parameters"], is_stored, at / "parameters", errors.written);
}

void ValidateOpaque(const Json& value, bool is_stored, const FieldPath& path, FieldErrors& errors) {
  if (value.is_null()) return errors.Required(path);
  if (!is_stored && value.ToText().size() > kOpaqueLengthMax) return errors.TooLong(path, kOpaqueLengthMax);
  if (!value.is_map()) errors.Invalid(path, "<value omitted>", "must be a valid JSON object");
}

}  // namespace berth::server
