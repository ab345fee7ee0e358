// SPDX-License-Identifier: Apache-2.0
// Device: a device as CEL expressions see it, the variable `device`.
//
// It is made once per device and matched against many expressions. Names without a domain (`model`) belong to the
// domain of the driver; `domain/model` splits at the first slash. An attribute that makes no sense (a version that does
// not parse, no value at all) is kept, and fails every expression on this device with upstream's text.
//
// The device copies no text: every name, string and quantity that is handed in is only looked at, and must stay where
// it is while the device lives. Versions are parsed once, here.
//
// Thread: const after it was filled.
// Cost: 48 bytes per attribute or capacity, and what versions and lists need.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/parts/quantity.h"

namespace berth::cel {

// The text of a semantic version, such as 1.2.3-rc.1+build.
struct Version {
  std::string text;
  bool operator==(const Version&) const = default;
};

// What an attribute can hold; monostate stands for none of the known fields.
using AttributeValue = std::variant<std::monostate, bool, int64_t, std::string, Version, std::vector<bool>,
                                    std::vector<int64_t>, std::vector<std::string>, std::vector<Version>>;

class Device {
 public:
  explicit Device(std::string_view driver, bool allow_multiple_allocations = false);
  Device(Device&&) noexcept;
  Device& operator=(Device&&) noexcept;
  ~Device();

  // In any order. Of two that name the same domain and identifier the later one counts.
  void AddBool(std::string_view name, bool value);
  void AddInt(std::string_view name, int64_t value);
  void AddString(std::string_view name, std::string_view value);
  void AddVersion(std::string_view name, std::string_view text);
  void AddBools(std::string_view name, const std::vector<bool>& values);
  void AddInts(std::string_view name, std::span<const int64_t> values);
  void AddStrings(std::string_view name, std::span<const std::string> values);
  void AddVersions(std::string_view name, std::span<const std::string> texts);
  void AddUnset(std::string_view name);  // An attribute with none of the known fields.
  void AddCapacity(std::string_view name, const api::Quantity& amount);

 private:
  friend class DeviceExpression;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::cel
