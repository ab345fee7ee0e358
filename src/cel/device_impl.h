// SPDX-License-Identifier: Apache-2.0
// What is in a Device: the variable `device` as values.

#pragma once

#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cel/containers.h"
#include "cel/device.h"
#include "cel/semver.h"
#include "cel/value.h"

namespace berth::cel {

struct Device::Impl {
  Impl(std::string_view driver_name, bool allow_multiple_allocations);
  Impl(const Impl&) = delete;

  // A domain that a device has nothing in is an empty map.
  static const Map& EmptyMap();

  void Set(Map& outer, std::string_view name, const Value& value);
  void SetList(std::string_view name, std::vector<Value> elements);
  // Every expression fails on this device; of several such attributes the first by name tells why.
  void Refuse(std::string_view name, std::string_view reason);
  // nullptr if it does not parse; that is noted.
  const Semver* ReadVersion(std::string_view name, std::string_view text);

  std::string_view driver;
  Map device;
  Map attributes;
  Map capacity;
  std::list<Map> domains;
  std::list<Semver> versions;
  std::list<std::vector<Value>> elements_of_lists;
  std::list<ArrayList> lists;
  std::optional<std::string> problem;
  std::string_view bad_name;
};

}  // namespace berth::cel
