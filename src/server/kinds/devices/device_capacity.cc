// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <limits>
#include <set>
#include <string>

#include "api/parts/quantity.h"
#include "server/kinds/devices/device_slices.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr size_t kValuesMax = 10;

using api::Quantity;

struct CapacityRange {
  Quantity low;
  std::optional<Quantity> high;
  std::optional<Quantity> step;
};

std::optional<Quantity> FindQuantity(const Json& object, std::string_view name) {
  const Json* text = object.Find(name);
  if (text == nullptr || text->is_null()) return std::nullopt;
  return ToQuantity(*text);
}

void ValidateValues(const Json& values, const Quantity& capacity, const Quantity& standard, const FieldPath& path,
                    FieldErrors& errors) {
  for (size_t i = 1; i < values.size(); ++i) {
    if (ToQuantity(values[i - 1]).Cmp(ToQuantity(values[i])) <= 0) continue;
    errors.Invalid(path[i], ToQuantity(values[i]).String(), "values must be sorted in ascending order");
  }
  bool has_standard = false;
  if (CheckCount(errors, path, values.size(), kValuesMax)) {
    for (size_t i = 0; i < values.size(); ++i) {
      const Quantity value = ToQuantity(values[i]);
      if (value.Cmp(capacity) > 0) {
        errors.Invalid(path[i], value.String(),
                       fmt::format("option is larger than capacity value: {}", capacity.String()));
      }
      has_standard |= value == standard;
    }
    std::set<int64_t> seen;
    for (size_t i = 0; i < values.size(); ++i) {
      const int64_t value = ToQuantity(values[i]).Value();
      if (!seen.insert(value).second) errors.Duplicate(path[i], std::to_string(value));
    }
  }
  if (!has_standard) {
    errors.Invalid(path, standard.String(), "default value is not valid according to the requestPolicy");
  }
}

// Whether the amount is one that can be counted with.
bool CheckCountable(const Quantity& amount, const FieldPath& path, FieldErrors& errors) {
  if (amount.Sign() < 0) {
    errors.Invalid(path, amount.String(), "must be greater than or equal to 0");
    return false;
  }
  if (amount.Cmp(Quantity::FromInt(std::numeric_limits<int64_t>::max())) > 0) {
    errors.Invalid(path, amount.String(), "must not be larger than 9223372036854775807");
    return false;
  }
  return true;
}

void CheckMultiple(const Quantity& amount, const CapacityRange& range, const FieldPath& path, FieldErrors& errors) {
  if ((amount.Value() - range.low.Value()) % range.step->Value() == 0) return;
  errors.Invalid(
      path, amount.String(),
      fmt::format("value is not a multiple of a given step ({}) from ({})", range.step->String(), range.low.String()));
}

void ValidateStep(const CapacityRange& range, const Quantity& capacity, const Quantity& standard, const FieldPath& path,
                  FieldErrors& errors) {
  const FieldPath at = path / "step";
  if (range.step->Sign() <= 0) return errors.Invalid(at, range.step->String(), "must be greater than zero");
  Quantity first = range.low;
  first.Add(*range.step);
  if (first.Cmp(capacity) > 0) {
    errors.Invalid(at, range.step->String(),
                   fmt::format("one step {} is larger than capacity value: {}", first.String(), capacity.String()));
  }
  bool is_countable = CheckCountable(standard, path / "default", errors);
  is_countable &= CheckCountable(range.low, path / "min", errors);
  if (range.high) is_countable &= CheckCountable(*range.high, path / "max", errors);
  is_countable &= CheckCountable(*range.step, at, errors);
  if (!is_countable) return;
  CheckMultiple(standard, range, at, errors);
  if (range.high) CheckMultiple(*range.high, range, at, errors);
}

void ValidateRange(const Json& object, const Quantity& capacity, const Quantity& standard, const FieldPath& path,
                   FieldErrors& errors) {
  const auto low = FindQuantity(object, "min");
  if (!low) return errors.Required(path / "min", "required when validRange is defined");
  const CapacityRange range{*low, FindQuantity(object, "max"), FindQuantity(object, "step")};
  const std::string limit = capacity.String();
  if (low->Cmp(capacity) > 0) {
    errors.Invalid(path / "min", low->String(), fmt::format("min is larger than capacity value: {}", limit));
  }
  if (standard.Cmp(*low) < 0) {
    errors.Invalid(path / "default", standard.String(), fmt::format("default is less than min: {}", low->String()));
  }
  if (range.high) {
    const std::string high = range.high->String();
    if (low->Cmp(*range.high) > 0) {
      errors.Invalid(path / "max", low->String(), fmt::format("min is larger than max: {}", high));
    }
    if (range.high->Cmp(capacity) > 0) {
      errors.Invalid(path / "max", high, fmt::format("max is larger than capacity value: {}", limit));
    }
    if (standard.Cmp(*range.high) > 0) {
      errors.Invalid(path / "default", standard.String(), fmt::format("default is more than max: {}", high));
    }
  }
  if (range.step) ValidateStep(range, capacity, standard, path, errors);
}

}  // namespace

void ValidateCapacityPolicy(const Json& capacity, const FieldPath& capacity_path, FieldErrors& errors) {
  const FieldPath path = capacity_path / "requestPolicy";
  const Json& policy = capacity["requestPolicy"];
  const Json& values = policy["validValues"];
  const Json* range = policy.Find("validRange");
  const Quantity limit = ToQuantity(capacity["value"]);
  if (!values.empty() && range != nullptr) {
    return errors.Forbidden(
        path, R"(exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time)");
  }
  if (values.empty() && range == nullptr) return;
  const auto standard = FindQuantity(policy, "default");
  if (!standard) {
    errors.Required(path / "default",
                    fmt::format("required when {} is defined", range == nullptr ? "validValues" : "validRange"));
  } else if (range == nullptr) {
    ValidateValues(values, limit, *standard, path / "validValues", errors);
  } else {
    ValidateRange(*range, limit, *standard, path / "validRange", errors);
  }
}

}  // namespace berth::server
