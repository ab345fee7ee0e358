// SPDX-License-Identifier: Apache-2.0
// Any two JSON values in a list: as sets of fields they are refused, or obey the laws of sets.

#include <cstddef>
#include <cstdint>

#include "base/assert.h"
#include "server/patch/field_set.h"

namespace {

using berth::server::FieldPathText;
using berth::server::FieldSet;

FieldSet Minus(FieldSet left, const FieldSet& right) {
  left.Subtract(right);
  return left;
}

FieldSet Plus(FieldSet left, const FieldSet& right) {
  left.Add(right);
  return left;
}

void CheckLaws(const FieldSet& left, const FieldSet& right) {
  BERTH_ASSERT(FieldSet::Parse(left.json()).value() == left);
  BERTH_ASSERT(Plus(left, left) == left && Minus(left, left).empty() && left.Intersection(left) == left);
  BERTH_ASSERT(Plus(left, right) == Plus(right, left));
  const FieldSet both = left.Intersection(right);
  BERTH_ASSERT(both == right.Intersection(left));
  BERTH_ASSERT(Plus(Minus(left, right), both) == left);
  FieldSet trees = left;
  trees.SubtractTrees(right);
  BERTH_ASSERT(Minus(trees, left).empty() && trees.Intersection(right).empty());
  left.ForEach([&](FieldSet::Path path) {
    BERTH_ASSERT(left.Has(path) && both.Has(path) == right.Has(path));
    BERTH_ASSERT(!FieldPathText(path).empty());
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto tree = berth::server::ParseTree({reinterpret_cast<const char*>(data), size});
  if (!tree) return 0;
  const auto left = FieldSet::Parse((*tree)[size_t{0}]);
  const auto right = FieldSet::Parse((*tree)[size_t{1}]);
  if (left && right) CheckLaws(*left, *right);
  return 0;
}

extern const char* const kFuzzSeeds[] = {
    R"([{"f:a":{".":{},"f:b":{}},"f:c":{"f:d":{}}},{"f:a":{},"f:c":{"f:d":{},"f:e":{}}}])",
    R"([{"k:{\"port\":80,\"protocol\":\"TCP\"}":{},"v:\"x\"":{},"i:3":{}},{"k:{\"protocol\":\"TCP\",\"port\":80}":{}}])",
    nullptr,
};
