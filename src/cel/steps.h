// SPDX-License-Identifier: Apache-2.0
// Step: a part of a compiled expression that can be evaluated.
//
// Steps form a tree like cel-go's plan, because costs are counted by its shape: a chain such as
// device.attributes["d"].x is one step with qualifiers, not one step for each dot. Every step tells the cost tracker
// what it came to.
//
// Thread: const after planning.

#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/arena.h"
#include "cel/call_cost.h"
#include "cel/containers.h"
#include "cel/cost_tracker.h"
#include "cel/library.h"
#include "cel/regex.h"
#include "cel/value.h"

namespace berth::cel {

class FoldStep;

// A comprehension that is under way.
struct FoldState {
  const FoldStep* step = nullptr;
  Value accu;
  Value first;
  Value second;
  bool is_accu_set = false;
};

// One evaluation.
struct Frame {
  Arena& arena;
  CostTracker& costs;
  std::span<const Value> variables;
  std::vector<FoldState*> folds;  // By nesting.
};

class Step {
 public:
  virtual ~Step() = default;

  virtual int32_t id() const = 0;
  virtual Value Eval(Frame& frame) const = 0;
};

class ConstantStep final : public Step {
 public:
  ConstantStep(int32_t id, Value value) : id_(id), value_(value) {}
  int32_t id() const override { return id_; }
  const Value& value() const { return value_; }
  Value Eval(Frame& frame) const override;

 private:
  int32_t id_;
  Value value_;
};

// A variable of the environment, or of a comprehension around.
struct VariableRef {
  enum class Which : uint8_t { kGiven, kAccu, kFirst, kSecond };
  Which which = Which::kGiven;
  size_t place = 0;  // In Frame::variables or Frame::folds.

  Value Read(Frame& frame) const;
};

struct Attribute;

// A step from a value to something in it: .x, [1], [?i].
struct Qualifier {
  int32_t id = 0;
  bool is_optional = false;
  bool is_test = false;  // Whether it is there, not what.
  Value key;             // Unless one of these says where it comes from:
  const Attribute* attribute = nullptr;
  const Step* step = nullptr;
};

// Something that qualifiers are applied to: a variable, the value of a step, or one of two others.
struct Attribute {
  int32_t base_id = 0;
  VariableRef variable;
  const Step* operand = nullptr;
  const Step* condition = nullptr;
  Attribute* truthy = nullptr;
  Attribute* falsy = nullptr;
  std::vector<const Qualifier*> qualifiers;

  // cel-go names an attribute after its last qualifier.
  int32_t id() const;
  void Add(const Qualifier* qualifier);
  Value Resolve(Frame& frame) const;
};

class AttributeStep final : public Step {
 public:
  explicit AttributeStep(Attribute* attribute) : attribute_(attribute) {}
  int32_t id() const override { return attribute_->id(); }
  Attribute* attribute() const { return attribute_; }
  Value Eval(Frame& frame) const override;

 private:
  Attribute* attribute_;
};

// has(a.b).
class TestStep final : public Step {
 public:
  TestStep(int32_t id, Attribute* attribute) : id_(id), attribute_(attribute) {}
  int32_t id() const override { return id_; }
  Attribute* attribute() const { return attribute_; }
  Value Eval(Frame& frame) const override;

 private:
  int32_t id_;
  Attribute* attribute_;
};

// && and ||, which absorb errors of one side.
class LogicStep final : public Step {
 public:
  LogicStep(int32_t id, bool is_or, std::vector<const Step*> terms)
      : id_(id), is_or_(is_or), terms_(std::move(terms)) {}
  int32_t id() const override { return id_; }
  Value Eval(Frame& frame) const override;

 private:
  int32_t id_;
  bool is_or_;
  std::vector<const Step*> terms_;
};

// A call of a function. How many arguments are evaluated after one that failed depends on its make.
class CallStep : public Step {
 public:
  enum class Make : uint8_t { kFixed, kVariable };  // Of one or two arguments, all evaluated; of any number.

  CallStep(int32_t id, const Function* function, const Overload* overload, Make make, CostRule rule,
           std::vector<const Step*> args);
  int32_t id() const override { return id_; }
  std::string_view function() const { return function_->name; }
  const std::vector<const Step*>& args() const { return args_; }
  Value Eval(Frame& frame) const override;

