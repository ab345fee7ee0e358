// SPDX-License-Identifier: Apache-2.0
// FieldPath: where validation is in an object, written out only when something is wrong there.
//
// A path points to its parent, so it must not outlive it; the deleted overloads keep chains of temporaries from
// compiling.
//
// Cost: none but the stack until it is turned into a string.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace berth::server {

class FieldPath {
 public:
  // `name` must outlive the path, and may itself be a path.
  explicit constexpr FieldPath(std::string_view name) : name_(name) {}

  FieldPath operator/(std::string_view name) const& { return {this, name, Kind::kChild, 0}; }
  FieldPath operator[](size_t index) const& { return {this, {}, Kind::kIndex, index}; }
  FieldPath Key(std::string_view key) const& { return {this, key, Kind::kKey, 0}; }
  FieldPath operator/(std::string_view name) const&& = delete;
  FieldPath operator[](size_t index) const&& = delete;
  FieldPath Key(std::string_view key) const&& = delete;

  // NOLINTNEXTLINE(google-explicit-constructor): every report of an error takes a path as a string.
  operator std::string() const {
    std::string out;
    AppendTo(out);
    return out;
  }

 private:
  enum class Kind : unsigned char { kChild, kIndex, kKey };

  constexpr FieldPath(const FieldPath* parent, std::string_view name, Kind kind, size_t index)
      : parent_(parent), name_(name), index_(index), kind_(kind) {}

  void AppendTo(std::string& out) const {
    if (parent_ != nullptr) parent_->AppendTo(out);
    switch (kind_) {
      case Kind::kChild:
        if (!out.empty()) out += '.';
        out += name_;
        return;
      case Kind::kIndex: out.append("[").append(std::to_string(index_)).append("]"); return;
      case Kind::kKey: out.append("[").append(name_).append("]"); return;
    }
  }

  const FieldPath* parent_ = nullptr;
  std::string_view name_;
  size_t index_ = 0;
  Kind kind_ = Kind::kChild;
};

// Where most objects have what is wanted and what is.
inline constexpr FieldPath kSpec("spec");
inline constexpr FieldPath kStatus("status");

}  // namespace berth::server
