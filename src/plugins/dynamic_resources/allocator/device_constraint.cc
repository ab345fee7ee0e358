// SPDX-License-Identifier: Apache-2.0
#include "plugins/dynamic_resources/allocator/device_constraint.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/overloaded.h"

namespace berth::plugins {
namespace {

using api::DeviceAttribute;

// Attributes of these types hold one value.
bool IsScalar(const DeviceAttribute& attribute) {
  return std::holds_alternative<bool>(attribute.value) || std::holds_alternative<int64_t>(attribute.value) ||
         std::holds_alternative<std::string>(attribute.value) ||
         std::holds_alternative<DeviceAttribute::Version>(attribute.value);
}

std::string BoolText(bool value) { return value ? "b1" : "b0"; }
std::string IntText(int64_t value) { return fmt::format("i{}", value); }
std::string StringText(const std::string& value) { return "s" + value; }
std::string VersionText(const std::string& value) { return "v" + value; }

}  // namespace

const DeviceAttribute* FindAttribute(const api::Device& device, std::string_view driver, std::string_view name) {
  if (const DeviceAttribute* found = api::FindNamed(device.attributes, name)) return found;
  const size_t slash = name.find('/');
  if (slash == name.npos || name.substr(0, slash) != driver) return nullptr;
  return api::FindNamed(device.attributes, name.substr(slash + 1));
}

DeviceConstraint::DeviceConstraint(const api::DeviceConstraint& written, bool lists)
    : written_(&written), is_match_(written.match_attribute.has_value()), lists_(lists) {}

bool DeviceConstraint::CoversRequest(const std::string& request, const std::string* alternative) const {
  if (written_->requests.empty()) return true;
  return std::ranges::any_of(written_->requests, [&](const std::string& name) {
    return name == request || (alternative != nullptr && name == request + "/" + *alternative);
  });
}

std::optional<DeviceConstraint::Values> DeviceConstraint::ValuesOf(const DeviceAttribute& attribute) {
  Values values;
  const auto all = [&](const auto& list, auto text) {
    for (const auto& value : list) values.insert(text(value));
  };
  std::visit(Overloaded{
                 [](std::monostate) {},
                 [&](bool value) { values.insert(BoolText(value)); },
                 [&](int64_t value) { values.insert(IntText(value)); },
                 [&](const std::string& value) { values.insert(StringText(value)); },
                 [&](const DeviceAttribute::Version& value) { values.insert(VersionText(value.text)); },
                 [&](const std::vector<bool>& list) { all(list, BoolText); },
                 [&](const std::vector<int64_t>& list) { all(list, IntText); },
                 [&](const std::vector<std::string>& list) { all(list, StringText); },
                 [&](const DeviceAttribute::Versions& list) { all(list.texts, VersionText); },
             },
             attribute.value);
  if (values.empty()) return std::nullopt;
  return values;
}

bool DeviceConstraint::AdmitsScalar(const DeviceAttribute& attribute) const {
  if (added_.empty()) return true;
  if (!IsScalar(attribute)) return false;
  if (is_match_) return attribute == *added_.front();
  return std::ranges::none_of(added_, [&](const DeviceAttribute* other) { return attribute == *other; });
}

bool DeviceConstraint::AdmitsList(const DeviceAttribute& attribute) const {
  const std::optional<Values> values = ValuesOf(attribute);
  if (!values) return false;
  const auto meets = [&](const Values& other) {
    return std::ranges::any_of(*values, [&](const std::string& value) { return other.contains(value); });
  };
  if (is_match_) return common_.empty() || meets(common_.back());
  return std::ranges::none_of(added_, [&](const DeviceAttribute* other) {
    const std::optional<Values> others = ValuesOf(*other);
    return others && meets(*others);
  });
}

bool DeviceConstraint::Admits(const DeviceAttribute* attribute) const {
  if (attribute == nullptr) return false;
  return lists_ ? AdmitsList(*attribute) : AdmitsScalar(*attribute);
}

bool DeviceConstraint::Add(const DeviceAttribute* attribute) {
  if (!Admits(attribute)) return false;
  if (lists_ && is_match_) {
    Values common = *ValuesOf(*attribute);
    if (!common_.empty()) std::erase_if(common, [&](const auto& value) { return !common_.back().contains(value); });
    common_.push_back(std::move(common));
  }
  added_.push_back(attribute);
  return true;
}

void DeviceConstraint::Remove() {
  added_.pop_back();
  if (lists_ && is_match_) common_.pop_back();
}

std::string AttributeText(const DeviceAttribute* attribute) {
  if (attribute == nullptr) return "-";
  std::string text = fmt::format("{}:", attribute->value.index());
  const auto all = [&](const auto& list) {
    for (const auto& value : list) text += fmt::format("{}\n", value);
  };
  std::visit(Overloaded{
                 [](std::monostate) {},
                 [&](bool value) { text += BoolText(value); },
                 [&](int64_t value) { text += IntText(value); },
                 [&](const std::string& value) { text += value; },
                 [&](const DeviceAttribute::Version& value) { text += value.text; },
                 [&](const std::vector<bool>& list) { all(list); },
                 [&](const std::vector<int64_t>& list) { all(list); },
                 [&](const std::vector<std::string>& list) { all(list); },
                 [&](const DeviceAttribute::Versions& list) { all(list.texts); },
             },
             attribute->value);
  return text;
}

std::string DeviceConstraint::State() const {
  if (added_.empty()) return "";
  if (is_match_) {
    if (!lists_) return AttributeText(added_.front());
    std::string text;
    for (const std::string& value : common_.back()) (text += value) += '\n';
    return text;
  }
  std::vector<std::string> taken;
  for (const DeviceAttribute* attribute : added_) taken.push_back(AttributeText(attribute));
  std::ranges::sort(taken);
  std::string text;
  for (const std::string& value : taken) (text += value) += '\n';
  return text;
}

}  // namespace berth::plugins
