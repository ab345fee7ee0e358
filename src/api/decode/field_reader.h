// SPDX-License-Identifier: Apache-2.0
// FieldReader: reads the fields of a parsed object into C++ structs.
//
// A reader stands at one place in the tree. Read() looks a field up, checks its type and stores it; a field that is
// absent or null leaves the target as it was. The first error is kept and everything after it is skipped, so a decoder
// is a plain list of reads and its caller asks once at the end:
//
//   void ReadTaint(FieldReader& r, Taint& taint) {
//     r.Read("key", taint.key);
//     r.Read("effect", taint.effect);
//   }
//   FieldReader r(value);
//   r.Child("spec").Read("taints", node.taints, ReadTaint);
//   if (!r.ok()) return std::unexpected(r.error());  // "spec.taints[0].key: expected a string, found a number"
//
// Cost: the path of a field is put together only for an error.

#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/document/value.h"
#include "api/objects/device.h"
#include "api/parts/labels.h"
#include "api/parts/resource_list.h"
#include "base/result.h"
#include "base/time.h"

namespace berth::api {

class FieldReader {
 public:
  // Stands at the root of a tree: an object, or null, which reads as an object without fields. `path` starts the paths
  // in errors.
  explicit FieldReader(Value value, std::string path = {});
  FieldReader(const FieldReader&) = delete;
  FieldReader& operator=(const FieldReader&) = delete;

  bool ok() const { return !root_->failure_; }
  // `line N: subject: path: reason`, without the parts that are unknown or empty.
  // REQUIRES: !ok().
  Error error(std::string_view subject = {}) const;

  Value value() const { return value_; }
  bool Has(std::string_view name) const { return !value_[name].is_null(); }

  // The reader of the object called `name`. It refers to this reader, which must outlive it.
  FieldReader Child(std::string_view name);

  // Reads the field `name` into a string, bool, int32_t, int64_t, Quantity, Time, Labels, ResourceList or list of
  // strings, or an optional of these, which gets a value if the field is present.
  template <class T>
  void Read(std::string_view name, T& out) {
    FieldReader field(*this, name, value_[name]);
    if (!field.value_.is_null()) field.Store(out);
  }

  // Reads an object into a struct with `read(FieldReader&, T&)`, or a list of objects into a vector of structs, or a
  // map from names to objects into NamedValues, or one of these into an optional. An element that is null stays as the
  // struct begins.
  template <class T, class Reader>
  void Read(std::string_view name, T& out, const Reader& read) {
    FieldReader field(*this, name, value_[name]);
    if (!field.value_.is_null()) field.Store(out, read);
  }

  // Records an error at this place.
  void Fail(std::string reason);

 private:
  struct Failure {
    uint32_t line = 0;
    std::string path;
    std::string reason;
  };

  FieldReader(FieldReader& parent, std::string_view name, Value value);
  FieldReader(FieldReader& parent, size_t index, Value value);

  bool Expect(Value::Kind kind);
  std::optional<int64_t> Integer(int64_t min, int64_t max, std::string_view expected);
  std::string Path() const;
  // The members of a map by name, repeated ones in their order. A sorted container filled this way only appends.
  std::vector<size_t> InKeyOrder() const;

  void Store(std::string& out);
  void Store(bool& out);
  void Store(int32_t& out);
  void Store(int64_t& out);
  void Store(Quantity& out);
  void Store(Time& out);
  void Store(Labels& out);
  void Store(ResourceList& out);
  void Store(std::vector<std::string>& out);
  template <class T>
  void Store(std::vector<T>& out) {
    if (!Expect(Value::Kind::kList)) return;
    out.clear();
    for (size_t i = 0; i < value_.size() && ok(); ++i) {
      FieldReader element(*this, i, value_[i]);
      T stored{};
      if (!element.value_.is_null()) element.Store(stored);
      out.push_back(std::move(stored));
    }
  }

  template <class T>
  void Store(std::optional<T>& out) {
    Store(out.emplace());
  }

  template <class T, class Reader>
  void Store(T& out, const Reader& read) {
    if (Expect(Value::Kind::kMap)) read(*this, out);
  }
  template <class T, class Reader>
  void Store(std::optional<T>& out, const Reader& read) {
    Store(out.emplace(), read);
  }
  template <class T, class Reader>
  void Store(std::vector<T>& out, const Reader& read) {
    if (!Expect(Value::Kind::kList)) return;
    out.clear();
    out.resize(value_.size());
    for (size_t i = 0; i < out.size() && ok(); ++i) {
      FieldReader element(*this, i, value_[i]);
      if (!element.value_.is_null()) element.Store(out[i], read);
    }
  }
  template <class T, class Reader>
    requires std::invocable<const Reader&, FieldReader&, T&>
  void Store(NamedValues<T>& out, const Reader& read) {
    if (!Expect(Value::Kind::kMap)) return;
    out.clear();
    for (const size_t i : InKeyOrder()) {
      FieldReader entry(*this, value_.key(i), value_[i]);
      // Of members with the same name the last one counts.
      if (out.empty() || out.back().first != entry.name_) out.emplace_back();
      out.back() = {std::string(entry.name_), T{}};
      if (!entry.value_.is_null()) entry.Store(out.back().second, read);
    }
  }

  Value value_;
  FieldReader* root_;
  const FieldReader* parent_ = nullptr;
  std::string_view name_;  // Of a field; the decoder or the document owns it.
  size_t index_ = 0;       // Of a list element, which has no name.
  bool is_element_ = false;

  // Used in the root only.
  std::string root_path_;
  std::optional<Failure> failure_;
};

}  // namespace berth::api
