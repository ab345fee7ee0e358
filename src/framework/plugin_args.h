// SPDX-License-Identifier: Apache-2.0
// PluginArgs: the arguments of one plugin, of the type that the plugin describes as its `Args`.
//
// A plugin that takes arguments has a plain struct `Args`, whose default-constructed value holds the defaults. The
// struct tells its fields; decoding, writing and comparing follow from them. Its members, of which only Fields must be:
//
//   static constexpr auto Fields()                The fields: an array of `Member<&Args::x>("x")`.
//   static constexpr std::string_view kKind       The kind in kubescheduler.config.k8s.io/v1, checked and written.
//   static constexpr std::string_view kMissing    What the plugin says to no arguments, where that is special.
//   static constexpr bool kCheckedWithProfile     Values are checked when the profile is built, and not before.
//   static constexpr bool kOptional               A configuration is complete without them.
//   void Decoded(api::Value written)              Called when all fields are read.
//   void Complete(const FeatureGates& gates)      Fills in defaults that depend on gates or on other fields.
//   void Validate(const ArgsCheck& check) const   Tells what is wrong with the values.
//
// Words that only some values are allowed for are kept as written, because validation reports them.

#pragma once

#include <any>
#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/args/args_writer.h"
#include "framework/args/field_errors.h"
#include "framework/args/strict_decoder.h"
#include "framework/feature_gates.h"

namespace berth::framework {

// Where a check of arguments stands, and where it reports.
struct ArgsCheck {
  const std::string& path;  // Of the arguments; may be empty.
  const FeatureGates& gates;
  FieldErrors& errors;

  std::string At(std::string_view field) const { return api::ChildPath(path, field); }
};

// Arguments of a plugin that describes none: their JSON text.
struct OpaqueArgs {
  std::string json;

  bool operator==(const OpaqueArgs&) const = default;
};

// What can be done with arguments of one type.
struct ArgsType {
  std::string_view kind;  // Empty: it has none.
  std::string_view missing;
  bool checked_with_profile = false;
  bool optional = false;
  std::any (*make)();
  void (*decode)(StrictDecoder& decoder, api::Value value, std::any& out);
  void (*complete)(std::any& args, const FeatureGates& gates);
  void (*validate)(const std::any& args, const ArgsCheck& check);
  void (*write)(ArgsWriter& writer, const std::any& args);
  bool (*equal)(const std::any& a, const std::any& b);
};

// Of arguments whose fields are known, `kind` and `apiVersion` are read besides.
template <class T>
void DecodeArgs(StrictDecoder& decoder, api::Value value, T& out) {
  std::vector<Field<T>> fields = {IgnoredString<T>("kind"), IgnoredString<T>("apiVersion")};
  const auto own = T::Fields();
  fields.insert(fields.end(), own.begin(), own.end());
  decoder.Object<T>(value, out, fields);
  if constexpr (requires { out.Decoded(value); }) out.Decoded(value);
}

// Writes `kind` and `apiVersion` in the API form.
void WriteTypeMeta(ArgsWriter& writer, std::string_view kind);

template <class T>
constexpr ArgsType MakeArgsType() {
  ArgsType type{};
  if constexpr (requires { T::kKind; }) type.kind = T::kKind;
  if constexpr (requires { T::kMissing; }) type.missing = T::kMissing;
  if constexpr (requires { T::kCheckedWithProfile; }) type.checked_with_profile = T::kCheckedWithProfile;
  if constexpr (requires { T::kOptional; }) type.optional = T::kOptional;
  type.make = []() -> std::any { return T(); };
  type.decode = [](StrictDecoder& decoder, api::Value value, std::any& out) {
    if constexpr (Described<T>) DecodeArgs(decoder, value, *std::any_cast<T>(&out));
  };
  type.complete = [](std::any& args, const FeatureGates& gates) {
    if constexpr (requires(T& own) { own.Complete(gates); }) std::any_cast<T>(&args)->Complete(gates);
  };
  type.validate = [](const std::any& args, const ArgsCheck& check) {
    if constexpr (requires(const T& own) { own.Validate(check); }) std::any_cast<T>(&args)->Validate(check);
  };
  type.write = [](ArgsWriter& writer, const std::any& any) {
    const T& args = *std::any_cast<T>(&any);
    if constexpr (Described<T>) {
      writer.json().BeginObject();
      if constexpr (requires { T::kKind; }) WriteTypeMeta(writer, T::kKind);
      writer.Members(args);
      writer.json().EndObject();
    } else {
      writer.json().Raw(args.json);
    }
  };
  type.equal = [](const std::any& a, const std::any& b) { return *std::any_cast<T>(&a) == *std::any_cast<T>(&b); };
  return type;
}

template <class T>
inline constexpr ArgsType kArgsType = MakeArgsType<T>();

class PluginArgs {
 public:
  PluginArgs() = default;  // None.
  explicit PluginArgs(const ArgsType& type) : type_(&type), value_(type.make()) {}
  template <class T>
    requires(Described<T> || std::same_as<T, OpaqueArgs>)
  PluginArgs(T args) : type_(&kArgsType<T>), value_(std::move(args)) {}

  bool empty() const { return type_ == nullptr; }
  // Null unless they are of this type.
  template <class T>
  T* As() {
    return std::any_cast<T>(&value_);
  }
  template <class T>
  const T* As() const {
    return std::any_cast<T>(&value_);
  }
  // The defaults unless they are of this type.
  template <class T>
  T ValueOr() const {
    const T* own = As<T>();
    return own == nullptr ? T() : *own;
  }

  // REQUIRES: not empty.
  void Decode(StrictDecoder& decoder, api::Value value) { type_->decode(decoder, value, value_); }
  // These do nothing to no arguments.
  void Complete(const FeatureGates& gates) {
    if (!empty()) type_->complete(value_, gates);
  }
  void Validate(const ArgsCheck& check) const {
    if (!empty()) type_->validate(value_, check);
  }
  bool checked_with_profile() const { return !empty() && type_->checked_with_profile; }

  // Writes one value; no arguments are null.
  void Write(ArgsWriter& writer) const { empty() ? void(writer.json().Null()) : type_->write(writer, value_); }
  // The same as text.
  std::string Json(JsonForm form = JsonForm::kApi) const;

  friend bool operator==(const PluginArgs& a, const PluginArgs& b) {
    return a.type_ == b.type_ && (a.empty() || a.type_->equal(a.value_, b.value_));
  }

 private:
  const ArgsType* type_ = nullptr;
  std::any value_;
};

}  // namespace berth::framework
