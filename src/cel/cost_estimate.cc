// SPDX-License-Identifier: Apache-2.0
#include "cel/cost_estimate.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cel/call_cost.h"
#include "cel/library.h"
#include "cel/operations.h"

namespace berth::cel {
namespace {

constexpr uint64_t kUnlimited = UINT64_MAX;

uint64_t AddUp(uint64_t left, uint64_t right) { return left > kUnlimited - right ? kUnlimited : left + right; }
uint64_t TimesUp(uint64_t left, uint64_t right) {
  uint64_t product = 0;
  return __builtin_mul_overflow(left, right, &product) ? kUnlimited : product;
}
uint64_t ScaleUp(uint64_t number, double factor) {
  constexpr double kTwoTo64 = 18446744073709551616.0;
  const auto real = static_cast<double>(number);
  if (real > 0 && factor > 0 && real > kTwoTo64 / factor) return kUnlimited;
  const double scaled = std::ceil(real * factor);
  return scaled >= kTwoTo64 ? kUnlimited : static_cast<uint64_t>(scaled);
}

// The least and the most that a size or a cost can be.
struct Bounds {
  uint64_t min = 0;
  uint64_t max = 0;

  static Bounds Exactly(uint64_t number) { return {number, number}; }
  static Bounds Unknown() { return {0, kUnlimited}; }

  Bounds operator+(const Bounds& other) const { return {AddUp(min, other.min), AddUp(max, other.max)}; }
  Bounds operator*(const Bounds& other) const { return {TimesUp(min, other.min), TimesUp(max, other.max)}; }
  Bounds Times(double factor) const { return {ScaleUp(min, factor), ScaleUp(max, factor)}; }
  Bounds Or(const Bounds& other) const { return {std::min(min, other.min), std::max(max, other.max)}; }
};

// Sizes of what is in a list or map.
struct EntrySizes {
  TypeKind container = TypeKind::kList;
  Bounds key;
  Bounds value;
};

std::optional<EntrySizes> Either(const std::optional<EntrySizes>& left, const std::optional<EntrySizes>& right) {
  if (!left || !right) return std::nullopt;
  return EntrySizes{left->container, left->key.Or(right->key), left->value.Or(right->value)};
}

// How a value is reached from a variable, such as device, attributes, @values. Empty if it is not.
//
// It is one of Go's slices: two paths that go on from one can share memory, and the later one then changes the earlier.
// cel-go's estimates come out of that.
class Path {
 public:
  Path() = default;
  explicit Path(std::string_view first)
      : parts_(std::make_shared<std::vector<std::string>>(1, std::string(first))), size_(1) {}

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  const std::string& operator[](size_t i) const { return (*parts_)[i]; }
  std::span<const std::string> parts() const { return {parts_->data(), size_}; }

  // With one part more.
  Path With(std::string_view part) const {
    Path longer = *this;
    const size_t capacity = parts_ == nullptr ? 0 : parts_->size();
    if (size_ == capacity) {
      longer.parts_ = parts_ == nullptr ? std::make_shared<std::vector<std::string>>()
                                        : std::make_shared<std::vector<std::string>>(*parts_);
      longer.parts_->resize(std::max<size_t>(1, 2 * capacity));
    }
    (*longer.parts_)[longer.size_++] = part;
    return longer;
  }
  // The same, sharing nothing.
  Path WithApart(std::string_view part) const {
    Path copy;
    for (size_t i = 0; i < size_; ++i) copy = copy.With((*parts_)[i]);
    return copy.With(part);
  }

 private:
  std::shared_ptr<std::vector<std::string>> parts_;  // As long as the slice's capacity.
  size_t size_ = 0;
};

// A part of the expression as an argument of a call.
struct Node {
  const Expr* expr = nullptr;  // nullptr: the elements of a list.
  const Type* type = nullptr;
  Path path;
  std::optional<Bounds> size;
};

struct CallEstimate {
  Bounds cost;
  std::optional<Bounds> result_size;
};

class Estimator {
 public:
  explicit Estimator(const Environment& environment) : environment_(environment) {}

