// SPDX-License-Identifier: Apache-2.0
// The fields of a Policy document, and how each release spells them.
//
// A document without an apiVersion is read by upstream as its internal type, which has the field names of the Go
// structs
// (`Predicates`, `Name`). So there are two spellings for everything.

#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "config/policy/policy.h"
#include "framework/args/strict_decoder.h"

namespace berth::config {

enum class PolicySpelling : uint8_t { kV1, kInternal };

using framework::Field;
using framework::SourceFormat;
using framework::StrictDecoder;

class PolicyDecoder : public StrictDecoder {
 public:
  PolicyDecoder(SourceFormat format, PolicyCompat compat, PolicySpelling spelling)
      : StrictDecoder(format), compat_(compat), spelling_(spelling) {}

  PolicyCompat compat() const { return compat_; }
  PolicySpelling spelling() const { return spelling_; }

 private:
  PolicyCompat compat_;
  PolicySpelling spelling_;
};

// Fields read by a table for PolicyDecoder: the StrictDecoder that a table's functions get is always one.
inline const PolicyDecoder& AsPolicyDecoder(const StrictDecoder& decoder) {
  return static_cast<const PolicyDecoder&>(decoder);
}

// The same table under other names.
template <class T, size_t kCount>
std::array<Field<T>, kCount> Renamed(const Field<T> (&fields)[kCount], const std::string_view (&names)[kCount]) {
  std::array<Field<T>, kCount> renamed;
  for (size_t i = 0; i < kCount; ++i) renamed[i] = {names[i], fields[i].read};
  return renamed;
}

void DecodePolicyFields(PolicyDecoder& decoder, api::Value value, Policy& out);

// One entry of `extenders`: any case of the letters, unknown keys ignored. The timeout is a number of nanoseconds.
struct PolicyExtender {
  framework::ExtenderConfiguration extender;
};
void Decode(StrictDecoder& decoder, api::Value value, PolicyExtender& out);

}  // namespace berth::config
