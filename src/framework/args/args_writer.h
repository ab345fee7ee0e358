// SPDX-License-Identifier: Apache-2.0
// ArgsWriter: prints plugin arguments as JSON, either as the API has them or as upstream's error texts show them.
//
// In the API form absent values and empty lists are left out. The other form prints upstream's internal structs: member
// names are capitalised and absent values are null, but objects of the core API inside keep their API form.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/document/json_writer.h"
#include "framework/args/core_objects.h"
#include "framework/args/field_errors.h"
#include "framework/args/strict_decoder.h"

namespace berth::framework {

enum class JsonForm : uint8_t { kApi, kInternal };

class ArgsWriter {
 public:
  ArgsWriter(api::JsonWriter& json, JsonForm form) : json_(json), form_(form) {}

  void Write(bool value) { json_.Bool(value); }
  void Write(int32_t value) { json_.Int(value); }
  void Write(int64_t value) { json_.Int(value); }
  void Write(const std::string& text) { json_.String(text); }
  void Write(Duration duration) { json_.String(FormatDuration(duration)); }
  void Write(const api::Quantity& quantity) { json_.String(quantity.String()); }
  void Write(const api::NodeAffinity& affinity) { WriteNodeAffinity(affinity, json_); }
  void Write(const api::TopologySpreadConstraint& constraint) { WriteSpreadConstraint(constraint, json_); }
  template <class T>
  void Write(const std::vector<T>& list) {
    json_.BeginArray();
    for (const T& element : list) Write(element);
    json_.EndArray();
  }
  template <Described T>
  void Write(const T& object) {
    json_.BeginObject();
    Members(object);
    json_.EndObject();
  }

  // The members of an object that is open.
  template <Described T>
  void Members(const T& object) {
    for (const Field<T>& field : T::Fields()) field.write(*this, field.name, object);
  }

  template <class T>
  void Member(std::string_view name, const T& value) {
    Key(name);
    Write(value);
  }
  template <class T>
  void Member(std::string_view name, const std::optional<T>& value) {
    if (Begin(name, value.has_value())) Write(*value);
  }
  template <class T>
  void Member(std::string_view name, const std::vector<T>& list) {
    if (Begin(name, !list.empty())) Write(list);
  }

  api::JsonWriter& json() { return json_; }
  JsonForm form() const { return form_; }

 private:
  void Key(std::string_view name);
  // Writes the key and says true if there is something to write below it; an absent value is left out or null.
  bool Begin(std::string_view name, bool present);

  api::JsonWriter& json_;
  JsonForm form_;
};

// The field `name` that is read into `kMember`, by a function of its own if there is one, and written from it.
template <auto kMember, class T = typename MemberPointer<decltype(kMember)>::Class>
constexpr Field<T> Member(std::string_view name, decltype(Field<T>::read) read = Into<kMember>("").read) {
  Field<T> field{name, read};
  field.write = [](ArgsWriter& writer, std::string_view member, const T& object) {
    writer.Member(member, object.*kMember);
  };
  return field;
}

// `value` as the JSON of upstream's internal structs.
template <class T>
std::string InternalJson(const T& value) {
  api::JsonWriter json;
  ArgsWriter(json, JsonForm::kInternal).Write(value);
  return GoJson(json.Take());
}

}  // namespace berth::framework
