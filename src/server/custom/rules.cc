// SPDX-License-Identifier: Apache-2.0
#include "server/custom/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "api/document/field_error.h"
#include "base/text.h"
#include "cel/declared_environment.h"
#include "cel/operations.h"
#include "server/custom/rule_path.h"
#include "server/custom/rule_types.h"
#include "server/custom/rule_values.h"
#include "server/custom/schema_validation.h"

namespace berth::server {
namespace {

using cel::Expression;
using cel::TypeKind;

// Upstream invents a name for the type, so that nobody relies on it.
constexpr std::string_view kSelfType = "selfType1";
constexpr uint64_t kCallLimit = 1'000'000;
constexpr size_t kMessageMax = 5 * 1024;

bool HasRules(const Schema& schema) {
  return !schema.checks().rules.empty() || (schema.items != nullptr && HasRules(*schema.items)) ||
         (schema.additional != nullptr && HasRules(*schema.additional)) ||
         std::ranges::any_of(schema.properties,
                             [](const SchemaProperty& property) { return HasRules(property.schema); });
}

Expression::TypeRule Only(TypeKind kind, std::string_view otherwise) {
  return [kind, otherwise](const cel::Type* type, cel::TypeTable&) {
    return type->Is(kind) ? std::nullopt : std::optional(std::string(otherwise));
  };
}

std::string Describe(const Expression::Refusal& refusal, std::string_view compiling, std::string_view making) {
  switch (refusal.stage) {
    case Expression::Stage::kText: return fmt::format("{} failed: {}", compiling, refusal.detail);
    case Expression::Stage::kProgram: return fmt::format("{} failed: {}", making, refusal.detail);
    default: return refusal.detail;
  }
}

CompiledRule CompileRule(const SchemaRule& source, const Schema& schema, const cel::DeclaredType& type,
                         const KnownExpressions* known, bool estimates_cost) {
  CompiledRule compiled;
  compiled.source = &source;
  if (Trim(source.rule).empty()) return compiled;
  const auto compile = [&](const std::string& text, const std::vector<std::string_view>* known_texts,
                           const Expression::TypeRule& wanted) {
    const bool is_known = known_texts == nullptr || std::ranges::binary_search(*known_texts, text);
    cel::DeclaredEnvironment environment(cel::Library::Get(is_known));
    environment.Add("self", type, kSelfType);
    environment.Add("oldSelf", type, kSelfType, source.optional_old_self.value_or(false));
    environment.EstimateBy(type);
    return Expression::Compile(text, environment, wanted, estimates_cost);
  };
  auto rule = compile(source.rule, known == nullptr ? nullptr : &known->rules,
                      Only(TypeKind::kBool, "cel expression must evaluate to a bool"));
  if (!rule) {
    compiled.error = Describe(rule.error(), "compilation", "program instantiation");
    return compiled;
  }
  compiled.uses_old = rule->Refers("oldSelf");
  compiled.rule = *std::move(rule);
  if (!source.message_expression.empty()) {
    auto message = compile(source.message_expression, known == nullptr ? nullptr : &known->messages,
                           Only(TypeKind::kString, "messageExpression must evaluate to a string"));
    if (!message) {
      compiled.message_error =
          Describe(message.error(), "messageExpression compilation", "messageExpression instantiation");
      return compiled;
    }
    compiled.message = *std::move(message);
  }
  if (!source.field_path.empty()) compiled.path = ReadRulePath(source.field_path, schema).value_or("");
  return compiled;
}

// A value and the one that was there before, and where they come from.
struct Pair {
  const Json* value = nullptr;
  const Json* old = nullptr;
  const Schema* schema = nullptr;
  mutable std::optional<bool> is_same = {};

  bool IsSame() const {
    if (!is_same) is_same = Same(*value, *old, *schema);
    return *is_same;
  }

