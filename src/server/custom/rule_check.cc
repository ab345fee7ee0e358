// SPDX-License-Identifier: Apache-2.0
#include "server/custom/rule_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "server/custom/rule_types.h"
#include "server/patch/go_json.h"

namespace berth::server {
namespace {

constexpr std::string_view kRuleList = "x-kubernetes-validations";
constexpr uint64_t kExpressionLimit = 10'000'000;
constexpr uint64_t kSchemaLimit = 100'000'000;
constexpr size_t kExpensiveMax = 4;
// Upstream has no such bound; compiling them is work that no cost covers.
constexpr size_t kExpressionBytesMax = size_t{256} << 10;

uint64_t Times(uint64_t cost, uint64_t count) {
  uint64_t product = 0;
  return __builtin_mul_overflow(cost, count, &product) ? UINT64_MAX : product;
}

uint64_t Plus(uint64_t left, uint64_t right) { return left > UINT64_MAX - right ? UINT64_MAX : left + right; }

std::string TooExpensive(std::string_view what, uint64_t cost, uint64_t limit) {
  const double factor = static_cast<double>(cost) / static_cast<double>(limit);
  const std::string times = factor > 100   ? "more than 100x"
                            : factor < 1.5 ? fmt::format("{:.6f}x", factor)
                                           : fmt::format("{:.1f}x", factor);
  return fmt::format(
      "{} exceeds budget by factor of {} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength "
      "where arrays, maps, and strings are declared)",
      what, times);
}

// The rule as upstream prints it.
std::string RuleText(const Json& rule) {
  std::string out = "{";
  const auto add = [&](std::string_view name, const Json& value) {
    if (out.size() > 1) out += ',';
    AppendGoJson(out, Json::String(name));
    out += ':';
    AppendGoJson(out, value);
  };
  add("Rule", Json::String(rule["rule"].text()));
  add("Message", Json::String(rule["message"].text()));
  add("MessageExpression", Json::String(rule["messageExpression"].text()));
  add("Reason", rule["reason"]);
  add("FieldPath", Json::String(rule["fieldPath"].text()));
  add("OptionalOldSelf", rule["optionalOldSelf"]);
  return out + "}";
}

// How many times there can be what is directly below a schema; nothing if there is no bound.
std::optional<uint64_t> MaxBelow(const Schema& schema) {
  const auto bound = [](std::optional<int64_t> max) {
    return max ? std::optional(static_cast<uint64_t>(std::max<int64_t>(*max, 0))) : std::nullopt;
  };
  if (schema.type == Schema::Type::kObject && schema.has_additional) return bound(schema.checks().max_properties);
  if (schema.type == Schema::Type::kArray) return bound(schema.checks().max_items);
  return 1;
}

class RuleCheck {
 public:
  RuleCheck(const KnownExpressions& known, const std::function<bool(const Json&)>& is_sound, FieldErrors& errors)
      : known_(known), is_sound_(is_sound), errors_(errors) {}

  // A part of the schema, and where it stands.
  struct Part {
    const Json& json;
    const Schema& schema;
    const cel::DeclaredType* type;  // Null: it has to be made.
    std::optional<uint64_t> count;  // How many times there can be such a value, if that is known.
    std::string path;
    std::string uncorrelated;  // Where it is that old and new values do not correspond to each other; empty: nowhere.
    bool is_resource;
  };

  void Check(const Part& part) {
    const std::optional<uint64_t> below = MaxBelow(part.schema);
    const std::optional<uint64_t> count =
        part.count && below ? std::optional(Times(*part.count, *below)) : std::nullopt;
    const auto go = [&](const Json& json, const Schema& schema, const cel::DeclaredType* type, std::string path,
                        const std::string& uncorrelated) {
      Check({json, schema, type, count, std::move(path), uncorrelated, schema.is_embedded});
    };
    const cel::DeclaredType* const element = part.type == nullptr ? nullptr : part.type->element.get();
    if (part.schema.additional != nullptr) {
      go(part.json["additionalProperties"], *part.schema.additional, element, Child(part.path, "additionalProperties"),
         part.uncorrelated);
    }
    const std::string properties_path = Child(part.path, "properties");
    for (const SchemaProperty& property : part.schema.properties) {
      const std::string name = cel::EscapeName(property.name);
      const bool is_seen = part.type != nullptr && !name.empty();
      go(part.json["properties"][property.name], property.schema, is_seen ? part.type->Find(name) : nullptr,
         Key(properties_path, property.name), part.uncorrelated);
    }
    if (part.schema.items != nullptr) {
      const bool corresponds = part.schema.list_type == Schema::ListType::kMap || !part.uncorrelated.empty();
      go(part.json["items"], *part.schema.items, element, Child(part.path, "items"),
         corresponds ? part.uncorrelated : part.path);
    }
    if (!part.schema.checks().rules.empty() && is_sound_(part.json)) CheckOwn(part);
  }

