// SPDX-License-Identifier: Apache-2.0
#include "cel/device_expression.h"

#include <fmt/format.h>

#include <utility>

#include "cel/arena.h"
#include "cel/containers.h"
#include "cel/device_environment.h"
#include "cel/device_impl.h"
#include "cel/expression.h"
#include "cel/operations.h"

namespace berth::cel {
namespace {

DeviceEnvironment EnvironmentFor(const CompileOptions& options) {
  const bool has_lists = options.is_stored || options.list_type_attributes;
  return {Library::Get(has_lists), options.is_stored || options.consumable_capacity, has_lists};
}

bool IsAttributeElement(const Type* type) {
  return type->Is(TypeKind::kBool) || type->Is(TypeKind::kInt) || type->Is(TypeKind::kString) || type->is_dyn() ||
         (type->Is(TypeKind::kStruct) && type->name == "kubernetes.Semver");
}

// Why an expression may not have a type; nothing if it may.
std::optional<std::string> RefuseType(const Type* type, TypeTable& types, const DeviceEnvironment& environment,
                                      const CompileOptions& options) {
  if (!options.derives_attribute) {
    if (type->Is(TypeKind::kBool) || type == environment.AttributeType(types)) return std::nullopt;
    return fmt::format("must evaluate to bool or the unknown type, not {}", TypeToString(type));
  }
  const bool may_be_list = options.is_stored || options.list_type_attributes;
  if (IsAttributeElement(type)) return std::nullopt;
  if (may_be_list && type->Is(TypeKind::kList) && IsAttributeElement(type->params[0])) return std::nullopt;
  return fmt::format("must evaluate to a primitive scalar (string, integer, boolean, semver){}, not {}",
                     may_be_list ? " or a list of these scalars" : "", TypeToString(type));
}

// Why Go cannot take the value for a bool.
std::string NotBool(const Value& value) {
  const std::string_view type = TypeName(value);
  std::string reason;
  switch (value.kind()) {
    case Kind::kString: reason = "unsupported native conversion from string to 'bool'"; break;
    case Kind::kInt: reason = "unsupported type conversion from 'int' to bool"; break;
    case Kind::kUint: reason = "unsupported type conversion from 'uint' to bool"; break;
    case Kind::kType: reason = "type conversion not supported for 'type'"; break;
    case Kind::kBytes: reason = "type conversion error from Bytes to 'bool'"; break;
    case Kind::kDouble: reason = "type conversion error from Double to 'bool'"; break;
    case Kind::kDuration: reason = "type conversion error from 'Duration' to 'bool'"; break;
    case Kind::kTimestamp: reason = "type conversion error from 'Timestamp' to 'bool'"; break;
    case Kind::kList:
    case Kind::kMap: reason = fmt::format("type conversion error from {} to 'bool'", type); break;
    case Kind::kQuantity: reason = "type conversion error from 'Quantity' to 'bool'"; break;
    case Kind::kSemver: reason = "type conversion error from 'Semver' to 'bool'"; break;
    case Kind::kUrl: reason = "type conversion error from 'URL' to 'bool'"; break;
    case Kind::kIp: reason = "type conversion error from 'IP' to 'bool'"; break;
    case Kind::kCidr: reason = "type conversion error from 'CIDR' to 'bool'"; break;
    case Kind::kFormat: reason = "type conversion error from 'Format' to 'bool'"; break;
    default: reason = fmt::format("type conversion error from '{}' to 'bool'", type); break;
  }
  return reason;
}

// The Go type of what upstream finds in a value.
std::string_view NativeTypeName(const Value& value) {
  switch (value.kind()) {
    case Kind::kNull: return "structpb.NullValue";
    case Kind::kBool: return "bool";
    case Kind::kInt: return "int64";
    case Kind::kUint: return "uint64";
    case Kind::kDouble: return "float64";
    case Kind::kString:
    case Kind::kType: return "string";
    case Kind::kBytes: return "[]uint8";
    case Kind::kDuration: return "time.Duration";
    case Kind::kTimestamp: return "time.Time";
    case Kind::kMap: return "map[ref.Val]ref.Val";
    case Kind::kList: return value.list().make() == List::Make::kJoined ? "[]interface {}" : "[]ref.Val";
    case Kind::kQuantity: return "*resource.Quantity";
    case Kind::kSemver: return "semver.Version";
    case Kind::kUrl: return "*url.URL";
    case Kind::kIp: return "netip.Addr";
    case Kind::kCidr: return "netip.Prefix";
    case Kind::kFormat: return "cel.Format";
    default: return "<nil>";
  }
}

// The list as elements of one type, named as upstream does.
template <class Element, class Read>
Result<AttributeValue> ToElements(const List& list, Kind kind, std::string_view name, Read read) {
  std::vector<Element> elements;
  for (size_t i = 0; i < list.size(); ++i) {
    const Value value = list.at(i);
    if (!value.Is(kind)) {
      return Invalid(fmt::format("expected list element at index {} to be {}, got {}", i, name, NativeTypeName(value)));
    }
    elements.push_back(read(value));
  }
  return AttributeValue(std::move(elements));
}

Result<AttributeValue> ToAttribute(const Value& value) {
  switch (value.kind()) {
    case Kind::kBool: return AttributeValue(value.boolean());
    case Kind::kInt: return AttributeValue(value.integer());
    case Kind::kString: return AttributeValue(std::string(value.string()));
    case Kind::kType: return AttributeValue(std::string(value.type_name()));
    case Kind::kSemver: return AttributeValue(Version{value.semver().text});
    case Kind::kOptional:
      if (value.optional() != nullptr && !value.optional()->Is(Kind::kList)) return ToAttribute(*value.optional());
      break;
    case Kind::kList: {
      const List& list = value.list();
      if (list.size() == 0) return AttributeValue(std::vector<std::string>());
      switch (list.at(0).kind()) {
        case Kind::kBool:
          return ToElements<bool>(list, Kind::kBool, "bool", [](const Value& v) { return v.boolean(); });
        case Kind::kInt:
          return ToElements<int64_t>(list, Kind::kInt, "int", [](const Value& v) { return v.integer(); });
        case Kind::kString:
          return ToElements<std::string>(list, Kind::kString, "string",
                                         [](const Value& v) { return std::string(v.string()); });
        case Kind::kSemver:
          return ToElements<Version>(list, Kind::kSemver, "semver",
                                     [](const Value& v) { return Version{v.semver().text}; });
        default: return Invalid(fmt::format("unsupported list element type: {}", NativeTypeName(list.at(0))));
      }
    }
    default: break;
  }
  const Value* inner = value.Is(Kind::kOptional) ? value.optional() : &value;
  return Invalid(fmt::format("unsupported CEL return type: {}", inner == nullptr ? "<nil>" : NativeTypeName(*inner)));
}

}  // namespace

struct DeviceExpression::Impl {
  std::string text;
  uint64_t cost_limit = CompileOptions::kCostLimit;
  Expression expression;

