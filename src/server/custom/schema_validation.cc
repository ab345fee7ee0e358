// SPDX-License-Identifier: Apache-2.0
#include "server/custom/schema_validation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "api/document/field_error.h"
#include "api/document/utf8.h"
#include "base/ascii.h"
#include "server/custom/numbers.h"
#include "server/custom/text_format.h"
#include "server/model/metadata.h"
#include "server/model/value_rules.h"

namespace berth::server {
namespace {

using Type = Schema::Type;

// What is found, and how many checks were passed: among alternatives the errors of the one that came farthest are told.
struct Findings {
  std::vector<FieldError> errors;
  size_t passed = 0;

  bool ok() const { return errors.empty(); }
  void Merge(Findings other) {
    std::ranges::move(other.errors, std::back_inserter(errors));
    passed += other.passed;
  }
};

struct SchemaNumber {
  double real = 0;
  std::optional<int64_t> integer;
};

SchemaNumber NumberOf(const Json& value) {
  const std::string& text = value.text();
  SchemaNumber number;
  number.integer = value.AsInt();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number.real);
  if (error == std::errc::result_out_of_range) number.real = std::numeric_limits<double>::infinity();
  return number;
}

// Whether a double stands for an integer: all but exactly, and below 2^53.
bool IsWhole(double number) {
  constexpr double kSlack = 1e-9;
  const double size = std::abs(number);
  if (!(size <= 0x1p53 - 1)) return false;
  const double whole = std::trunc(size);
  return size == whole || (size - whole) / (size + whole) < kSlack;
}

std::string RealText(double number) { return std::isfinite(number) ? PrintedDouble(number) : "+Inf"; }

// A number in an error.
Json Shown(const Json& value) {
  if (!value.is_number() || value.AsInt()) return value;
  return Json::Number(RealText(NumberOf(value).real));
}

// The boundary as upstream prints it beside a value of this form.
std::string BoundText(double bound, const SchemaNumber& value) {
  if (!value.integer) return RealText(bound);
  return fmt::format("{}", static_cast<int64_t>(std::clamp(bound, -9.2e18, 9.2e18)));
}

std::string_view DataType(const Json& value) {
  switch (value.kind()) {
    case Json::Kind::kNull: return "null";
    case Json::Kind::kBool: return "boolean";
    case Json::Kind::kNumber: return value.AsInt() ? "integer" : "number";
    case Json::Kind::kString: return "string";
    case Json::Kind::kList: return "array";
    case Json::Kind::kMap: return "object";
  }
  return "";
}

size_t CharacterCount(std::string_view text) {
  size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(std::max<size_t>(1, api::DecodeUtf8(text).size));
  return count;
}

Json KeysOf(const Json& item, const Schema& list) {
  Json keys = Json::MakeMap();
  for (const std::string& name : list.map_keys) {
    if (const Json* const key = item.Find(name)) keys.Set(name, *key);
  }
  return keys;
}

class SchemaValidator {
 public:
  explicit SchemaValidator(std::string_view prefix) : prefix_(prefix) {}

  Findings Validate(const Json& value, const Json* old, const Schema& schema, const std::string& path) {
    Findings findings;
    if (++steps_ > kStepsMax) {
      findings.errors.emplace_back();  // Nothing is valid from here on, whatever alternatives there are.
      return findings;
    }
    const SchemaChecks& checks = schema.checks();
    const bool has_type = schema.type != Type::kAny || schema.is_int_or_string;
    if (value.is_null()) {
      findings.Merge(CheckType(value, schema, path));
      if (!checks.values.empty()) CheckEnum(value, checks, path, findings);
      return findings;
    }
    if (has_type || !checks.format.empty()) Count(findings, CheckType(value, schema, path));
    Count(findings, CheckAlternatives(value, old, checks, path));
    if (value.is_string()) {
      Count(findings, CheckText(value, checks, path));
      if (!checks.format.empty()) Count(findings, CheckFormat(value, checks, path));
    }
    if (value.is_number()) Count(findings, CheckNumber(value, schema, path));
    if (value.is_list()) Count(findings, CheckItems(value, old, schema, path));
    Findings common;
    if (!checks.values.empty()) CheckEnum(value, checks, path, common);
    Count(findings, std::move(common));
    if (value.is_map()) Count(findings, CheckMembers(value, old, schema, path));
    ++findings.passed;
    return findings;
  }