  Bounds Cost(const Expr* expr) {
    switch (expr->kind) {
      case ExprKind::kIdent: paths_[expr->id] = PathOf(expr); return Bounds::Exactly(1);
      case ExprKind::kSelect: return CostOfSelect(expr);
      case ExprKind::kCall: return CostOfCall(expr);
      case ExprKind::kList: return CostOfList(expr);
      case ExprKind::kMap: return CostOfMap(expr);
      case ExprKind::kStruct: {
        Bounds cost = Bounds::Exactly(40);
        for (const Expr* arg : expr->args) cost = cost + Cost(arg);
        return cost;
      }
      case ExprKind::kComprehension: return IsBind(expr) ? CostOfBind(expr) : CostOfFold(expr);
      default: return {};
    }
  }

 private:
  struct Local {
    std::string name;
    Path path;
    std::optional<Bounds> size;
    std::optional<EntrySizes> entries;
  };

  const Local* FindLocal(std::string_view name) const {
    const auto it =
        std::find_if(locals_.rbegin(), locals_.rend(), [name](const Local& local) { return local.name == name; });
    return it == locals_.rend() ? nullptr : &*it;
  }

  // Whether it is a variable of the environment, whatever shadows it.
  bool IsVariable(const Expr* expr) const {
    if (!expr->is_global) return false;
    TypeTable types;
    return environment_.VariableType(types, expr->name) != nullptr;
  }

  Path PathOf(const Expr* expr) const {
    if (expr->kind == ExprKind::kIdent) {
      const Local* local = IsVariable(expr) ? nullptr : FindLocal(expr->name);
      if (local != nullptr) return local->path;
    }
    const auto it = paths_.find(expr->id);
    if (it != paths_.end()) return it->second;
    return expr->kind == ExprKind::kIdent ? Path(expr->name) : Path();
  }

  std::optional<Bounds> SizeOfLiteral(const Expr* expr) const {
    switch (expr->kind) {
      case ExprKind::kLiteral: return Bounds::Exactly(SizeOf(expr->literal));
      case ExprKind::kList: return Bounds::Exactly(expr->args.size());
      case ExprKind::kMap: return Bounds::Exactly(expr->args.size() / 2);
      default: return std::nullopt;
    }
  }

  // The size of what a path leads to.
  std::optional<Bounds> SizeByPath(const Path& path) const {
    if (path.empty()) return std::nullopt;
    const std::optional<uint64_t> max = environment_.MaxSize(path.parts());
    return max ? std::optional(Bounds{0, *max}) : std::nullopt;
  }

  static bool IsScalar(const Type* type) {
    switch (type->kind) {
      case TypeKind::kBool:
      case TypeKind::kDouble:
      case TypeKind::kDuration:
      case TypeKind::kInt:
      case TypeKind::kTimestamp:
      case TypeKind::kUint: return true;
      default: return type->is_optional() && IsScalar(type->params[0]);
    }
  }

  std::optional<Bounds> SizeOfExpr(const Expr* expr) {
    if (const auto it = sizes_.find(expr->id); it != sizes_.end()) return it->second;
    if (const std::optional<Bounds> size = SizeOfLiteral(expr)) return size;
    if (const std::optional<Bounds> size = SizeByPath(PathOf(expr))) {
      sizes_[expr->id] = *size;
      return size;
    }
    if (IsScalar(expr->type)) return Bounds::Exactly(1);
    if (expr->kind == ExprKind::kIdent) {
      if (const Local* local = FindLocal(expr->name)) return local->size;
    }
    return std::nullopt;
  }
  Bounds SizeOrUnknown(const Expr* expr) { return SizeOfExpr(expr).value_or(Bounds::Unknown()); }

  void SetSize(const Expr* expr, const std::optional<Bounds>& size) {
    if (size) sizes_[expr->id] = *size;
  }
  std::optional<EntrySizes> EntriesOf(const Expr* expr) const {
    if (const auto it = entries_.find(expr->id); it != entries_.end()) return it->second;
    if (expr->kind == ExprKind::kIdent) {
      if (const Local* local = FindLocal(expr->name)) return local->entries;
    }
    return std::nullopt;
  }
  void SetEntries(const Expr* expr, const std::optional<EntrySizes>& entries) {
    if (entries) entries_[expr->id] = *entries;
  }