 protected:
  virtual Value Invoke(Arena& arena, std::span<const Value> args) const;

 private:
  int32_t id_;
  const Function* function_;
  const Overload* overload_;  // nullptr: found out by the arguments.
  Make make_;
  bool is_strict_;
  CostRule rule_;
  std::vector<const Step*> args_;
  std::vector<int32_t> arg_ids_;
};

// matches, find and findAll with a pattern that is known.
class RegexStep final : public CallStep {
 public:
  RegexStep(int32_t id, const Function* function, CostRule rule, std::vector<const Step*> args, Regex regex)
      : CallStep(id, function, nullptr, Make::kVariable, rule, std::move(args)), regex_(std::move(regex)) {}

 protected:
  Value Invoke(Arena& arena, std::span<const Value> args) const override;

 private:
  Regex regex_;
};

// == and !=.
class EqualStep final : public CallStep {
 public:
  EqualStep(int32_t id, const Function* function, bool is_negated, CostRule rule, std::vector<const Step*> args)
      : CallStep(id, function, nullptr, Make::kFixed, rule, std::move(args)), is_negated_(is_negated) {}

 protected:
  Value Invoke(Arena& arena, std::span<const Value> args) const override;

 private:
  bool is_negated_;
};

// `in` a list of constants.
class MembershipStep final : public Step {
 public:
  using Set = boost::unordered_flat_set<Value, KeyHash, SameKey>;
  MembershipStep(int32_t id, const Step* arg, Set values) : id_(id), arg_(arg), values_(std::move(values)) {}
  int32_t id() const override { return id_; }
  Value Eval(Frame& frame) const override;

 private:
  int32_t id_;
  const Step* arg_;
  Set values_;
};

// or and orValue.
class OptionalOrStep final : public Step {
 public:
  OptionalOrStep(int32_t id, bool unwraps, const Step* left, const Step* right)
      : id_(id), unwraps_(unwraps), left_(left), right_(right) {}
  int32_t id() const override { return id_; }
  Value Eval(Frame& frame) const override;

 private:
  int32_t id_;
  bool unwraps_;
  const Step* left_;
  const Step* right_;
};

// A list, map or struct literal. Maps have keys and values in turn.
class LiteralStep final : public Step {
 public:
  enum class Make : uint8_t { kList, kMap, kStruct };
  LiteralStep(int32_t id, Make make, std::vector<const Step*> parts, std::vector<bool> optionals);
  LiteralStep(int32_t id, std::string name, std::vector<std::string> fields, std::vector<const Step*> parts,
              std::vector<bool> optionals);
  int32_t id() const override { return id_; }
  const std::vector<const Step*>& parts() const { return parts_; }
  Value Eval(Frame& frame) const override;
  // The same, without telling the costs.
  Value Build(Frame& frame) const;

 private:
  Value BuildList(Frame& frame) const;
  Value BuildMap(Frame& frame) const;
  Value BuildStruct(Frame& frame) const;

  int32_t id_;
  Make make_;
  std::string name_;                 // Of a struct's type.
  std::vector<std::string> fields_;  // Of a struct.
  std::vector<const Step*> parts_;
  std::vector<bool> optionals_;
  std::vector<int32_t> part_ids_;
};

// A comprehension.
class FoldStep final : public Step {
 public:
  struct Parts {
    const Step* range = nullptr;
    const Step* init = nullptr;
    const Step* condition = nullptr;
    const Step* step = nullptr;
    const Step* result = nullptr;
  };
  FoldStep(int32_t id, size_t depth, bool has_two_variables, const Parts& parts)
      : id_(id), depth_(depth), has_two_variables_(has_two_variables), parts_(parts) {}
  int32_t id() const override { return id_; }
  const Step& init() const { return *parts_.init; }
  Value Eval(Frame& frame) const override;

 private:
  Value Run(Frame& frame) const;
  // False if the loop ends.
  bool Round(Frame& frame, FoldState& state) const;

  int32_t id_;
  size_t depth_;
  bool has_two_variables_;
  Parts parts_;
};

// Ends the evaluation with upstream's text if a value cannot be looked up in one of Go's maps.
void RequireHashable(const Value& value);

}  // namespace berth::cel