  // Then the findings say nothing.
  bool gave_up() const { return steps_ > kStepsMax; }

 private:
  static void Count(Findings& findings, Findings of) {
    findings.Merge(std::move(of));
    ++findings.passed;
  }

  // The path in the object, for errors.
  std::string Place(std::string_view path) const {
    if (path.starts_with('.')) path.remove_prefix(1);
    if (path.empty()) return prefix_.empty() ? "<nil>" : std::string(prefix_);
    return prefix_.empty() ? std::string(path) : fmt::format("{}.{}", prefix_, path);
  }

  void Invalid(Findings& findings, std::string_view path, const Json& value, std::string_view detail) const {
    FieldErrors errors;
    errors.Invalid(Place(path), Shown(value), fmt::format("{} in body {}", path, detail));
    findings.errors.push_back(errors.all().front());
  }

  void WrongType(Findings& findings, std::string_view path, std::string_view expected, std::string_view found) const {
    FieldErrors errors;
    errors.TypeInvalid(Place(path), Json::String(found),
                       fmt::format("{} in body must be of type {}: {}", path, expected, api::GoQuote(found)));
    findings.errors.push_back(errors.all().front());
  }

  // What is not about one place.
  void Overall(Findings& findings, std::string_view path, std::string_view what) const {
    FieldErrors errors;
    errors.Invalid(prefix_.empty() ? "<nil>" : std::string(prefix_), "",
                   path.empty() ? std::string(what) : fmt::format("{}", what));
    findings.errors.push_back(errors.all().front());
  }

  Findings CheckType(const Json& value, const Schema& schema, const std::string& path) const {
    Findings findings;
    const std::string_view names = schema.is_int_or_string ? "integer,string" : TypeName(schema.type);
    if (value.is_null()) {
      findings.passed = 1;
      if (!names.empty() && !schema.nullable) {
        findings.passed = 0;
        WrongType(findings, path, names, "null");
      }
      return findings;
    }
    const std::string_view found = DataType(value);
    const std::string& format = schema.checks().format;
    const bool takes_integer = schema.type == Type::kInteger || schema.is_int_or_string;
    const bool takes_number = schema.type == Type::kNumber;
    const bool has_type = found == names || (schema.is_int_or_string && (found == "integer" || found == "string"));
    const bool fits = has_type || (found == "number" && takes_integer && IsWhole(NumberOf(value).real)) ||
                      (found == "integer" && takes_number);
    const bool is_text_or_list = value.is_string() || value.is_list();
    const std::string_view data_format = found == "integer" ? "int64" : found == "number" ? "float64" : "";
    if (!is_text_or_list && !format.empty() && !fits && data_format != format) {
      WrongType(findings, path, format, data_format);
    } else if (!takes_number && !takes_integer && !format.empty() && is_text_or_list) {
      findings.passed = 1;
    } else if (!fits) {
      WrongType(findings, path, names, found);
    } else {
      findings.passed = 1;
    }
    return findings;
  }