  // Evaluates and hands the value, which lives only as long as the call, to `use`.
  template <class T, class Use>
  Result<T> Evaluate(const Device::Impl& device, std::optional<uint64_t>* cost, Use use) const {
    if (cost != nullptr) cost->reset();
    if (device.problem) return Invalid(*device.problem);
    Arena arena;
    const Value variable = Value::Of(&device.device);
    const Expression::Outcome outcome = expression.Evaluate(arena, {&variable, 1}, cost_limit);
    if (cost != nullptr) *cost = outcome.cost;
    if (outcome.value.is_error()) return Invalid(std::string(outcome.value.message()));
    try {
      return use(arena, outcome.value);
    } catch (const Cancelled& cancelled) {
      return Invalid(cancelled.message);
    }
  }
};

DeviceExpression::DeviceExpression(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DeviceExpression::DeviceExpression(DeviceExpression&&) noexcept = default;
DeviceExpression& DeviceExpression::operator=(DeviceExpression&&) noexcept = default;
DeviceExpression::~DeviceExpression() = default;

const std::string& DeviceExpression::text() const { return impl_->text; }
const std::string& DeviceExpression::result_type() const { return impl_->expression.result_type(); }
uint64_t DeviceExpression::max_cost() const { return impl_->expression.max_cost(); }

std::expected<DeviceExpression, CompileError> DeviceExpression::Compile(std::string_view text,
                                                                        const CompileOptions& options) {
  const DeviceEnvironment environment = EnvironmentFor(options);
  const auto rule = [&](const Type* type, TypeTable& types) { return RefuseType(type, types, environment, options); };
  auto expression = Expression::Compile(text, environment, rule, options.estimates_cost);
  if (!expression) {
    const Expression::Refusal& refusal = expression.error();
    switch (refusal.stage) {
      case Expression::Stage::kText:
        return std::unexpected(CompileError{false, "compilation failed: " + refusal.detail});
      case Expression::Stage::kType: return std::unexpected(CompileError{false, refusal.detail});
      case Expression::Stage::kProgram: break;
    }
    return std::unexpected(CompileError{true, "program instantiation failed: " + refusal.detail});
  }
  return DeviceExpression(std::make_unique<Impl>(
      Impl{.text = std::string(text), .cost_limit = options.cost_limit, .expression = *std::move(expression)}));
}

Result<bool> DeviceExpression::Matches(const Device& device, std::optional<uint64_t>* cost) const {
  Result<bool> result = impl_->Evaluate<bool>(*device.impl_, cost, [](Arena&, const Value& value) -> Result<bool> {
    const Value* plain = value.Is(Kind::kOptional) ? value.optional() : &value;
    if (plain != nullptr && plain->Is(Kind::kBool)) return plain->boolean();
    return Invalid(fmt::format("CEL result of type {} could not be converted to bool: {}", TypeName(value),
                               plain == nullptr ? "optional.none() dereference" : NotBool(*plain)));
  });
  if (!result && result.error().message.find("no such key:") != std::string::npos) {
    result.error().message +=
        ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for "
        "optional "
        "fields";
  }
  return result;
}

Result<AttributeValue> DeviceExpression::Derive(const Device& device, std::optional<uint64_t>* cost) const {
  return impl_->Evaluate<AttributeValue>(*device.impl_, cost,
                                         [](Arena&, const Value& value) { return ToAttribute(value); });
}

}  // namespace berth::cel
