// SPDX-License-Identifier: Apache-2.0
#include "plugins/dynamic_resources/allocator/derived_attributes.h"

#include <utility>

#include <fmt/format.h>

#include "base/overloaded.h"

namespace berth::plugins {
namespace {

api::DeviceAttribute FromCel(cel::AttributeValue value) {
  api::DeviceAttribute attribute;
  std::visit(
      Overloaded{
          [&](cel::Version& version) { attribute.value = api::DeviceAttribute::Version{std::move(version.text)}; },
          [&](std::vector<cel::Version>& versions) {
            auto& texts = attribute.value.emplace<api::DeviceAttribute::Versions>().texts;
            for (cel::Version& version : versions) texts.push_back(std::move(version.text));
          },
          [&](auto& other) { attribute.value = std::move(other); },
      },
      value);
  return attribute;
}

}  // namespace

Result<api::DeviceAttribute> DerivedAttributes::Derive(const api::DeviceDerivedAttribute& written,
                                                       uint32_t device) const {
  cel::CompileOptions options;
  options.derives_attribute = true;
  const auto expression = cel::DeviceExpression::Compile(written.expression, options);
  if (!expression) {
    return Invalid(fmt::format("compile derived attribute {} failed: {}", written.name, expression.error().detail));
  }
  const CandidateDevice& candidate = candidates_.devices[device];
  Result<cel::AttributeValue> value = expression->Derive(cluster::ToCel((*candidate.slice)->driver, *candidate.device));
  if (!value) {
    return Invalid(fmt::format("evaluate derived attribute {} on device {} failed: {}", written.name, candidate.Name(),
                               value.error().message));
  }
  return FromCel(*std::move(value));
}

Result<const api::DeviceAttribute*> DerivedAttributes::Find(const PreparedRequest& request, uint32_t device,
                                                            const std::string& name) {
  // Of two with the same name the last one counts.
  const auto& written = request.request->derived_attributes;
  for (auto it = written.rbegin(); it != written.rend(); ++it) {
    if (it->name != name) continue;
    const auto [entry, added] = derived_.try_emplace({device, it->expression});
    if (!added) return entry->second.get();
    Result<api::DeviceAttribute> attribute = Derive(*it, device);
    if (!attribute) {
      derived_.erase(entry);
      return std::unexpected(std::move(attribute).error());
    }
    entry->second = std::make_unique<api::DeviceAttribute>(*std::move(attribute));
    return entry->second.get();
  }
  const CandidateDevice& candidate = candidates_.devices[device];
  return FindAttribute(*candidate.device, (*candidate.slice)->driver, name);
}

}  // namespace berth::plugins