  Node NodeOf(const Expr* expr) {
    Node node{expr, expr->type, PathOf(expr), SizeOfExpr(expr)};
    if (!node.path.empty() && IsAccumulator(node.path[0])) node.path = Path();
    return node;
  }
  // As Kubernetes' estimator asks.
  Bounds NodeSize(const Node& node) const {
    if (node.size) return *node.size;
    return SizeByPath(node.path).value_or(Bounds::Unknown());
  }
  // As cel-go's own does.
  static Bounds ComputedSize(const Node& node) { return node.size.value_or(Bounds::Unknown()); }

  Bounds CostOfSelect(const Expr* expr) {
    const Bounds operand = Cost(expr->target);
    if (expr->is_test) return operand;
    paths_[expr->id] = PathOf(expr->target).With(expr->name);
    const TypeKind kind = expr->target->type->kind;
    const bool costs = kind == TypeKind::kMap || kind == TypeKind::kStruct || kind == TypeKind::kParam;
    return costs ? operand + Bounds::Exactly(1) : operand;
  }

  Bounds CostOfCall(const Expr* expr) {
    if (expr->name == "dyn") {
      const Bounds cost = Cost(expr->args[0]) + Bounds::Exactly(1);
      CopySizes(expr, expr->args[0]);
      return cost;
    }
    std::vector<Node> args;
    std::vector<Bounds> arg_costs;
    for (const Expr* arg : expr->args) {
      arg_costs.push_back(Cost(arg));
      args.push_back(NodeOf(arg));
    }
    Bounds sum;
    std::optional<Node> target;
    if (expr->target != nullptr) {
      sum = Cost(expr->target);
      target = NodeOf(expr->target);
    }
    Bounds call{kUnlimited, 0};
    std::optional<Bounds> result_size;
    for (const Overload* overload : expr->overloads) {
      const CallEstimate estimate = CostOfOverload(expr, overload->id, target, args, arg_costs);
      call = call.Or(estimate.cost);
      if (estimate.result_size)
        result_size = result_size ? result_size->Or(*estimate.result_size) : *estimate.result_size;
      const bool is_list = overload->id == "index_list";
      if (is_list || overload->id == "index_map") {
        const std::optional<EntrySizes> entries = EntriesOf(expr->args[0]);
        result_size = entries ? std::optional(entries->value) : std::nullopt;
        paths_[expr->id] = PathOf(expr->args[0]).With(is_list ? "@items" : "@values");
      }
      if (!result_size) result_size = SizeOfExpr(expr);
    }
    SetSize(expr, result_size);
    return sum + call;
  }

  void CopySizes(const Expr* to, const Expr* from) {
    SetSize(to, SizeOfExpr(from));
    SetEntries(to, EntriesOf(from));
  }

  Bounds CostOfList(const Expr* expr) {
    Bounds cost = Bounds::Exactly(10);
    Bounds element{expr->args.empty() ? 0 : kUnlimited, 0};
    for (const Expr* arg : expr->args) {
      cost = cost + Cost(arg);
      element = element.Or(SizeOrUnknown(arg));
    }
    entries_[expr->id] = EntrySizes{TypeKind::kList, Bounds::Exactly(1), element};
    return cost;
  }

  Bounds CostOfMap(const Expr* expr) {
    Bounds cost = Bounds::Exactly(30);
    Bounds key{expr->args.empty() ? 0 : kUnlimited, 0};
    Bounds value = key;
    for (size_t i = 0; i + 1 < expr->args.size(); i += 2) {
      cost = cost + Cost(expr->args[i]) + Cost(expr->args[i + 1]);
      key = key.Or(SizeOrUnknown(expr->args[i]));
      value = value.Or(SizeOrUnknown(expr->args[i + 1]));
    }
    entries_[expr->id] = EntrySizes{TypeKind::kMap, key, value};
    return cost;
  }

  static bool IsBind(const Expr* expr) {
    const Comprehension& fold = *expr->fold;
    return fold.range->kind == ExprKind::kList && fold.range->args.empty() &&
           fold.condition->kind == ExprKind::kLiteral && fold.condition->literal.is_false() &&
           fold.accu_var != "__result__";
  }

