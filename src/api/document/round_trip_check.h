// SPDX-License-Identifier: Apache-2.0
// CheckRoundTrip: what the fuzz targets demand of every tree a parser made.
//
// Its JSON must read back as the same JSON, and its YAML as an equal tree.

#pragma once

#include "api/document/value.h"
#include "api/document/yaml_writer.h"
#include "base/assert.h"

namespace berth::api {

// Equal up to the form of numbers. YAML reads a number beyond the range of double as a string.
inline bool SameTree(Value before, Value after) {
  if (before.is_number() && !before.AsDouble()) return before.text() == after.text() || after.is_number();
  if (before.is_number()) return before.AsDouble() == after.AsDouble();
  if (before.kind() != after.kind() || before.text() != after.text() || before.size() != after.size()) return false;
  for (size_t i = 0; i < before.size(); ++i) {
    if (before.key(i) != after.key(i) || !SameTree(before[i], after[i])) return false;
  }
  return true;
}

inline void CheckRoundTrip(Value value) {
  const std::string json = value.ToJson();
  const auto from_json = ParseJson(json);
  BERTH_ASSERT(from_json && from_json->root().ToJson() == json && SameTree(value, from_json->root()));
  const auto from_yaml = ParseYaml(ToYaml(value));
  BERTH_ASSERT(from_yaml && from_yaml->size() == (value.is_null() ? 0 : 1));
  BERTH_ASSERT(value.is_null() || SameTree(value, from_yaml->front().root()));
}

}  // namespace berth::api
