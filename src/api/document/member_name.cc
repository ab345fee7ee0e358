// SPDX-License-Identifier: Apache-2.0
#include "api/document/member_name.h"

#include <array>

namespace berth::api {
namespace {

// Fields of the API and the labels that all use; what is longer is rare, or written by somebody who means harm.
constexpr size_t kKeptSizeMax = 64;
constexpr size_t kSlots = 8192;  // A power of two.
// A name is looked for in so many slots.
constexpr size_t kProbes = 8;

// Managed fields have names that hold a value, such as k:{"ip":"10.0.0.7"}: most of those with digits are used by one
// object alone.
bool IsForOne(std::string_view text) {
  return text.find('"') != text.npos && text.find_first_of("0123456789") != text.npos;
}

}  // namespace

const MemberName::Node* MemberName::None() noexcept {
  static const Node* const none = Make("", true);
  return none;
}

// Of the whole text, but cheap: names are short.
size_t MemberName::HashOf(std::string_view text, const Outline& outline) {
  constexpr uint64_t kFactor = 0x9E3779B97F4A7C15;
  uint64_t hash = outline.size * kFactor;
  const auto mix = [&hash](uint64_t piece) {
    hash = (hash ^ piece) * kFactor;
    hash ^= hash >> 32;
  };
  mix(outline.head);
  mix(outline.tail);
  for (size_t at = sizeof(uint64_t); at + sizeof(uint64_t) < text.size(); at += sizeof(uint64_t)) {
    uint64_t piece = 0;
    std::memcpy(&piece, text.data() + at, sizeof(piece));
    mix(piece);
  }
  return hash;
}

const MemberName::Node* MemberName::Make(std::string_view text, bool is_kept) {
  return new Node{.text = std::string(text), .outline = OutlineOf(text), .is_kept = is_kept};
}

// A slot that was filled once stays as it is, so whoever sees a name there may use it without further ado.
const MemberName::Node* MemberName::Find(std::string_view text) {
  static constinit std::array<std::atomic<const Node*>, kSlots> kept{};
  if (text.empty()) return None();
  if (text.size() > kKeptSizeMax || IsForOne(text)) return Make(text, false);
  const Outline outline = OutlineOf(text);
  const size_t hash = HashOf(text, outline);
  for (size_t i = 0; i < kProbes; ++i) {
    std::atomic<const Node*>& slot = kept[(hash + i) % kSlots];
    const Node* present = slot.load(std::memory_order_acquire);
    if (present == nullptr) {
      const Node* const made = Make(text, true);
      if (slot.compare_exchange_strong(present, made, std::memory_order_acq_rel, std::memory_order_acquire)) {
        return made;
      }
      delete made;  // Somebody else was faster, perhaps with the same name.
    }
    if (present->Is(text, outline)) return present;
  }
  return Make(text, false);
}

}  // namespace berth::api
