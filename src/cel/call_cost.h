// SPDX-License-Identifier: Apache-2.0
// CallCost: what a call costs, by function and overload.
//
// The rules are cel-go's and those of Kubernetes' CostEstimator. Which rule a call has is known when it is compiled.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cel/arena.h"
#include "cel/value.h"

namespace berth::cel {

// Of reading a character of a text, and of a pattern.
inline constexpr double kCostPerCharacter = 0.1;
inline constexpr double kCostPerPatternCharacter = 0.25;

enum class CostRule : uint8_t {
  kOne,
  kScanFirst,  // A tenth per character of the first argument.
  kScanFirstTwice,
  kScanSecond,
  kScanResultTwice,
  kScanBoth,      // Of both arguments together.
  kScanShorter,   // Of the shorter one.
  kEquals,        // The same, but Kubernetes' own types compare for one.
  kEachOfSecond,  // One per element of the second argument.
  kContains,      // A tenth per character of either, multiplied.
  kRegex,         // By the lengths of text and pattern.
  kTraverse,      // All that is in the first argument.
  kContainsIp,
  kContainsIpText,
  kContainsCidr,
  kContainsCidrText,
  kValidate,      // A format.
  kListOfResult,  // A new list of the result's size.
  kFlatten,
  kCompareFirst,  // Each element of the first list with each.
  kCompareSecond,
  kSets,  // Each element of one with each of the other.
  kSetsTwice,
};

// `overload` is empty if the call has several to choose from when it is made.
CostRule CostRuleOf(std::string_view function, std::string_view overload);

// Cancels the evaluation where cel-go does because an argument is an error.
uint64_t CallCost(CostRule rule, Arena& arena, std::span<const Value> args, const Value& result);

// Whether the cost is known before the call is made.
bool IsKnownBefore(CostRule rule);

}  // namespace berth::cel