  Findings CheckAlternatives(const Json& value, const Json* old, const SchemaChecks& checks, const std::string& path) {
    Findings findings;
    if (!checks.any_of.empty()) CheckAnyOf(value, old, checks, path, findings);
    if (!checks.one_of.empty()) CheckOneOf(value, old, checks, path, findings);
    if (!checks.all_of.empty()) {
      size_t valid = 0;
      for (const Schema& schema : checks.all_of) {
        Findings of = Validate(value, old, schema, path);
        if (of.ok()) ++valid;
        findings.Merge(std::move(of));
      }
      if (valid != checks.all_of.size()) {
        Overall(findings, path,
                fmt::format("{} must validate all the schemas (allOf){}", api::GoQuote(path),
                            valid == 0 ? ". None validated" : ""));
      }
    }
    if (checks.none_of != nullptr && Validate(value, old, *checks.none_of, path).ok()) {
      Overall(findings, path, fmt::format("{} must not validate the schema (not)", api::GoQuote(path)));
    }
    ++findings.passed;
    return findings;
  }

  void CheckAnyOf(const Json& value, const Json* old, const SchemaChecks& checks, const std::string& path,
                  Findings& findings) {
    std::optional<Findings> best;
    for (const Schema& schema : checks.any_of) {
      Findings of = Validate(value, old, schema, path);
      if (of.ok()) return findings.Merge(std::move(of));
      if (!best || of.passed > best->passed) best = std::move(of);
    }
    Overall(findings, path, fmt::format("{} must validate at least one schema (anyOf)", api::GoQuote(path)));
    findings.Merge(*std::move(best));
  }

  void CheckOneOf(const Json& value, const Json* old, const SchemaChecks& checks, const std::string& path,
                  Findings& findings) {
    std::optional<Findings> best;
    std::optional<Findings> first;
    size_t valid = 0;
    for (const Schema& schema : checks.one_of) {
      Findings of = Validate(value, old, schema, path);
      if (of.ok()) {
        if (++valid == 1) first = std::move(of);
      } else if (valid == 0 && (!best || of.passed > best->passed)) {
        best = std::move(of);
      }
    }
    if (valid == 1) return findings.Merge(*std::move(first));
    Overall(findings, path,
            fmt::format("{} must validate one and only one schema (oneOf). {}", api::GoQuote(path),
                        valid == 0 ? "Found none valid" : fmt::format("Found {} valid alternatives", valid)));
    if (valid == 0) findings.Merge(*std::move(best));
  }

  Findings CheckText(const Json& value, const SchemaChecks& checks, const std::string& path) const {
    Findings findings;
    const std::string& text = value.text();
    if (checks.max_length && text.size() > static_cast<size_t>(std::max<int64_t>(0, *checks.max_length)) &&
        CharacterCount(text) > static_cast<size_t>(std::max<int64_t>(0, *checks.max_length))) {
      FieldErrors errors;
      errors.TooLong(Place(path), static_cast<size_t>(std::max<int64_t>(0, *checks.max_length)));
      findings.errors.push_back(errors.all().front());
    } else if (checks.min_length &&
               CharacterCount(text) < static_cast<size_t>(std::max<int64_t>(0, *checks.min_length))) {
      Invalid(findings, path, value, fmt::format("should be at least {} chars long", *checks.min_length));
    } else if (checks.regex != nullptr && !checks.regex->Matches(text)) {
      Invalid(findings, path, value, fmt::format("should match '{}'", checks.pattern));
    }
    return findings;
  }

  Findings CheckFormat(const Json& value, const SchemaChecks& checks, const std::string& path) const {
    Findings findings;
    if (!HasTextFormat(value.text(), checks.format)) WrongType(findings, path, checks.format, value.text());
    return findings;
  }

