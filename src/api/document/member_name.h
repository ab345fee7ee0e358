// SPDX-License-Identifier: Apache-2.0
// MemberName: the name of a member of a map, as wide as a pointer.
//
// The objects of a cluster use the same few hundred names over and over. Short names are kept for good in one table
// for the whole process, so that a tree takes no room for them and to copy or compare one is to copy or compare a
// pointer. The table is bounded: a name that finds no room in it belongs to those who hold it, like names that are
// long.
//
// Thread: any; the table is shared by all.

#pragma once

#include <fmt/format.h>

#include <atomic>
#include <compare>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace berth::api {

class MemberName {
 public:
  MemberName(std::string_view text) : node_(Find(text)) {}
  MemberName(const std::string& text) : MemberName(std::string_view(text)) {}
  MemberName(const char* text) : MemberName(std::string_view(text)) {}
  MemberName(const MemberName& other) : node_(other.node_) {
    if (!node_->is_kept) node_->holders.fetch_add(1, std::memory_order_relaxed);
  }
  // Leaves the other one as it is if the name is kept for good; otherwise only fit to be assigned to or destroyed.
  MemberName(MemberName&& other) noexcept : node_(other.node_) {
    if (!node_->is_kept) other.node_ = None();
  }
  MemberName& operator=(MemberName other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~MemberName() {
    if (!node_->is_kept && node_->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) delete node_;
  }

  const std::string& text() const { return node_->text; }
  operator const std::string&() const { return node_->text; }
  operator std::string_view() const { return node_->text; }

  size_t size() const { return node_->text.size(); }
  bool empty() const { return node_->text.empty(); }
  char operator[](size_t index) const { return node_->text[index]; }
  bool starts_with(std::string_view prefix) const { return node_->text.starts_with(prefix); }
  std::string substr(size_t from) const { return node_->text.substr(from); }
  int compare(std::string_view other) const { return node_->text.compare(other); }

  // The size of a name with its first and its last letters. Names that differ in it differ, and short ones only then.
  struct Outline {
    uint64_t head = 0;
    uint64_t tail = 0;
    uint64_t size = 0;
    bool operator==(const Outline&) const = default;
  };
  static Outline OutlineOf(std::string_view text);
  // REQUIRES: `outline` is that of `text`.
  bool Is(std::string_view text, const Outline& outline) const { return node_->Is(text, outline); }

  friend bool operator==(const MemberName& left, const MemberName& right) {
    if (left.node_ == right.node_) return true;
    return !(left.node_->is_kept && right.node_->is_kept) && left.node_->text == right.node_->text;
  }
  friend std::strong_ordering operator<=>(const MemberName& left, const MemberName& right) {
    return left.node_ == right.node_ ? std::strong_ordering::equal : left.node_->text <=> right.node_->text;
  }
  template <class Text>
    requires std::convertible_to<const Text&, std::string_view> && (!std::same_as<Text, MemberName>)
  friend bool operator==(const MemberName& left, const Text& right) {
    return left.node_->text == std::string_view(right);
  }
  template <class Text>
    requires std::convertible_to<const Text&, std::string_view> && (!std::same_as<Text, MemberName>)
  friend std::strong_ordering operator<=>(const MemberName& left, const Text& right) {
    return std::string_view(left.node_->text) <=> std::string_view(right);
  }
  friend std::string operator+(const MemberName& left, char right) { return left.node_->text + right; }
  friend std::string operator+(std::string left, const MemberName& right) { return left += right.node_->text; }
  friend std::ostream& operator<<(std::ostream& out, const MemberName& name) { return out << name.node_->text; }

 private:
  // Longer names are not told by their outlines.
  static constexpr size_t kOutlinedMax = 2 * sizeof(uint64_t);

  struct Node {
    std::string text;
    Outline outline = {};
    bool is_kept = false;  // For good: its holders are not counted.
    mutable std::atomic<uint32_t> holders = 1;

    bool Is(std::string_view other, const Outline& others) const {
      return outline == others && (other.size() <= kOutlinedMax || text == other);
    }
  };

  static size_t HashOf(std::string_view text, const Outline& outline);
  static const Node* Find(std::string_view text);
  static const Node* Make(std::string_view text, bool is_kept);

  // That of no text.
  static const Node* None() noexcept;

  const Node* node_;
};

// Pieces of fixed sizes, which may overlap: lookups spend much of their time here.
inline MemberName::Outline MemberName::OutlineOf(std::string_view text) {
  const auto piece = [text]<class Bits>(size_t at, Bits bits) -> uint64_t {
    std::memcpy(&bits, text.data() + at, sizeof(bits));
    return bits;
  };
  const size_t size = text.size();
  if (size >= 8) return {.head = piece(0, uint64_t{}), .tail = piece(size - 8, uint64_t{}), .size = size};
  if (size >= 4) return {.head = piece(0, uint32_t{}), .tail = piece(size - 4, uint32_t{}), .size = size};
  if (size >= 2) return {.head = piece(0, uint16_t{}), .tail = piece(size - 2, uint16_t{}), .size = size};
  if (size == 1) return {.head = piece(0, uint8_t{}), .tail = 0, .size = size};
  return {};
}

}  // namespace berth::api

template <>
struct fmt::formatter<berth::api::MemberName> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const berth::api::MemberName& name, Context& context) const {
    return fmt::formatter<std::string_view>::format(std::string_view(name), context);
  }
};
