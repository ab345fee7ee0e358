// SPDX-License-Identifier: Apache-2.0
#include "plugins/dynamic_resources/allocator/consumed_capacity.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include <fmt/format.h>

namespace berth::plugins {
namespace {

using api::CapacityRequestPolicy;
using api::Quantity;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

std::unexpected<Error> NotRepresentable(std::string_view detail) {
  return Invalid(fmt::format("capacity request cannot be represented in the device's range arithmetic: {}", detail));
}

// The amount in thousandths, if that is exact.
std::optional<int64_t> ExactMilli(const Quantity& amount) {
  const int64_t milli = amount.MilliValue();
  if (amount.Cmp(Quantity::FromMilli(milli)) != 0) return std::nullopt;
  return milli;
}

bool UsesMilli(const CapacityRequestPolicy::Range& range, bool fractional) {
  if (!fractional) return false;
  for (const std::optional<Quantity>* bound : {&range.min, &range.max, &range.step}) {
    if (*bound && !ExactMilli(**bound)) return false;
  }
  return !range.step || *ExactMilli(*range.step) >= 1;
}

// The first of min, min + step, min + 2 * step, ... that is not below `requested`; nothing if it is beyond int64.
std::optional<int64_t> NextStep(int64_t requested, int64_t min, int64_t step) {
  const auto added = static_cast<int64_t>(static_cast<uint64_t>(requested) - static_cast<uint64_t>(min));
  const int64_t steps = added / step + (added % step != 0 ? 1 : 0);
  if (min >= 0 && steps > (kMax - min) / step) return std::nullopt;
  return static_cast<int64_t>(static_cast<uint64_t>(min) + static_cast<uint64_t>(step) * static_cast<uint64_t>(steps));
}

Result<Quantity> RoundUp(const Quantity& requested, const CapacityRequestPolicy::Range& range, bool fractional) {
  if (requested.Cmp(*range.min) < 0) return *range.min;
  if (!range.step) return requested;
  if (UsesMilli(range, fractional)) {
    const std::optional<int64_t> milli = ExactMilli(requested);
    if (!milli)
      return NotRepresentable(fmt::format("request {} is not a representable milli value", requested.String()));
    const auto next = NextStep(*milli, range.min->MilliValue(), range.step->MilliValue());
    if (!next) {
      return NotRepresentable(
          fmt::format("rounding request {} up to the next step passes the milli-value range", requested.String()));
    }
    return *next % 1000 == 0 ? Quantity::FromInt(*next / 1000, range.step->format())
                             : Quantity::FromMilli(*next, range.step->format());
  }
  if (requested.Cmp(Quantity::FromInt(kMax)) > 0) {
    return NotRepresentable(fmt::format("request {} exceeds MaxInt64", requested.String()));
  }
  const int64_t step = range.step->Value();
  if (step <= 0) return NotRepresentable("the step is not positive");
  const auto next = NextStep(requested.Value(), range.min->Value(), step);
  if (!next) {
    return NotRepresentable(fmt::format("rounding request {} up to the next step passes MaxInt64", requested.String()));
  }
  return Quantity::FromInt(*next, range.step->format());
}

Result<Quantity> Consumed(const Quantity* requested, const api::DeviceCapacity& capacity, bool fractional) {
  const auto& policy = capacity.request_policy;
  if (requested == nullptr) return policy && policy->default_value ? *policy->default_value : capacity.value;
  if (!policy) return *requested;
  if (policy->valid_range && policy->valid_range->min) return RoundUp(*requested, *policy->valid_range, fractional);
  for (const Quantity& valid : policy->valid_values) {
    if (requested->Cmp(valid) <= 0) return valid;
  }
  return *requested;
}

bool IsOnStep(const Quantity& amount, const CapacityRequestPolicy::Range& range, bool fractional) {
  const bool milli = UsesMilli(range, fractional);
  if (milli && !ExactMilli(amount)) return false;
  const auto value = [&](const Quantity& quantity) { return milli ? quantity.MilliValue() : quantity.Value(); };
  const int64_t step = value(*range.step);
  const int64_t min = range.min ? value(*range.min) : 0;
  const auto above = static_cast<int64_t>(static_cast<uint64_t>(value(amount)) - static_cast<uint64_t>(min));
  return step != 0 && above % step == 0;
}

bool Violates(const Quantity& amount, const CapacityRequestPolicy& policy, bool fractional) {
  const auto& standard = policy.default_value;
  if (standard && amount.Cmp(*standard) == 0 && amount.String() == standard->String()) return false;
  if (policy.valid_range) {
    const CapacityRequestPolicy::Range& range = *policy.valid_range;
    if (range.max && amount.Cmp(*range.max) > 0) return true;
    return range.step && !IsOnStep(amount, range, fractional);
  }
  return !policy.valid_values.empty() && std::ranges::find(policy.valid_values, amount) == policy.valid_values.end();
}

}  // namespace

Result<std::optional<api::ResourceList>> ConsumedCapacity(const std::optional<api::ResourceList>& requests,
                                                          const api::Device& device, bool fractional) {
  if (requests) {
    for (const auto& [name, amount] : *requests) {
      if (api::FindNamed(device.capacity, name) == nullptr) return std::nullopt;
    }
  }
  api::ResourceList consumed;
  for (const auto& [name, capacity] : device.capacity) {
    const Result<Quantity> amount = Consumed(requests ? requests->Find(name) : nullptr, capacity, fractional);
    if (!amount) return Invalid(fmt::format("capacity \"{}\": {}", name, amount.error().message));
    if (amount->Sign() < 0) return Invalid(fmt::format("capacity \"{}\": capacity value is negative", name));
    consumed.Set(name, *amount);
  }
  for (const auto& [name, capacity] : device.capacity) {
    if (capacity.request_policy && Violates(*consumed.Find(name), *capacity.request_policy, fractional)) {
      return std::nullopt;
    }
  }
  return consumed;
}

bool CapacitySuffices(const api::Device& device, const api::ResourceList* used, const api::ResourceList* allocating,
                      const api::ResourceList& consumed) {
  return std::ranges::all_of(device.capacity, [&](const auto& entry) {
    const auto& [name, capacity] = entry;
    Quantity sum = *consumed.Find(name);
    for (const api::ResourceList* other : {used, allocating}) {
      const Quantity* amount = other == nullptr ? nullptr : other->Find(name);
      if (amount != nullptr) sum.Add(*amount);
    }
    return sum.Cmp(capacity.value) <= 0;
  });
}

}  // namespace berth::plugins