  void PushLocal(std::string name, const Expr* expr) {
    locals_.push_back({std::move(name), PathOf(expr), SizeOfExpr(expr), EntriesOf(expr)});
  }
  void PushIteration(const std::string& name, const Expr* range, bool is_value) {
    const std::optional<EntrySizes> entries = EntriesOf(range);
    const TypeKind container = entries ? entries->container : range->type->kind;
    const bool is_list = container == TypeKind::kList;
    const std::string_view part = is_value ? (is_list ? "@items" : "@values") : (is_list ? "@indices" : "@keys");
    std::optional<Bounds> size;
    if (entries) size = is_value ? entries->value : entries->key;
    locals_.push_back({name, PathOf(range).With(part), size, std::nullopt});
  }

  Bounds CostOfBind(const Expr* expr) {
    const Comprehension& fold = *expr->fold;
    Bounds cost = Cost(fold.range) + Cost(fold.init);
    PushLocal(fold.accu_var, fold.init);
    cost = cost + Cost(fold.result);
    locals_.pop_back();
    CopySizes(expr, fold.result);
    return cost;
  }

  Bounds CostOfFold(const Expr* expr) {
    const Comprehension& fold = *expr->fold;
    Bounds cost = Cost(fold.range) + Cost(fold.init);
    PushLocal(fold.accu_var, fold.init);
    const size_t outer = locals_.size();
    if (!fold.iter_var2.empty()) {
      PushIteration(fold.iter_var, fold.range, false);
      PushIteration(fold.iter_var2, fold.range, true);
    } else {
      const std::optional<EntrySizes> entries = EntriesOf(fold.range);
      const TypeKind container = entries ? entries->container : fold.range->type->kind;
      PushIteration(fold.iter_var, fold.range, container == TypeKind::kList);
    }
    const Bounds condition = Cost(fold.condition);
    const Bounds step = Cost(fold.step);
    locals_.resize(outer);
    cost = cost + Cost(fold.result);
    locals_.pop_back();

    const Bounds count = SizeOrUnknown(fold.range);
    cost = cost + count * (step + condition);
    if (fold.init->kind == ExprKind::kLiteral) {
      SetSize(expr, SizeOfExpr(fold.init));
    } else if (fold.init->kind == ExprKind::kList || fold.init->kind == ExprKind::kMap) {
      SetSize(expr, count);
      SetEntries(expr, EntriesOf(fold.step));
    }
    return cost;
  }

  CallEstimate CostOfOverload(const Expr* expr, std::string_view id, const std::optional<Node>& target,
                              const std::vector<Node>& args, const std::vector<Bounds>& arg_costs) {
    Bounds sum;
    for (const Bounds& cost : arg_costs) sum = sum + cost;
    std::optional<CallEstimate> estimate = ByListLibrary(id, target, args);
    if (!estimate) estimate = ByKubernetes(expr->name, id, target, args);
    if (estimate) return {estimate->cost + sum, estimate->result_size};
    return ByLanguage(expr, id, target, args, arg_costs, sum);
  }

  // cel-go's lists and sets.

  static CallEstimate NewList(double factor, const Bounds& size) {
    return {size.Times(factor) + Bounds::Exactly(1) + Bounds::Exactly(10), size};
  }
  static uint64_t NumberOr(const Node& node, uint64_t otherwise) {
    if (node.expr->kind != ExprKind::kLiteral || !node.expr->literal.Is(Kind::kInt)) return otherwise;
    return static_cast<uint64_t>(std::max<int64_t>(node.expr->literal.integer(), 0));
  }

