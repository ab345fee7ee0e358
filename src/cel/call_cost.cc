// SPDX-License-Identifier: Apache-2.0
#include "cel/call_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cel/containers.h"
#include "cel/named_format.h"
#include "cel/operations.h"

namespace berth::cel {
namespace {

constexpr uint64_t kNewList = 10;

constexpr std::pair<std::string_view, CostRule> kByFunction[] = {
    {"isSorted", CostRule::kTraverse},      {"sum", CostRule::kTraverse},
    {"max", CostRule::kTraverse},           {"min", CostRule::kTraverse},
    {"indexOf", CostRule::kTraverse},       {"lastIndexOf", CostRule::kTraverse},
    {"includes", CostRule::kTraverse},      {"url", CostRule::kScanFirst},
    {"lowerAscii", CostRule::kScanFirst},   {"upperAscii", CostRule::kScanFirst},
    {"substring", CostRule::kScanFirst},    {"trim", CostRule::kScanFirst},
    {"replace", CostRule::kScanFirstTwice}, {"split", CostRule::kScanFirstTwice},
    {"join", CostRule::kScanResultTwice},   {"find", CostRule::kRegex},
    {"findAll", CostRule::kRegex},          {"cidr", CostRule::kScanFirst},
    {"isIP", CostRule::kScanFirst},         {"isCIDR", CostRule::kScanFirst},
    {"ip", CostRule::kScanFirst},           {"ip.isCanonical", CostRule::kScanFirstTwice},
    {"containsIP", CostRule::kContainsIp},  {"containsCIDR", CostRule::kContainsCidr},
    {"quantity", CostRule::kScanFirst},     {"isQuantity", CostRule::kScanFirst},
    {"semver", CostRule::kScanFirst},       {"isSemver", CostRule::kScanFirst},
    {"validate", CostRule::kValidate},      {"_==_", CostRule::kEquals},
};

constexpr std::pair<std::string_view, CostRule> kByOverload[] = {
    {"cidr_ip", CostRule::kOne},
    {"cidr_contains_ip_string", CostRule::kContainsIpText},
    {"cidr_contains_cidr_string", CostRule::kContainsCidrText},
    {"list_slice", CostRule::kListOfResult},
    {"lists_range", CostRule::kListOfResult},
    {"list_reverse", CostRule::kListOfResult},
    {"list_flatten", CostRule::kFlatten},
    {"list_flatten_int", CostRule::kFlatten},
    {"list_distinct", CostRule::kCompareFirst},
    {"list_sets_contains_list", CostRule::kSets},
    {"list_sets_intersects_list", CostRule::kSets},
    {"list_sets_equivalent_list", CostRule::kSetsTwice},
    {"string_jsonpatch_escapeKey_string", CostRule::kScanFirst},
};

// cel-go's own, where Kubernetes has none.
constexpr std::pair<std::string_view, CostRule> kByStandardOverload[] = {
    {"starts_with_string", CostRule::kScanSecond},
    {"ends_with_string", CostRule::kScanSecond},
    {"string_to_bytes", CostRule::kScanFirst},
    {"bytes_to_string", CostRule::kScanFirst},
    {"strings_quote", CostRule::kScanFirst},
    {"string_format", CostRule::kScanFirst},
    {"in_list", CostRule::kEachOfSecond},
    {"less_string", CostRule::kScanShorter},
    {"greater_string", CostRule::kScanShorter},
    {"less_equals_string", CostRule::kScanShorter},
    {"greater_equals_string", CostRule::kScanShorter},
    {"less_bytes", CostRule::kScanShorter},
    {"greater_bytes", CostRule::kScanShorter},
    {"less_equals_bytes", CostRule::kScanShorter},
    {"greater_equals_bytes", CostRule::kScanShorter},
    {"not_equals", CostRule::kScanShorter},
    {"add_string", CostRule::kScanBoth},
    {"add_bytes", CostRule::kScanBoth},
    {"matches", CostRule::kRegex},
    {"matches_string", CostRule::kRegex},
    {"contains_string", CostRule::kContains},
};

template <size_t size>
const CostRule* FindRule(const std::pair<std::string_view, CostRule> (&table)[size], std::string_view name) {
  const auto it = std::ranges::find(table, name, [](const auto& entry) { return entry.first; });
  return it == std::end(table) ? nullptr : &it->second;
}

uint64_t Ceil(double cost) { return static_cast<uint64_t>(std::ceil(cost)); }
uint64_t Scan(uint64_t size) { return Ceil(static_cast<double>(size) * kCostPerCharacter); }

// cel-go's own rules look into optionals for a size, Kubernetes' do not.
uint64_t SizeInside(const Value& value) {
  const Value* inner = &value;
  while (inner->Is(Kind::kOptional) && inner->optional() != nullptr) inner = inner->optional();
  return SizeOf(*inner);
}

uint64_t ScanShorter(std::span<const Value> args) { return Scan(std::min(SizeInside(args[0]), SizeInside(args[1]))); }

uint64_t RegexCost(uint64_t text_size, uint64_t pattern_size) {
  return Ceil((1.0 + static_cast<double>(text_size)) * kCostPerCharacter) *
         Ceil(static_cast<double>(pattern_size) * kCostPerPatternCharacter);
}

uint64_t Traverse(Arena& arena, const Value& value) {
  arena.Spend(1);
  switch (value.kind()) {
    case Kind::kString: return static_cast<uint64_t>(static_cast<double>(value.string().size()) * kCostPerCharacter);
    case Kind::kBytes: return static_cast<uint64_t>(static_cast<double>(value.bytes().size()) * kCostPerCharacter);
    case Kind::kList: {
      uint64_t cost = 0;
      SpendOn(arena, value.list());
      for (size_t i = 0; i < value.list().size(); ++i) cost += Traverse(arena, value.list().at(i));
      return cost;
    }
    case Kind::kMap: {
      uint64_t cost = 0;
      for (const Map::Entry& entry : value.map().entries())
        cost += Traverse(arena, entry.key) + Traverse(arena, entry.value);
      return cost;
    }
    default: return 1;
  }
}

uint64_t SaturatingAdd(uint64_t left, uint64_t right) { return left > UINT64_MAX - right ? UINT64_MAX : left + right; }

uint64_t NewListCost(double factor, uint64_t size) {
  const double cost = static_cast<double>(size) * (factor < 0 ? 1 : factor);
  const uint64_t whole = cost >= 18446744073709551616.0 ? uint64_t{1} << 63 : static_cast<uint64_t>(cost);
  return SaturatingAdd(SaturatingAdd(whole, 1), kNewList);
}

[[noreturn]] void CancelForError(std::string_view text) { throw Cancelled{fmt::format("internal error: {}", text)}; }

uint64_t FlattenCost(std::span<const Value> args) {
  double depth = 1;
  if (args.size() == 2) {
    if (!args[1].Is(Kind::kInt)) {
      CancelForError(fmt::format("interface conversion: ref.Val is {}, not types.Int", GoTypeName(args[1])));
    }
    depth = static_cast<double>(args[1].integer());
  }
  return NewListCost(depth, SizeOf(args[0]));
}

uint64_t CompareAllCost(const Value& value) {
  if (!value.Is(Kind::kList)) {
    // The first method of a list that the value does not have.
    const std::string_view missing = HasTrait(value, Trait::kAdd) ? "Contains" : "Add";
    CancelForError(
        fmt::format("interface conversion: {} is not traits.Lister: missing method {}", GoTypeName(value), missing));
  }
  const List& list = value.list();
  const uint64_t size = list.size();
  double factor = 2.0;
  if (size > 0 && (list.at(0).Is(Kind::kString) || list.at(0).Is(Kind::kBytes))) factor += kCostPerCharacter;
  uint64_t square = 0;
  if (__builtin_mul_overflow(size, size, &square)) square = UINT64_MAX;
  return NewListCost(factor, square);
}

bool IsKubernetesType(const Value& value) { return value.kind() >= Kind::kQuantity; }

}  // namespace

CostRule CostRuleOf(std::string_view function, std::string_view overload) {
  if (const CostRule* rule = FindRule(kByOverload, overload)) return *rule;
  if (overload.ends_with("_sort")) return CostRule::kCompareFirst;
  if (overload.ends_with("_sortByAssociatedKeys")) return CostRule::kCompareSecond;
  if (const CostRule* rule = FindRule(kByFunction, function)) return *rule;
  if (const CostRule* rule = FindRule(kByStandardOverload, overload)) return *rule;
  return CostRule::kOne;
}

bool IsKnownBefore(CostRule rule) { return rule != CostRule::kScanResultTwice && rule != CostRule::kListOfResult; }

uint64_t CallCost(CostRule rule, Arena& arena, std::span<const Value> args, const Value& result) {
  switch (rule) {
    case CostRule::kOne: return 1;
    case CostRule::kScanFirst: return Scan(SizeOf(args[0]));
    case CostRule::kScanFirstTwice: return Ceil(static_cast<double>(SizeOf(args[0])) * 2 * kCostPerCharacter);
    case CostRule::kScanSecond: return Scan(SizeInside(args[1]));
    case CostRule::kScanResultTwice: return Ceil(static_cast<double>(SizeOf(result)) * 2 * kCostPerCharacter);
    case CostRule::kScanBoth: return Scan(SizeInside(args[0]) + SizeInside(args[1]));
    case CostRule::kScanShorter: return ScanShorter(args);
    case CostRule::kEquals: return IsKubernetesType(args[0]) ? 1 : ScanShorter(args);
    case CostRule::kEachOfSecond: return SizeInside(args[1]);
    case CostRule::kContains: return Scan(SizeInside(args[0])) * Scan(SizeInside(args[1]));
    case CostRule::kRegex: return RegexCost(SizeInside(args[0]), SizeInside(args[1]));
    case CostRule::kTraverse: return Traverse(arena, args[0]);
    case CostRule::kContainsIp:
    case CostRule::kContainsIpText: {
      const uint64_t cost = Scan(2 * SizeOf(args[0]));
      return rule == CostRule::kContainsIp ? cost : cost + Scan(SizeOf(args[1]));
    }
    case CostRule::kContainsCidr:
    case CostRule::kContainsCidrText: {
      const uint64_t cost = Scan(2 * SizeOf(args[0])) + Scan(SizeOf(args[0])) + 1;
      return rule == CostRule::kContainsCidr ? cost : cost + Scan(SizeOf(args[1]));
    }
    case CostRule::kValidate:
      return args[0].Is(Kind::kFormat) ? RegexCost(SizeOf(args[1]), args[0].format().regex_size) : 1;
    case CostRule::kListOfResult: return NewListCost(1, SizeOf(result));
    case CostRule::kFlatten: return FlattenCost(args);
    case CostRule::kCompareFirst: return CompareAllCost(args[0]);
    case CostRule::kCompareSecond: return CompareAllCost(args[1]);
    case CostRule::kSets:
    case CostRule::kSetsTwice: {
      const auto pairs = static_cast<double>(SizeOf(args[0]) * SizeOf(args[1]));
      return SaturatingAdd(1, static_cast<uint64_t>(pairs * (rule == CostRule::kSets ? 1 : 2)));
    }
  }
  return 1;
}

}  // namespace berth::cel
