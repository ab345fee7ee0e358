// SPDX-License-Identifier: Apache-2.0
#include "cel/device.h"

#include <fmt/format.h>

#include <optional>

#include "cel/device_impl.h"

namespace berth::cel {
namespace {

struct DomainName {
  std::string_view domain;
  std::string_view id;
};

DomainName SplitName(std::string_view name, std::string_view driver) {
  const size_t slash = name.find('/');
  if (slash == name.npos) return {driver, name};
  return {name.substr(0, slash), name.substr(slash + 1)};
}

}  // namespace

Device::Impl::Impl(std::string_view driver_name, bool allow_multiple_allocations)
    : driver(driver_name), attributes(&EmptyMap()), capacity(&EmptyMap()) {
  device.Set(Value::String("driver"), Value::String(driver));
  device.Set(Value::String("allowMultipleAllocations"), Value::Bool(allow_multiple_allocations));
  device.Set(Value::String("attributes"), Value::Of(&attributes));
  device.Set(Value::String("capacity"), Value::Of(&capacity));
}

const Map& Device::Impl::EmptyMap() {
  static const Map empty;
  return empty;
}

void Device::Impl::Set(Map& outer, std::string_view name, const Value& value) {
  const auto [domain, id] = SplitName(name, driver);
  Map* inner = nullptr;
  if (const Value* found = outer.Find(Value::String(domain))) {
    inner = const_cast<Map*>(&found->map());  // One of this device's domains.
  } else {
    inner = &domains.emplace_back();
    outer.Set(Value::String(domain), Value::Of(inner));
  }
  inner->Set(Value::String(id), value);
}

void Device::Impl::Refuse(std::string_view name, std::string_view reason) {
  if (problem && bad_name <= name) return;
  bad_name = name;
  problem = fmt::format("attribute {}: {}", name, reason);
}

const Semver* Device::Impl::ReadVersion(std::string_view name, std::string_view text) {
  Result<Semver> version = Semver::Parse(text);
  if (version) return &versions.emplace_back(std::move(*version));
  Refuse(name, "parse semantic version: " + version.error().message);
  return nullptr;
}

void Device::Impl::SetList(std::string_view name, std::vector<Value> elements) {
  const std::vector<Value>& kept = elements_of_lists.emplace_back(std::move(elements));
  Set(attributes, name, Value::Of(&lists.emplace_back(kept)));
}

Device::Device(std::string_view driver, bool allow_multiple_allocations)
    : impl_(std::make_unique<Impl>(driver, allow_multiple_allocations)) {}
Device::Device(Device&&) noexcept = default;
Device& Device::operator=(Device&&) noexcept = default;
Device::~Device() = default;

void Device::AddBool(std::string_view name, bool value) { impl_->Set(impl_->attributes, name, Value::Bool(value)); }
void Device::AddInt(std::string_view name, int64_t value) { impl_->Set(impl_->attributes, name, Value::Int(value)); }
void Device::AddString(std::string_view name, std::string_view value) {
  impl_->Set(impl_->attributes, name, Value::String(value));
}
void Device::AddVersion(std::string_view name, std::string_view text) {
  if (const Semver* version = impl_->ReadVersion(name, text)) impl_->Set(impl_->attributes, name, Value::Of(version));
}

void Device::AddBools(std::string_view name, const std::vector<bool>& values) {
  std::vector<Value> elements;
  for (const bool value : values) elements.push_back(Value::Bool(value));
  impl_->SetList(name, std::move(elements));
}
void Device::AddInts(std::string_view name, std::span<const int64_t> values) {
  std::vector<Value> elements;
  for (const int64_t value : values) elements.push_back(Value::Int(value));
  impl_->SetList(name, std::move(elements));
}
void Device::AddStrings(std::string_view name, std::span<const std::string> values) {
  std::vector<Value> elements;
  for (const std::string& value : values) elements.push_back(Value::String(value));
  impl_->SetList(name, std::move(elements));
}
void Device::AddVersions(std::string_view name, std::span<const std::string> texts) {
  std::vector<Value> elements;
  for (const std::string& text : texts) {
    const Semver* version = impl_->ReadVersion(name, text);
    if (version == nullptr) return;
    elements.push_back(Value::Of(version));
  }
  impl_->SetList(name, std::move(elements));
}

void Device::AddUnset(std::string_view name) { impl_->Refuse(name, "unsupported attribute value"); }

void Device::AddCapacity(std::string_view name, const api::Quantity& amount) {
  impl_->Set(impl_->capacity, name, Value::Of(&amount));
}

}  // namespace berth::cel
