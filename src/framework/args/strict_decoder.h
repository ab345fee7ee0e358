// SPDX-License-Identifier: Apache-2.0
// StrictDecoder: reads a document into structs and reports every field that does not belong there.
//
// A struct is described by a table of its fields, which it returns itself (`Described`) or which a `Decode` overload of
// its own uses; overloads exist for scalars, lists, optionals and maps. Null leaves a value as it is. Unknown and
// repeated fields are collected in document order, as upstream's strict decoder does; a value of the wrong type makes
// the whole document unreadable, whatever else is wrong with it.
//
// Documents that came as YAML are read as upstream does, through a conversion to JSON: members in the order of their
// names, the last of equal ones, and numbers such as 1.0 as integers.

#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/document/value.h"
#include "api/parts/labels.h"
#include "api/parts/quantity.h"
#include "base/time.h"

namespace berth::framework {

enum class SourceFormat : uint8_t { kJson, kYaml };

// Positions of the members of `map` in the order in which they are read.
std::vector<size_t> ReadingOrder(api::Value map, SourceFormat format);

class ArgsWriter;
class StrictDecoder;

template <class T>
struct Field {
  std::string_view name;
  void (*read)(StrictDecoder& decoder, api::Value value, T& out);
  void (*write)(ArgsWriter& writer, std::string_view name, const T& object) = nullptr;
};

// Says itself which fields it has.
template <class T>
concept Described = requires {
  { T::Fields() } -> std::convertible_to<std::span<const Field<T>>>;
};

class StrictDecoder {
 public:
  explicit StrictDecoder(SourceFormat format) : format_(format) {}

  template <class T>
  void Object(api::Value value, T& out, std::span<const Field<T>> fields);
  template <class T>
  void List(api::Value value, std::vector<T>& out);
  void Map(api::Value value, api::Labels& out);

  // The first mismatch decides the error; later ones are not kept.
  void Mismatch(api::Value value, std::string_view expected);
  void Fail(std::string message);
  // The value is no string, where a duration is expected: in upstream's words.
  void NoDuration(api::Value value);

  SourceFormat format() const { return format_; }
  // What was wrong with the type of a value; the document must then be refused.
  const std::optional<std::string>& mismatch() const { return mismatch_; }
  // Texts such as `unknown field "profiles[0].foo"`.
  const std::vector<std::string>& strict_errors() const { return strict_errors_; }

 private:
  void Strict(std::string_view kind, std::string_view field);
  std::string PathTo(std::string_view field) const;

  SourceFormat format_;
  std::string path_;
  std::optional<std::string> mismatch_;
  std::vector<std::string> strict_errors_;
};

void Decode(StrictDecoder& decoder, api::Value value, bool& out);
void Decode(StrictDecoder& decoder, api::Value value, int32_t& out);
void Decode(StrictDecoder& decoder, api::Value value, int64_t& out);
void Decode(StrictDecoder& decoder, api::Value value, float& out);
void Decode(StrictDecoder& decoder, api::Value value, std::string& out);
void Decode(StrictDecoder& decoder, api::Value value, api::Quantity& out);
// A duration such as "1m30s". Null is an error.
void Decode(StrictDecoder& decoder, api::Value value, Duration& out);
// A part that is decoded later.
inline void Decode(StrictDecoder&, api::Value value, api::Value& out) { out = value; }
inline void Decode(StrictDecoder& decoder, api::Value value, api::Labels& out) { decoder.Map(value, out); }

template <Described T>
void Decode(StrictDecoder& decoder, api::Value value, T& out) {
  decoder.Object<T>(value, out, T::Fields());
}

template <class T>
void Decode(StrictDecoder& decoder, api::Value value, std::vector<T>& out) {
  decoder.List(value, out);
}

template <class T>
void Decode(StrictDecoder& decoder, api::Value value, std::optional<T>& out) {
  if (value.is_null()) return out.reset();
  if (!out) out.emplace();
  Decode(decoder, value, *out);
}

template <class Member>
struct MemberPointer;
template <class T, class M>
struct MemberPointer<M T::*> {
  using Class = T;
};

// The field `name` that is read into `kMember`.
template <auto kMember>
constexpr auto Into(std::string_view name) {
  using T = typename MemberPointer<decltype(kMember)>::Class;
  return Field<T>{name, [](StrictDecoder& decoder, api::Value value, T& out) { Decode(decoder, value, out.*kMember); }};
}

// A field that must be a string and is not kept.
template <class T>
constexpr Field<T> IgnoredString(std::string_view name) {
  return {name, [](StrictDecoder& decoder, api::Value value, T&) {
            std::string ignored;
            Decode(decoder, value, ignored);
          }};
}

template <class T>
void StrictDecoder::Object(api::Value value, T& out, std::span<const Field<T>> fields) {
  if (value.is_null()) return;
  if (!value.is_map()) return Mismatch(value, "an object");
  std::vector<bool> seen(fields.size());
  for (const size_t member : ReadingOrder(value, format_)) {
    const std::string_view name = value.key(member);
    size_t i = 0;
    while (i < fields.size() && fields[i].name != name) ++i;
    if (i == fields.size()) {
      Strict("unknown", name);
      continue;
    }
    if (seen[i]) Strict("duplicate", name);
    seen[i] = true;
    const size_t length = path_.size();
    path_ = PathTo(name);
    fields[i].read(*this, value[member], out);
    path_.resize(length);
  }
}

template <class T>
void StrictDecoder::List(api::Value value, std::vector<T>& out) {
  if (value.is_null()) return;
  if (!value.is_list()) return Mismatch(value, "a list");
  out.clear();
  out.resize(value.size());
  for (size_t i = 0; i < out.size(); ++i) {
    const size_t length = path_.size();
    path_ += '[' + std::to_string(i) + ']';
    Decode(*this, value[i], out[i]);
    path_.resize(length);
  }
}

}  // namespace berth::framework
