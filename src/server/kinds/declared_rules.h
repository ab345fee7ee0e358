// SPDX-License-Identifier: Apache-2.0
// DeclaredRules: the rules that upstream declares beside the fields of its newer types, as tables.
//
// A type has fields and perhaps a choice of which exactly one must be set. What a rule means, which rules keep others
// from being looked at, and in which order errors come is the same for all types. What an update leaves as it was is
// not looked at again.
//
// Thread: any; tables are constant.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "framework/feature_gates.h"
#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"
#include "server/model/value_rules.h"

namespace berth::server {

struct TypeRules;

struct FieldRules {
  std::string_view name;
  const TypeRules* type = nullptr;  // Of the object, or of each item of a list; null: a value without parts.
  bool is_required = false;
  bool is_immutable = false;
  bool stays_set = false;                               // An update neither sets nor clears it.
  std::string_view key = {};                            // A list whose items are told apart by this member.
  bool keeps_items = false;                             // An update neither adds items nor takes any away.
  size_t items_max = SIZE_MAX;                          // Of a list.
  bool is_set = false;                                  // A list of texts, each of which may be there once.
  Problems (*format)(std::string_view text) = nullptr;  // Of the text, or of each item of a set.
  int64_t min = std::numeric_limits<int64_t>::min();
  int64_t max = std::numeric_limits<int64_t>::max();
  std::span<const std::string_view> values = {};  // Of which a text must be one; empty: any.
  // While the gate is off the field is dropped unless it was there before, and whoever changes it then is told so.
  std::optional<framework::Gate> gate = {};
  bool is_only_dropped = false;  // Nobody is told.
};

struct TypeRules {
  std::string_view message;  // Such as scheduling.v1beta1.PodGroupSpec, for showing a value.
  std::span<const FieldRules> fields;
  std::span<const std::string_view> one_of = {};  // Fields of which exactly one must be set.
};

// `old` is null for a new object.
void ValidateDeclared(const TypeRules& type, const Json& object, const Json* old, const framework::FeatureGates& gates,
                      const FieldPath& path, FieldErrors& errors);

// Drops fields whose gate is off.
void DropUngated(const TypeRules& type, Json& object, const Json& old, const framework::FeatureGates& gates);

}  // namespace berth::server