  Findings CheckNumber(const Json& value, const Schema& schema, const std::string& path) const {
    Findings findings;
    const SchemaChecks& checks = schema.checks();
    const SchemaNumber number = NumberOf(value);
    if (schema.type == Type::kInteger && !IsInRange(number, checks.format)) {
      Overall(findings, path,
              checks.format.empty()
                  ? fmt::format("Checked value must be of type integer (default format) in {}", path)
                  : fmt::format("Checked value must be of type integer with format {} in {}", checks.format, path));
    }
    if (schema.type == Type::kNumber && checks.format == "float" &&
        !(std::abs(number.real) <= std::numeric_limits<float>::max())) {
      Overall(findings, path, fmt::format("Checked value must be of type number with format float in {}", path));
    }
    if (checks.multiple_of && !IsMultiple(number, *checks.multiple_of)) {
      Invalid(findings, path, value, fmt::format("should be a multiple of {}", BoundText(*checks.multiple_of, number)));
    }
    if (checks.minimum && IsBelow(number, *checks.minimum, checks.excludes_minimum)) {
      Invalid(findings, path, value,
              fmt::format("should be greater than {}{}", checks.excludes_minimum ? "" : "or equal to ",
                          BoundText(*checks.minimum, number)));
    }
    if (checks.maximum && IsAbove(number, *checks.maximum, checks.excludes_maximum)) {
      Invalid(findings, path, value,
              fmt::format("should be less than {}{}", checks.excludes_maximum ? "" : "or equal to ",
                          BoundText(*checks.maximum, number)));
    }
    ++findings.passed;
    return findings;
  }

  static bool IsInRange(const SchemaNumber& number, std::string_view format) {
    constexpr double kWide = 9223372036854775807.0;
    if (!number.integer) return IsWhole(number.real) && std::abs(number.real) < kWide;
    return format != "int32" || (*number.integer >= std::numeric_limits<int32_t>::min() &&
                                 *number.integer <= std::numeric_limits<int32_t>::max());
  }

  static bool IsMultiple(const SchemaNumber& number, double factor) {
    if (number.integer && IsWhole(factor) && std::abs(factor) < 9e18 && factor >= 1) {
      return *number.integer % static_cast<int64_t>(factor) == 0;
    }
    return factor > 0 && IsWhole(factor < 1 ? 1 / factor * number.real : number.real / factor);
  }

  // Upstream compares integers with the whole part of the bound.
  static bool IsBelow(const SchemaNumber& number, double bound, bool excludes) {
    const double value = number.integer ? static_cast<double>(*number.integer) : number.real;
    if (number.integer) bound = std::trunc(bound);
    return excludes ? value <= bound : value < bound;
  }

  static bool IsAbove(const SchemaNumber& number, double bound, bool excludes) {
    const double value = number.integer ? static_cast<double>(*number.integer) : number.real;
    if (number.integer) bound = std::trunc(bound);
    return excludes ? value >= bound : value > bound;
  }

  Findings CheckItems(const Json& value, const Json* old, const Schema& schema, const std::string& path) {
    Findings findings;
    const SchemaChecks& checks = schema.checks();
    const ItemsByKeys before(old, schema);
    for (size_t i = 0; schema.items != nullptr && i < value.size() && steps_ <= kStepsMax; ++i) {
      findings.Merge(Below(value[i], before.Find(value[i]), *schema.items, fmt::format("{}[{}]", path, i)));
    }
    const auto size = static_cast<int64_t>(value.size());
    if (checks.min_items && size < *checks.min_items) {
      Invalid(findings, path, Json::Int(size), fmt::format("should have at least {} items", *checks.min_items));
    }
    if (checks.max_items && size > *checks.max_items) TooMany(findings, path, size, *checks.max_items);
    ++findings.passed;
    return findings;
  }

  void TooMany(Findings& findings, std::string_view path, int64_t size, int64_t max) const {
    FieldErrors errors;
    errors.TooMany(Place(path), static_cast<size_t>(size), static_cast<size_t>(std::max<int64_t>(0, max)));
    findings.errors.push_back(errors.all().front());
  }

  // A part of a value; what is as it was is not looked at.
  Findings Below(const Json& value, const Json* old, const Schema& schema, const std::string& path) {
    if (old != nullptr && *old == value) return {};
    return Validate(value, old, schema, path);
  }

