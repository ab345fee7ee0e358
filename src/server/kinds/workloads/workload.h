// SPDX-License-Identifier: Apache-2.0
// What the controllers of pods have in common: a template, a selector, replicas and counters in their status.

#pragma once

#include <initializer_list>
#include <string_view>

#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"
#include "server/model/strategy.h"

namespace berth::server {

// A kind whose spec.template, or the template behind another path, makes pods.
class WorkloadStrategy : public Strategy {
 public:
  void PrepareCreate(Json& object) const override;
  void PrepareUpdate(Json& object, const Json& old) const override;

  bool has_generation() const override { return true; }
  bool has_status() const override { return true; }

 protected:
  // Null if there is none.
  virtual Json* Template(Json& object) const;
};

// How pods come and go: 3 or 25%.
void ValidateIntOrPercent(const Json& value, const FieldPath& path, FieldErrors& errors);
void ValidateAtMostAll(const Json& value, const FieldPath& path, FieldErrors& errors);
int64_t NumberOf(const Json& int_or_percent);

// Whether the selector, which must be valid, matches the labels.
bool SelectorMatches(const Json& selector, const Json& labels);

// A selector that must be there and not be empty. `kind` is as errors call it.
void ValidateRequiredSelector(const Json& spec, std::string_view kind, const FieldPath& spec_path, FieldErrors& errors);
// Whether its requirements can be read at all.
bool IsReadable(const Json& selector);

// The template must match the selector and is for pods that run forever. `kind` is as errors call it.
void ValidateMatchingTemplate(const Json& spec, const FieldPath& spec_path, FieldErrors& errors);
void ValidateEndlessPods(const Json& spec, std::string_view kind, const FieldPath& spec_path, FieldErrors& errors);

// Counters of a status must not be negative, some not greater than others.
struct CounterOrder {
  std::string_view counter;
  std::string_view most;  // The counter that is not smaller.
  std::string_view detail;
};
void ValidateCounterOrder(const Json& status, std::initializer_list<CounterOrder> orders, const FieldPath& path,
                          FieldErrors& errors);
// It counts hash collisions, so it never goes back.
void ValidateCollisionCount(const Json& status, const Json& old, const FieldPath& path, FieldErrors& errors);

}  // namespace berth::server