  // Equal as upstream compares what may be let through: members that the schema does not know are never the same.
  static bool Same(const Json& value, const Json& old, const Schema& schema) {
    if (value.is_list() != old.is_list() || value.is_map() != old.is_map()) return false;
    if (!value.is_list() && !value.is_map()) return value == old;
    if (value.size() != old.size()) return false;
    if (value.is_list()) {
      if (schema.list_type != Schema::ListType::kMap || schema.items == nullptr) return value == old;
      const ItemsByKeys before(&old, schema);
      return std::ranges::all_of(value.items(), [&](const Json& item) {
        const Json* const same = before.Find(item);
        return same != nullptr && Same(item, *same, *schema.items);
      });
    }
    return std::ranges::all_of(value.members(), [&](const Json::Member& member) {
      const Json* const same = old.Find(member.name);
      const Schema* const of = schema.MemberSchema(member.name);
      return same != nullptr && of != nullptr && Same(member.value, *same, *of);
    });
  }
};

// Whether failures are let through: by the value itself, or else the nearest one around it that can be compared.
struct Ratchet {
  const Pair* current = nullptr;
  const Pair* around = nullptr;

  bool Lets() const {
    if (current != nullptr) return current->IsSame();
    return around != nullptr && around->IsSame();
  }
};

}  // namespace

std::vector<CompiledRule> CompileRules(const Schema& schema, const cel::DeclaredType& type,
                                       const KnownExpressions* known, bool estimates_cost) {
  std::vector<CompiledRule> rules;
  for (const SchemaRule& source : schema.checks().rules) {
    rules.push_back(CompileRule(source, schema, type, known, estimates_cost));
  }
  return rules;
}

// One look at an object.
class Rules::Run {
 public:
  Run(int64_t budget, FieldErrors& errors) : budget_(budget), errors_(errors) {}

  int64_t budget() const { return budget_; }

  void Check(const Rules& rules, const Json& value, const Json* old, const Ratchet& ratchet, const std::string& path) {
    if (value.is_null()) return;
    if (old != nullptr && old->is_null()) old = nullptr;
    CheckRules(rules, value, old, ratchet, path);
    if (budget_ < 0) return;
    if (value.is_list() && rules.items_ != nullptr) CheckItems(rules, value, old, ratchet, path);
    if (value.is_map()) CheckMembers(rules, value, old, ratchet, path);
  }

 private:
  // What all messages of one object may come to.
  static constexpr size_t kTextMax = size_t{1} << 20;

  void Stop() { budget_ = -1; }

  void CheckItems(const Rules& rules, const Json& value, const Json* old, const Ratchet& ratchet,
                  const std::string& path) {
    const Schema& schema = *rules.schema_;
    const ItemsByKeys before(old != nullptr && old->is_list() ? old : nullptr, schema);
    std::optional<ItemsByKeys> ratcheted;
    if (ratchet.current != nullptr && ratchet.current->old->is_list()) ratcheted.emplace(ratchet.current->old, schema);
    for (size_t i = 0; i < value.size() && budget_ >= 0; ++i) {
      const Json* const same = ratcheted ? ratcheted->Find(value[i]) : nullptr;
      Go(*rules.items_, value[i], before.Find(value[i]), same, *schema.items, ratchet, Index(path, i));
    }
  }

  void CheckMembers(const Rules& rules, const Json& value, const Json* old, const Ratchet& ratchet,
                    const std::string& path) {
    const Schema& schema = *rules.schema_;
    for (const Json::Member& member : value.members()) {
      if (budget_ < 0) return;
      const auto property = rules.properties_.find(member.name);
      const bool is_property = property != rules.properties_.end();
      const Rules* const below = is_property ? property->second.get() : rules.additional_.get();
      const Schema* const of = schema.MemberSchema(member.name);
      if (below == nullptr || of == nullptr) continue;
      const Json* const before = old == nullptr ? nullptr : old->Find(member.name);
      const std::string place = is_property ? Child(path, member.name) : Key(path, member.name);
      // Versions and kinds of both are made the same before anyone looks.
      const bool is_root = ratchet.current != nullptr && ratchet.around == nullptr;
      if (is_root && (member.name == "apiVersion" || member.name == "kind")) {
        Check(*below, member.value, before, {}, place);
      } else {
        const Json* const same = ratchet.current == nullptr ? nullptr : ratchet.current->old->Find(member.name);
        Go(*below, member.value, before, same, *of, ratchet, place);
      }
    }
  }

  // Into a part of the value. `same`: what it is compared with, if anything.
  void Go(const Rules& rules, const Json& value, const Json* old, const Json* same, const Schema& schema,
          const Ratchet& ratchet, const std::string& path) {
    if (ratchet.current == nullptr) return Check(rules, value, old, ratchet, path);
    if (same == nullptr) return Check(rules, value, old, {.current = nullptr, .around = ratchet.current}, path);
    const Pair pair{.value = &value, .old = same, .schema = &schema};
    Check(rules, value, old, {.current = &pair, .around = ratchet.current}, path);
  }