  Findings CheckMembers(const Json& value, const Json* old, const Schema& schema, const std::string& path) {
    Findings findings;
    const SchemaChecks& checks = schema.checks();
    const auto size = static_cast<int64_t>(value.size());
    if (checks.min_properties && size < *checks.min_properties) {
      Invalid(findings, path, Json::Int(size),
              fmt::format("should have at least {} properties", *checks.min_properties));
    }
    if (checks.max_properties && size > *checks.max_properties) {
      TooMany(findings, path, size, *checks.max_properties);
    }
    for (const Json::Member& member : value.members()) {
      const Schema* const of = schema.MemberSchema(member.name);
      if (of == nullptr || steps_ > kStepsMax) continue;
      const Json* const before = old == nullptr || schema.is_atomic ? nullptr : old->Find(member.name);
      const bool is_first = path.empty() && schema.Find(member.name) != nullptr;
      findings.Merge(Below(member.value, before, *of, is_first ? member.name.text() : path + "." + member.name.text()));
    }
    for (const std::string& name : checks.required) {
      if (value.Has(name)) continue;
      FieldErrors errors;
      errors.Required(Place(path + "." + name));
      findings.errors.push_back(errors.all().front());
    }
    return findings;
  }

  void CheckEnum(const Json& value, const SchemaChecks& checks, const std::string& path, Findings& findings) const {
    const auto same = [&](const Json& each) {
      if (each == value) return true;
      return each.is_number() && value.is_number() && NumberOf(each).real == NumberOf(value).real;
    };
    if (std::ranges::any_of(checks.values, same)) return;
    std::string supported;
    for (const Json& each : checks.values) {
      supported += supported.empty() ? "" : ", ";
      supported += api::GoQuote(each.is_string() ? each.text() : each.ToText());
    }
    const std::string shown = value.is_string() ? api::GoQuote(value.text()) : value.ToText();
    findings.errors.push_back({"FieldValueNotSupported",
                               fmt::format("Unsupported value: {}: supported values: {}", shown, supported),
                               Place(path)});
  }

  // Upstream has no such bound: alternatives in alternatives, for each of many items.
  static constexpr size_t kStepsMax = 1'000'000;

  std::string_view prefix_;
  size_t steps_ = 0;
};

// The first repetition of each item.
std::vector<size_t> Repeated(const Json::List& items) {
  std::map<std::string, size_t> seen;
  std::vector<size_t> repeated;
  for (size_t i = 0; i < items.size(); ++i) {
    const size_t times = ++seen[items[i].ToText()];
    if (times == 2) repeated.push_back(i);
  }
  return repeated;
}

void CheckListMap(const Json& list, const Schema& schema, const std::string& path, FieldErrors& errors) {
  Json::List keys;
  for (size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_map() && !list[i].is_null()) {
      return errors.Invalid(Index(path, i), list[i], "must be an object for an array of list-type map");
    }
    keys.push_back(KeysOf(list[i], schema));
  }
  for (const size_t i : Repeated(keys)) errors.Duplicate(Index(path, i), keys[i]);
}

void CheckListTypes(const Json& value, const Schema& schema, const std::string& path, FieldErrors& errors) {
  if (value.is_list()) {
    if (schema.list_type == Schema::ListType::kSet) {
      for (const size_t i : Repeated(value.items())) errors.Duplicate(Index(path, i), value[i]);
    } else if (schema.list_type == Schema::ListType::kMap) {
      CheckListMap(value, schema, path, errors);
    }
    for (size_t i = 0; schema.items != nullptr && i < value.size(); ++i) {
      CheckListTypes(value[i], *schema.items, Index(path, i), errors);
    }
    return;
  }
  for (const Json::Member& member : value.members()) {
    if (const Schema* const property = schema.Find(member.name)) {
      CheckListTypes(member.value, *property, Child(path, member.name), errors);
    } else if (schema.additional != nullptr) {
      CheckListTypes(member.value, *schema.additional, Key(path, member.name), errors);
    }
  }
}