  std::optional<CallEstimate> ByListLibrary(std::string_view id, const std::optional<Node>& target,
                                            const std::vector<Node>& args) const {
    if (id == "list_slice") {
      const uint64_t start = NumberOr(args[0], 0);
      const uint64_t end = NumberOr(args[1], NodeSize(*target).max);
      return NewList(1, Bounds::Exactly(end - start));
    }
    if (id == "lists_range") return NewList(1, Bounds::Exactly(NumberOr(args[0], kUnlimited)));
    if (id == "list_reverse") return NewList(1, NodeSize(*target));
    if (id == "list_flatten") return NewList(1, NodeSize(*target));
    if (id == "list_flatten_int") return NewList(static_cast<double>(NumberOr(args[0], kUnlimited)), NodeSize(*target));
    const bool is_sort = id.ends_with("_sort");
    if (is_sort || id.ends_with("_sortByAssociatedKeys") || id == "list_distinct") {
      const Bounds size = NodeSize(is_sort || id == "list_distinct" ? *target : args[0]);
      const bool has_text = id.starts_with("list_string_") || id.starts_with("list_bytes_");
      return NewList(has_text ? 2.0 + kCostPerCharacter : 2.0, size * size);
    }
    if (id.starts_with("list_sets_")) {
      const double factor = id == "list_sets_equivalent_list" ? 2 : 1;
      return CallEstimate{(NodeSize(args[0]) * NodeSize(args[1])).Times(factor) + Bounds::Exactly(1), std::nullopt};
    }
    return std::nullopt;
  }

  // Kubernetes' own.

  static bool IsOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
  }
  static CallEstimate Fixed(uint64_t cost) { return {Bounds::Exactly(cost), std::nullopt}; }

  std::optional<Node> Elements(const Node& list) const {
    if (list.type->params.empty()) return std::nullopt;
    Node elements{nullptr, list.type->params[0], {}, std::nullopt};
    if (!list.path.empty()) elements.path = list.path.WithApart("@items");
    return elements;
  }