  void CheckRules(const Rules& rules, const Json& value, const Json* old, const Ratchet& ratchet,
                  const std::string& path) {
    if (rules.rules_.empty()) return;
    if (budget_ <= 0) return RunOut(*rules.schema_, path);
    for (const CompiledRule& rule : rules.rules_) {
      CheckRule(rules, rule, value, old, ratchet, path);
      if (budget_ < 0) return;
    }
  }

  void CheckRule(const Rules& rules, const CompiledRule& rule, const Json& value, const Json* old,
                 const Ratchet& ratchet, const std::string& path) {
    const Schema& schema = *rules.schema_;
    if (!rule.error.empty()) return FailAs(schema, path, "rule compile error: " + rule.error);
    if (!rule.rule) return;
    const bool takes_none = rule.source->optional_old_self.value_or(false);
    if (rule.uses_old && old == nullptr && !takes_none) return;

    cel::Arena arena;
    std::array<cel::Value, 2> variables;
    variables[0] = ToRuleValue(arena, value, schema, rules.is_resource_);
    const bool has_old = rules.uses_old_ && old != nullptr;
    const cel::Value before = has_old ? ToRuleValue(arena, *old, schema, rules.is_resource_)
                                      : cel::Value::Error("no such attribute(s): oldSelf");
    variables[1] = before;
    if (takes_none && rules.uses_old_) {
      variables[1] = cel::Value::Optional(has_old ? arena.Make<cel::Value>(before) : nullptr);
    }
    const Expression::Outcome outcome = rule.rule->Evaluate(arena, variables, kCallLimit);
    if (outcome.cost > static_cast<uint64_t>(budget_)) return RunOut(schema, path);
    budget_ -= std::max<int64_t>(static_cast<int64_t>(outcome.cost), 1);  // To begin one is work, too.
    if (outcome.value.is_error()) return FailToEvaluate(schema, path, rule, outcome.value.message());
    if (outcome.value.is_true()) return;
    variables[1] = before;  // A message never sees an optional one.
    Refuse(schema, path, rule, value, ratchet, arena, variables);
  }

  void RunOut(const Schema& schema, const std::string& path) {
    FailAs(schema, path,
           "validation failed due to running out of cost budget, no further validation rules will be run");
    Stop();
  }

  void FailToEvaluate(const Schema& schema, const std::string& path, const CompiledRule& rule,
                      std::string_view message) {
    const std::string name(NameOf(*rule.source));
    if (message.starts_with("no such overload")) {
      return FailAs(schema, path,
                    fmt::format("'{}': call arguments did not match a supported operator, function or macro signature "
                                "for rule: {}",
                                message, name));
    }
    if (message.starts_with("operation cancelled: actual cost limit exceeded")) {
      FailAs(schema, path,
             fmt::format("'{}': no further validation rules will be run due to call cost exceeds limit for rule: {}",
                         message, name));
      return Stop();
    }
    FailAs(schema, path, fmt::format("{} evaluating rule: {}", message, name));
  }

  void Refuse(const Schema& schema, const std::string& path, const CompiledRule& rule, const Json& value,
              const Ratchet& ratchet, cel::Arena& arena, std::span<const cel::Value> variables) {
    const std::string place = Child(path, rule.path);
    const std::string& where = rule.path.empty() ? path : place;
    std::string detail;
    if (rule.message) {
      const Expression::Outcome outcome = rule.message->Evaluate(arena, variables, kCallLimit);
      std::string failure;
      if (outcome.cost > static_cast<uint64_t>(budget_)) {
        failure =
            "messageExpression evaluation failed due to running out of cost budget, no further validation rules will "
            "be run";
      } else if (outcome.value.is_error() &&
                 outcome.value.message().starts_with("operation cancelled: actual cost limit exceeded")) {
        failure = fmt::format(
            "no further validation rules will be run due to call cost exceeds limit for messageExpression: {}",
            api::GoQuote(rule.source->message_expression));
      }
      if (!failure.empty()) {
        FieldErrors found;
        found.Invalid(PlaceOf(where), TypeName(schema.type), failure);
        AddFound(found, rule, ratchet);
        return Stop();
      }
      budget_ -= static_cast<int64_t>(outcome.cost);
      if (outcome.value.Is(cel::Kind::kString)) detail = Trim(outcome.value.string());
      if (detail.size() > kMessageMax || detail.find('\n') != std::string::npos) detail.clear();
    }
    if (detail.empty()) {
      detail = rule.source->message.empty() ? fmt::format("failed rule: {}", NameOf(*rule.source))
                                            : std::string(Trim(rule.source->message));
    }
    FieldErrors found;
    AddByReason(found, PlaceOf(where), schema, value, detail, rule.source->reason);
    AddFound(found, rule, ratchet);
  }