// Of an object in an object: what it says of itself.
void CheckIdentity(const Json& value, const std::string& path, FieldErrors& errors) {
  const std::string version_path = Child(path, "apiVersion");
  const std::string kind_path = Child(path, "kind");
  for (const std::string_view name : {"apiVersion", "kind"}) {
    if (!value.Has(name)) {
      errors.Required(Child(path, name));
    } else if (!value[name].is_string()) {
      errors.Invalid(Child(path, name), value[name], "must be a string");
    } else if (value[name].text().empty()) {
      errors.Invalid(Child(path, name), "", "must not be empty");
    }
  }
  const std::string& version = value["apiVersion"].text();
  if (std::ranges::count(version, '/') > 1) {
    errors.Invalid(version_path, version, "unexpected GroupVersion string: " + version);
  }
  const std::string& kind = value["kind"].text();
  const Problems problems = kind.empty() ? Problems() : CheckDns1035Label(Lower(kind));
  if (!problems.empty()) {
    errors.Invalid(kind_path, kind,
                   fmt::format("may have mixed case, but should otherwise match: {}", fmt::join(problems, ",")));
  }
  FieldErrors of_metadata;
  ValidateEmbeddedMetadata(value["metadata"], of_metadata);
  for (FieldError& error : of_metadata.Take()) {
    error.field = Child(path, error.field);
    errors.Add(std::move(error));
  }
}

void CheckEmbedded(const Json& value, const Schema& schema, bool is_resource, const std::string& path,
                   FieldErrors& errors) {
  if (value.is_map() && is_resource) CheckIdentity(value, path, errors);
  for (size_t i = 0; schema.items != nullptr && i < value.items().size(); ++i) {
    CheckEmbedded(value[i], *schema.items, schema.items->is_embedded, Index(path, i), errors);
  }
  for (const Json::Member& member : value.members()) {
    if (const Schema* const property = schema.Find(member.name)) {
      CheckEmbedded(member.value, *property, property->is_embedded, Child(path, member.name), errors);
    } else if (schema.additional != nullptr) {
      CheckEmbedded(member.value, *schema.additional, schema.additional->is_embedded, Key(path, member.name), errors);
    }
  }
}

}  // namespace

void ValidateValue(const Json& value, const Json* old, const Schema& schema, std::string_view prefix,
                   FieldErrors& errors) {
  if (old != nullptr && *old == value) return;
  SchemaValidator validator(prefix);
  Findings findings = validator.Validate(value, old, schema, "");
  if (validator.gave_up()) {
    return errors.Invalid(prefix.empty() ? "<nil>" : std::string(prefix), "",
                          "validating the object by its schema takes too many steps");
  }
  for (FieldError& error : findings.errors) errors.Add(std::move(error));
}

void ValidateListTypes(const Json& value, const Schema& schema, FieldErrors& errors) {
  CheckListTypes(value, schema, "", errors);
}

void ValidateEmbedded(const Json& value, const Schema& schema, FieldErrors& errors) {
  CheckEmbedded(value, schema, false, "", errors);
}

void ValidateResource(const Json& value, const Schema& schema, bool is_resource, const std::string& path,
                      FieldErrors& errors) {
  CheckEmbedded(value, schema, is_resource || schema.is_embedded, path, errors);
}

ItemsByKeys::ItemsByKeys(const Json* items, const Schema& list) : list_(list) {
  if (items == nullptr || list.list_type != Schema::ListType::kMap) return;
  for (const Json& item : items->items()) {
    if (item.is_map()) items_.emplace(KeysOf(item, list).ToText(), &item);
  }
}

const Json* ItemsByKeys::Find(const Json& item) const {
  if (items_.empty() || !item.is_map()) return nullptr;
  const auto found = items_.find(KeysOf(item, list_).ToText());
  return found == items_.end() ? nullptr : found->second;
}

}  // namespace berth::server
