// SPDX-License-Identifier: Apache-2.0
#include "api/wire/table.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace berth::api::wire {
namespace {

using enum Type;
using enum Shape;
using enum Form;

#include "api/wire/table.inc"

static_assert(std::size(kFields) == std::size(kWireOrder));

constexpr auto KindKey(const Kind& kind) { return std::pair(kind.api_version, kind.kind); }
static_assert(std::ranges::is_sorted(kKinds, {}, KindKey));

const Kind* FindExactly(std::string_view api_version, std::string_view kind) {
  const std::pair key(api_version, kind);
  const auto* const found = std::ranges::lower_bound(kKinds, key, {}, KindKey);
  return found != std::end(kKinds) && KindKey(*found) == key ? found : nullptr;
}

}  // namespace

const MergeKeys& Field::keys() const { return kMergeKeys[merge_keys]; }

const GoTypes& Field::types() const { return kGoTypes[go_types]; }

std::span<const Field> Message::fields() const { return std::span(kFields).subspan(first_field, field_count); }

std::span<const uint8_t> Message::wire_order() const { return std::span(kWireOrder).subspan(first_field, field_count); }

const Message& MessageAt(uint16_t index) { return kMessages[index]; }

std::span<const Message> Messages() { return kMessages; }

const Kind* FindKind(std::string_view api_version, std::string_view kind) {
  if (const Kind* const found = FindExactly(api_version, kind)) return found;
  return FindExactly("meta.k8s.io/v1", kind);
}

std::span<const Kind> Kinds() { return kKinds; }

const Message* FindMessage(std::string_view name) {
  const auto* const found = std::ranges::find(kMessages, name, &Message::name);
  return found != std::end(kMessages) ? found : nullptr;
}

}  // namespace berth::api::wire