  static void AddByReason(FieldErrors& found, const std::string& place, const Schema& schema, const Json& value,
                          const std::string& detail, const std::string& reason) {
    const bool shows_value = schema.type != Schema::Type::kObject && schema.type != Schema::Type::kArray;
    if (reason == "FieldValueForbidden") return found.Forbidden(place, detail);
    if (reason == "FieldValueRequired") return found.Required(place, detail);
    if (reason == "FieldValueDuplicate") {
      if (shows_value) return found.Duplicate(place, value);
      return found.Add({reason, "Duplicate value", place});
    }
    if (shows_value) return found.Invalid(place, value, detail);
    found.Add({"FieldValueInvalid", "Invalid value: " + detail, place});
  }

  void AddFound(FieldErrors& found, const CompiledRule& rule, const Ratchet& ratchet) {
    const bool lets = !rule.uses_old && ratchet.Lets();
    for (FieldError& error : found.Take()) {
      text_ += error.message.size() + error.field.size();
      if (lets) {
        errors_.Warn(fmt::format("{}: {}", error.field, error.message));
      } else {
        errors_.Add(std::move(error));
      }
    }
    if (text_ > kTextMax) Stop();
  }

  void FailAs(const Schema& schema, const std::string& path, const std::string& detail) {
    text_ += detail.size() + path.size();
    errors_.Invalid(PlaceOf(path), TypeName(schema.type), detail);
    if (text_ > kTextMax) Stop();
  }

  static std::string PlaceOf(const std::string& path) { return path.empty() ? "<nil>" : path; }
  static std::string_view NameOf(const SchemaRule& rule) {
    return Trim(rule.message.empty() ? rule.rule : rule.message);
  }

  int64_t budget_;
  FieldErrors& errors_;
  size_t text_ = 0;
};

std::unique_ptr<const Rules> Rules::Make(const Schema& schema, bool is_resource) {
  if (!HasRules(schema)) return nullptr;
  const std::optional<cel::DeclaredType> type = DeclareType(schema, is_resource);
  return Make(schema, is_resource, type ? &*type : nullptr);
}

std::unique_ptr<const Rules> Rules::Make(const Schema& schema, bool is_resource, const cel::DeclaredType* type) {
  if (type == nullptr || !HasRules(schema)) return nullptr;
  auto made = std::make_unique<Rules>();
  made->schema_ = &schema;
  made->is_resource_ = is_resource;
  made->rules_ = CompileRules(schema, *type, nullptr, false);
  made->uses_old_ = std::ranges::any_of(made->rules_, &CompiledRule::uses_old);
  if (schema.items != nullptr) made->items_ = Make(*schema.items, schema.items->is_embedded, type->element.get());
  if (schema.additional != nullptr) {
    made->additional_ = Make(*schema.additional, schema.additional->is_embedded, type->element.get());
  }
  for (const SchemaProperty& property : schema.properties) {
    const std::string name = cel::EscapeName(property.name);
    std::unique_ptr<const Rules> rules = name.empty()
                                             ? Make(property.schema, property.schema.is_embedded)
                                             : Make(property.schema, property.schema.is_embedded, type->Find(name));
    if (rules != nullptr) made->properties_.emplace(property.name, std::move(rules));
  }
  return made;
}

int64_t Rules::Check(const Json& value, const Json* old, bool ratchets, const std::string& path, int64_t budget,
                     FieldErrors& errors) const {
  Run run(budget, errors);
  if (ratchets && old != nullptr) {
    const Pair pair{.value = &value, .old = old, .schema = schema_};
    run.Check(*this, value, old, {.current = &pair, .around = nullptr}, path);
  } else {
    run.Check(*this, value, old, {}, path);
  }
  return run.budget();
}

}  // namespace berth::server
