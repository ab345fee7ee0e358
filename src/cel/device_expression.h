// SPDX-License-Identifier: Apache-2.0
// DeviceExpression: a CEL expression about a device, compiled once and evaluated for many devices.
//
// It selects devices (a DeviceClass or a request has such selectors) or derives an attribute from a device. Language,
// libraries, costs and texts are those of k8s.io/dynamic-resource-allocation/cel v0.37.1. A failure is a value: a bad
// expression or device never does more than fail with a text.
//
// Thread: const after it was compiled; any number of threads may evaluate it.
// Cost: to compile, linear in the text; an evaluation is bounded by the cost limit and frees all it made.

#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cel/device.h"

namespace berth::cel {

struct CompileOptions {
  // Upstream's default of CELSelectorExpressionMaxCost.
  static constexpr uint64_t kCostLimit = 1'000'000;

  // An expression that is stored already may use everything, whatever the gates say, as the scheduler compiles it. One
  // that is being created (is_stored false) may use what the gates and the version before this one know.
  bool is_stored = true;
  bool consumable_capacity = true;    // Gate DRAConsumableCapacity; only for new expressions.
  bool list_type_attributes = false;  // Gate DRAListTypeAttributes; only for new expressions.
  bool derives_attribute = false;     // The result becomes an attribute; otherwise it says whether a device matches.
  bool estimates_cost = false;        // Compute max_cost, as the API server does.
  uint64_t cost_limit = kCostLimit;   // Of one evaluation.
};

struct CompileError {
  bool is_internal = false;  // Upstream's ErrorTypeInternal: a constant part of the expression failed.
  std::string detail;        // Such as "compilation failed: ERROR: <input>:1:1: ...".
};

class DeviceExpression {
 public:
  static std::expected<DeviceExpression, CompileError> Compile(std::string_view text,
                                                               const CompileOptions& options = {});

  DeviceExpression(DeviceExpression&&) noexcept;
  DeviceExpression& operator=(DeviceExpression&&) noexcept;
  ~DeviceExpression();

  const std::string& text() const;
  const std::string& result_type() const;  // The static type, such as bool or list(int).
  uint64_t max_cost() const;               // The worst case of one evaluation; UINT64_MAX unless it was asked for.

  // Whether the device matches, or the run-time error, with upstream's hint added to "no such key". `cost`, if given,
  // takes what the evaluation cost, also of one that failed; nothing if it never began.
  Result<bool> Matches(const Device& device, std::optional<uint64_t>* cost = nullptr) const;

  // The attribute that the expression makes of the device. An empty list comes back as one of strings.
  Result<AttributeValue> Derive(const Device& device, std::optional<uint64_t>* cost = nullptr) const;

 private:
  struct Impl;
  explicit DeviceExpression(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::cel