  // What all rules cost together.
  void CheckSum(const std::string& path) {
    if (sum_ <= kSchemaLimit) return;
    for (const auto& [cost, place] : expensive_) {
      errors_.Forbidden(place,
                        "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema");
    }
    errors_.Forbidden(
        path, TooExpensive("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema", sum_,
                           kSchemaLimit));
  }

 private:
  void CheckOwn(const Part& part) {
    const std::string rules_path = Child(part.path, kRuleList);
    std::optional<cel::DeclaredType> made;
    const cel::DeclaredType* type = part.type;
    if (type == nullptr) {
      made = DeclareType(part.schema, part.is_resource);
      if (!made) {
        return errors_.Add({"InternalError",
                            "Internal error: internal error: failed to construct type information for "
                            "x-kubernetes-validations rules: unable to convert structural schema to CEL declarations",
                            rules_path});
      }
      type = &*made;
    }
    const std::vector<CompiledRule> rules = CompileRules(part.schema, *type, &known_, true);
    constexpr uint64_t kRequestBytes = uint64_t{3} << 20;
    const uint64_t count = part.count.value_or(kRequestBytes / (type->min_size + 1));
    for (size_t i = 0; i < rules.size(); ++i) {
      CheckRule(rules[i], part.json[kRuleList][i], Index(rules_path, i), count, part.uncorrelated);
    }
  }

  void CheckRule(const CompiledRule& rule, const Json& source, const std::string& path, uint64_t count,
                 const std::string& uncorrelated) {
    const std::string rule_path = Child(path, "rule");
    const std::string message_path = Child(path, "messageExpression");
    Observe(rule_path, "estimated rule cost", rule.rule ? Times(rule.rule->max_cost(), count) : 0);
    if (!rule.error.empty()) AddInvalid(rule_path, source, rule.error);
    if (!rule.message_error.empty()) {
      AddInvalid(message_path, source, rule.message_error);
    } else if (rule.message) {
      Observe(message_path, "estimated messageExpression cost", rule.message->max_cost());
    }
    if (rule.uses_old) {
      if (!uncorrelated.empty()) {
        errors_.Invalid(rule_path, source["rule"].text(),
                        "oldSelf cannot be used on the uncorrelatable portion of the schema within " + uncorrelated);
      }
    } else if (rule.source->optional_old_self) {
      errors_.Invalid(Child(path, "optionalOldSelf"), Json::Bool(*rule.source->optional_old_self),
                      "may not be set if oldSelf is not used in rule");
    }
  }

  void AddInvalid(const std::string& path, const Json& rule, const std::string& detail) {
    errors_.Add({"FieldValueInvalid", fmt::format("Invalid value: {}: {}", RuleText(rule), detail), path});
  }

  void Observe(const std::string& path, std::string_view what, uint64_t cost) {
    if (cost > kExpressionLimit) errors_.Forbidden(path, TooExpensive(what, cost, kExpressionLimit));
    sum_ = Plus(sum_, cost);
    if (cost < kSchemaLimit / 100) return;
    expensive_.emplace_back(cost, path);
    std::ranges::stable_sort(expensive_, std::greater(), &std::pair<uint64_t, std::string>::first);
    if (expensive_.size() > kExpensiveMax) expensive_.pop_back();
  }

  const KnownExpressions& known_;
  const std::function<bool(const Json&)>& is_sound_;
  FieldErrors& errors_;
  uint64_t sum_ = 0;
  std::vector<std::pair<uint64_t, std::string>> expensive_;  // The dearest first.
};

void Collect(const Json& schema, KnownExpressions& known) {
  for (const Json& rule : schema[kRuleList].items()) {
    known.rules.emplace_back(rule["rule"].text());
    known.messages.emplace_back(rule["messageExpression"].text());
  }
  for (const Json::Member& property : schema["properties"].members()) Collect(property.value, known);
  for (const char* const name : {"items", "additionalProperties"}) {
    if (schema[name].is_map()) Collect(schema[name], known);
  }
}

}  // namespace

void CollectExpressions(const Json& schema, KnownExpressions& known) {
  Collect(schema, known);
  std::ranges::sort(known.rules);
  std::ranges::sort(known.messages);
}

bool HasBoundedExpressions(const Json& schema, const std::string& path, FieldErrors& errors) {
  KnownExpressions all;
  Collect(schema, all);
  size_t bytes = 0;
  for (const std::string_view text : all.rules) bytes += text.size();
  for (const std::string_view text : all.messages) bytes += text.size();
  if (bytes <= kExpressionBytesMax) return true;
  errors.Forbidden(
      path, fmt::format("the expressions of x-kubernetes-validations have {} bytes together, and may have {}", bytes,
                        kExpressionBytesMax));
  return false;
}

void CheckRules(const Json& schema, const Schema& read, const std::string& path, const KnownExpressions& known,
                const std::function<bool(const Json& part)>& is_sound, FieldErrors& errors) {
  const std::optional<cel::DeclaredType> type = DeclareType(read, true);
  RuleCheck check(known, is_sound, errors);
  check.Check({schema, read, type ? &*type : nullptr, 1, path, "", true});
  check.CheckSum(path);
}

}  // namespace berth::server
