// SPDX-License-Identifier: Apache-2.0
// Encoder and Decoder: structs as bytes, and back.
//
// Both walk the same list of fields (fields.h), so what one writes the other reads. Integers are varints, signed ones
// in zigzag order; strings, lists and maps begin with their size; an optional begins with 0 or 1. The bytes hold no
// names and no types: a change of the fields is a new version of the format.
//
// A Decoder accepts any bytes. The first problem is kept, and everything read after it is left empty.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "api/objects/meta.h"
#include "api/parts/labels.h"
#include "api/parts/resource_list.h"
#include "base/result.h"
#include "base/time.h"
#include "framework/configuration.h"

namespace berth::record {

// The largest enumerator of an enum that is written as a number; specialized beside the fields.
template <class E>
inline constexpr E kLast = E{};

class Encoder {
 public:
  static constexpr bool kReads = false;

  template <class... T>
  void operator()(const T&... fields) {
    (Put(fields), ...);
  }
  std::string Take() { return std::exchange(out_, {}); }

 private:
  void PutVarint(uint64_t value);
  void Put(bool value) { out_ += value ? '\1' : '\0'; }
  void Put(uint64_t value) { PutVarint(value); }
  void Put(int64_t value) { PutVarint((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63)); }
  void Put(int32_t value) { Put(int64_t{value}); }
  void Put(const std::string& text);
  void Put(Time time) { Put(time.nanos); }
  void Put(const api::Quantity& quantity) { Put(quantity.String()); }
  void Put(const api::Labels& labels) { PutAll(labels); }
  void Put(const api::ResourceList& list) { PutAll(list); }
  void Put(const api::SourceText& source);
  void Put(const std::shared_ptr<const framework::SchedulerConfiguration>& configuration);
  template <class T>
  void Put(const std::optional<T>& value) {
    Put(value.has_value());
    if (value) Put(*value);
  }
  template <class T>
  void Put(const std::vector<T>& values) {
    PutAll(values);
  }
  template <class K, class V>
  void Put(const std::pair<K, V>& pair) {
    Put(pair.first);
    Put(pair.second);
  }
  template <class... T>
  void Put(const std::variant<T...>& value) {
    PutVarint(value.index());
    std::visit([this](const auto& alternative) { Put(alternative); }, value);
  }
  template <class E>
    requires std::is_enum_v<E>
  void Put(E value) {
    PutVarint(static_cast<uint64_t>(value));
  }
  template <class T>
    requires std::is_class_v<T>
  void Put(const T& object) {
    Fields(*this, object);
  }
  template <class Range>
  void PutAll(const Range& range) {
    PutVarint(range.size());
    for (const auto& element : range) Put(element);
  }

  std::string out_;
};

class Decoder {
 public:
  static constexpr bool kReads = true;

  // `bytes` must outlive the decoder.
  explicit Decoder(std::string_view bytes) : rest_(bytes) {}

  template <class... T>
  void operator()(T&... fields) {
    (Get(fields), ...);
  }

  // How configurations are read; where it is not set there are none.
  using ReadConfiguration = std::function<Result<framework::SchedulerConfiguration>(std::string_view bytes)>;
  void set_read_configuration(ReadConfiguration read) { read_configuration_ = std::move(read); }

  // Whether everything was well formed so far. Until then the values read are of no use.
  bool ok() const { return problem_.empty(); }
  const std::string& problem() const { return problem_; }
  // Reads nothing more; what is left over is a problem.
  void Finish();
  void Fail(std::string problem);

 private:
  uint64_t GetVarint();
  // A count of things that take at least a byte each.
  size_t GetSize();
  void Get(bool& value);
  void Get(uint64_t& value) { value = GetVarint(); }
  void Get(int64_t& value);
  void Get(int32_t& value);
  void Get(std::string& text);
  void Get(Time& time) { Get(time.nanos); }
  void Get(api::Quantity& quantity);
  void Get(api::Labels& labels);
  void Get(api::ResourceList& list);
  void Get(api::SourceText& source);
  void Get(std::shared_ptr<const framework::SchedulerConfiguration>& configuration);
  template <class T>
  void Get(std::optional<T>& value) {
    bool has_value = false;
    Get(has_value);
    if (has_value) Get(value.emplace());
  }
  void Get(std::vector<bool>& values) {
    values.clear();
    for (size_t left = GetSize(); left > 0 && ok(); --left) {
      bool value = false;
      Get(value);
      values.push_back(value);
    }
  }
  template <class T>
  void Get(std::vector<T>& values) {
    values.clear();
    // Not resized at once: a wrong size then costs no more memory than there are bytes.
    for (size_t left = GetSize(); left > 0 && ok(); --left) Get(values.emplace_back());
  }
  template <class K, class V>
  void Get(std::pair<K, V>& pair) {
    Get(pair.first);
    Get(pair.second);
  }
  template <class... T>
  void Get(std::variant<T...>& value) {
    const uint64_t index = GetVarint();
    if (index >= sizeof...(T)) return Fail("there is no such kind");
    uint64_t position = 0;
    (void)((position++ == index && (Get(value.template emplace<T>()), true)) || ...);
  }
  template <class E>
    requires std::is_enum_v<E>
  void Get(E& value) {
    const uint64_t number = GetVarint();
    if (number > static_cast<uint64_t>(kLast<E>)) return Fail("there is no such enumerator");
    value = static_cast<E>(number);
  }
  template <class T>
    requires std::is_class_v<T>
  void Get(T& object) {
    if (ok()) Fields(*this, object);
  }

  std::string_view rest_;
  std::string problem_;
  ReadConfiguration read_configuration_;
};

}  // namespace berth::record