  std::optional<CallEstimate> ByKubernetes(std::string_view function, std::string_view id,
                                           const std::optional<Node>& target, const std::vector<Node>& args) const {
    if (function == "check") return Fixed(350000);
    if (IsOneOf(function, {"serviceAccount", "path", "group", "resource", "subresource", "namespace", "name", "allowed",
                           "reason", "error", "errored"})) {
      return Fixed(1);
    }
    if (IsOneOf(function, {"fieldSelector", "labelSelector"})) {
      const Bounds size = NodeSize(args[0]);
      return CallEstimate{Bounds::Exactly(10) + size.Times(kCostPerCharacter) + size.Times(0.5).Times(50),
                          std::nullopt};
    }
    if (IsOneOf(function, {"isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "includes"}) && target) {
      return EstimateTraversal(function, *target);
    }
    if (function == "url" && args.size() == 1) {
      return CallEstimate{NodeSize(args[0]).Times(kCostPerCharacter), NodeSize(args[0])};
    }
    if (IsOneOf(function, {"lowerAscii", "upperAscii", "substring", "trim"}) && target) {
      return CallEstimate{NodeSize(*target).Times(kCostPerCharacter), NodeSize(*target)};
    }
    if (function == "replace" && target) return EstimateReplace(*target, args);
    if (function == "split" && target) {
      Bounds size{0, NodeSize(*target).max};
      if (args.size() > 1 && args[1].expr->kind == ExprKind::kLiteral && args[1].expr->literal.Is(Kind::kInt)) {
        size.max = static_cast<uint64_t>(args[1].expr->literal.integer());
      }
      return CallEstimate{NodeSize(*target).Times(2 * kCostPerCharacter), size};
    }
    if (function == "join" && target) return EstimateJoin(*target, args);
    if (IsOneOf(function, {"find", "findAll"}) && target) {
      const Bounds size = NodeSize(*target);
      const Bounds text = (size + Bounds::Exactly(1)).Times(kCostPerCharacter);
      return CallEstimate{text * NodeSize(args[0]).Times(kCostPerPatternCharacter), Bounds{0, size.max}};
    }
    if (id == "cidr_ip") return Fixed(1);
    if (IsOneOf(function, {"cidr", "isIP", "isCIDR", "ip", "quantity", "isQuantity", "semver", "isSemver"})) {
      return CallEstimate{NodeSize(args[0]).Times(kCostPerCharacter), std::nullopt};
    }
    if (function == "ip.isCanonical") return CallEstimate{NodeSize(args[0]).Times(2 * kCostPerCharacter), std::nullopt};
    if (function == "containsIP" || function == "containsCIDR") return EstimateContains(function, id, args);
    if (function == "validate") {
      constexpr double kPatternSize = 128;
      return CallEstimate{NodeSize(args[0]).Times(kCostPerCharacter).Times(kPatternSize * kCostPerPatternCharacter),
                          std::nullopt};
    }
    if (IsOneOf(function, {"format.named",
                           "sign",
                           "asInteger",
                           "isInteger",
                           "asApproximateFloat",
                           "isGreaterThan",
                           "isLessThan",
                           "compareTo",
                           "add",
                           "sub",
                           "major",
                           "minor",
                           "patch",
                           "getScheme",
                           "getHostname",
                           "getHost",
                           "getPort",
                           "getEscapedPath",
                           "getQuery",
                           "masked",
                           "prefixLength",
                           "family",
                           "isUnspecified",
                           "isLoopback",
                           "isLinkLocalMulticast",
                           "isLinkLocalUnicast",
                           "isGlobalUnicast"})) {
      return Fixed(1);
    }
    if (function == "_==_") return EstimateEquals(args);
    return std::nullopt;
  }

  CallEstimate EstimateTraversal(std::string_view function, const Node& target) const {
    const Bounds size = NodeSize(target);
    const std::optional<Node> elements = Elements(target);
    if (!elements) {
      if (function == "includes") return {size, std::nullopt};
      return {size.Times(kCostPerCharacter), std::nullopt};
    }
    Bounds each = Bounds::Exactly(1);
    if (elements->type->Is(TypeKind::kString) || elements->type->Is(TypeKind::kBytes)) {
      each = each + NodeSize(*elements).Times(kCostPerCharacter);
    }
    return {size * each, std::nullopt};
  }

  CallEstimate EstimateReplace(const Node& target, const std::vector<Node>& args) const {
    const Bounds size = NodeSize(target);
    const Bounds old = NodeSize(args[0]);
    const Bounds replacement = NodeSize(args[1]);
    const auto divided = [](uint64_t by, uint64_t number) {
      const double quotient = std::ceil(static_cast<double>(number) / static_cast<double>(by));
      return quotient >= 18446744073709551616.0 ? uint64_t{1} << 63 : static_cast<uint64_t>(quotient);
    };
    Bounds count;
    Bounds kept;
    if (old.min == 0) {
      count.max = AddUp(size.max, size.max < kUnlimited ? 1 : 0);
      kept.max = size.max;
    } else if (replacement.max <= old.min) {
      kept.max = size.max;
    } else {
      count.max = divided(old.min, size.max);
    }
    if (old.max == 0) {
      count.min = AddUp(size.min, size.min < kUnlimited ? 1 : 0);
      kept.min = size.min;
    } else if (old.max <= replacement.min) {
      kept.min = size.min;
    } else {
      count.min = divided(old.max, size.min);
    }
    return {size.Times(2 * kCostPerCharacter), count * replacement + kept};
  }

  CallEstimate EstimateJoin(const Node& target, const std::vector<Node>& args) const {
    const Bounds list = NodeSize(target);
    Bounds size;
    if (const std::optional<Node> elements = Elements(target)) size = list * NodeSize(*elements);
    if (!args.empty()) {
      const Bounds separators{list.min > 0 ? list.min - 1 : 0, list.max > 0 ? list.max - 1 : 0};
      size = size + NodeSize(args[0]) * separators;
    }
    return {size.Times(kCostPerCharacter), size};
  }

  CallEstimate EstimateContains(std::string_view function, std::string_view id, const std::vector<Node>& args) const {
    const Bounds address{4, 16};
    Bounds cost = (address + address).Times(kCostPerCharacter);
    if (function == "containsCIDR") cost = cost + address.Times(kCostPerCharacter) + Bounds::Exactly(1);
    if (id.ends_with("_string")) cost = cost + NodeSize(args[0]).Times(kCostPerCharacter);
    return {cost, std::nullopt};
  }

  std::optional<CallEstimate> EstimateEquals(const std::vector<Node>& args) const {
    const Type* type = args[0].type;
    if (type->name != args[1].type->name) return std::nullopt;
    if (type->Is(TypeKind::kOpaque) && (type->name == "net.IP" || type->name == "net.CIDR")) return Fixed(1);
    if (!type->Is(TypeKind::kStruct)) return std::nullopt;
    if (type->name == "kubernetes.NamedFormat")
      return CallEstimate{Bounds{1, 64}.Times(kCostPerCharacter), std::nullopt};
    if (type->name == "kubernetes.URL") {
      const uint64_t max = args[1].size ? args[1].size->max : 1;
      return CallEstimate{Bounds{1, max}.Times(kCostPerCharacter), std::nullopt};
    }
    return type->name.starts_with("kubernetes.") && !environment_.IsMessage(type->name) ? std::optional(Fixed(1))
                                                                                        : std::nullopt;
  }

  // cel-go's own.

  CallEstimate ByLanguage(const Expr* expr, std::string_view id, const std::optional<Node>& target,
                          const std::vector<Node>& args, const std::vector<Bounds>& arg_costs, const Bounds& sum) {
    const auto scan = [](const Bounds& size) { return size.Times(kCostPerCharacter); };
    if (id == "string_format") return {scan(ComputedSize(*target)) + sum, std::nullopt};
    if (id == "string_to_bytes") {
      const Bounds size = ComputedSize(args[0]);
      return {scan(size) + sum, Bounds{size.min, size.max * 4}};
    }
    if (id == "bytes_to_string") {
      const Bounds size = ComputedSize(args[0]);
      return {scan(size) + sum, Bounds{size.min / 4, size.max}};
    }
    if (id == "strings_quote") {
      const Bounds size = ComputedSize(args[0]);
      return {scan(size) + sum, Bounds{size.min + 2, size.max * 2 + 2}};
    }
    if (id == "starts_with_string" || id == "ends_with_string")
      return {scan(ComputedSize(args[0])) + sum, std::nullopt};
    if (id == "in_list") return {ComputedSize(args[1]).Times(1) + sum, std::nullopt};
    if (id == "matches" || id == "matches_string") {
      const Bounds text =
          (ComputedSize(id == "matches" ? args[0] : *target) + Bounds::Exactly(1)).Times(kCostPerCharacter);
      const Bounds pattern = ComputedSize(id == "matches" ? args[1] : args[0]).Times(kCostPerPatternCharacter);
      return {text * pattern + sum, std::nullopt};
    }
    if (id == "contains_string") return {scan(ComputedSize(*target)) * scan(ComputedSize(args[0])) + sum, std::nullopt};
    if (id == "logical_or" || id == "logical_and") {
      return {Bounds{arg_costs[0].min, (arg_costs[0] + arg_costs[1]).max}, std::nullopt};
    }
    if (id == "conditional") {
      SetEntries(expr, Either(EntriesOf(expr->args[1]), EntriesOf(expr->args[2])));
      return {arg_costs[0] + arg_costs[1].Or(arg_costs[2]), ComputedSize(args[1]).Or(ComputedSize(args[2]))};
    }
    if (id == "add_string" || id == "add_bytes" || id == "add_list") {
      const Bounds size = ComputedSize(args[0]) + ComputedSize(args[1]);
      SetEntries(expr, Either(EntriesOf(expr->args[0]), EntriesOf(expr->args[1])));
      return {(id == "add_list" ? Bounds::Exactly(1) : scan(size)) + sum, size};
    }
    const bool is_order = id.starts_with("less_") || id.starts_with("greater_");
    if ((is_order && (id.ends_with("_string") || id.ends_with("_bytes"))) || id == "equals" || id == "not_equals") {
      const uint64_t shorter = std::min(ComputedSize(args[0]).max, ComputedSize(args[1]).max);
      return {scan(Bounds{shorter > 0 ? uint64_t{1} : 0, shorter}) + sum, std::nullopt};
    }
    return {Bounds::Exactly(1) + sum, std::nullopt};
  }

  const Environment& environment_;
  std::unordered_map<int32_t, Path> paths_;
  std::unordered_map<int32_t, Bounds> sizes_;
  std::unordered_map<int32_t, EntrySizes> entries_;
  std::vector<Local> locals_;
};

}  // namespace

uint64_t EstimateCost(const Ast& ast, const Environment& environment) {
  return Estimator(environment).Cost(ast.root).max;
}

}  // namespace berth::cel
