// SPDX-License-Identifier: Apache-2.0
#include "record/archive.h"

#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "api/document/value.h"

namespace berth::record {

void Encoder::PutVarint(uint64_t value) {
  for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(value | 0x80);
  out_ += static_cast<char>(value);
}

void Encoder::Put(const std::string& text) {
  PutVarint(text.size());
  out_ += text;
}

void Encoder::Put(const api::SourceText& source) {
  Put(source != nullptr);
  if (source != nullptr) Put(*source);
}

void Decoder::Fail(std::string problem) {
  if (ok()) problem_ = std::move(problem);
  rest_ = {};
}

void Decoder::Finish() {
  if (!rest_.empty()) Fail("there are bytes left over");
}

uint64_t Decoder::GetVarint() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) {
      Fail("a value is missing");
      return 0;
    }
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    const uint64_t bits = byte & 0x7FU;
    if (shift == 63 && bits > 1) break;
    value |= bits << shift;
    if (byte < 0x80) return value;
  }
  Fail("a number is too large");
  return 0;
}

size_t Decoder::GetSize() {
  const uint64_t size = GetVarint();
  if (size <= rest_.size()) return static_cast<size_t>(size);
  Fail("a size is too large");
  return 0;
}

void Decoder::Get(bool& value) {
  const uint64_t number = GetVarint();
  if (number > 1) return Fail("a truth value is neither 0 nor 1");
  value = number == 1;
}

void Decoder::Get(int64_t& value) {
  const uint64_t zigzag = GetVarint();
  value = static_cast<int64_t>((zigzag >> 1) ^ (~(zigzag & 1) + 1));
}

void Decoder::Get(int32_t& value) {
  int64_t wide = 0;
  Get(wide);
  if (wide < std::numeric_limits<int32_t>::min() || wide > std::numeric_limits<int32_t>::max()) {
    return Fail("a number is too large");
  }
  value = static_cast<int32_t>(wide);
}

void Decoder::Get(std::string& text) {
  const size_t size = GetSize();
  text = rest_.substr(0, size);
  rest_.remove_prefix(size);
}

void Decoder::Get(api::Quantity& quantity) {
  std::string text;
  Get(text);
  if (!ok()) return;
  Result<api::Quantity> parsed = api::Quantity::Parse(text);
  if (!parsed) return Fail(parsed.error().message);
  quantity = *std::move(parsed);
}

void Decoder::Get(api::Labels& labels) {
  std::vector<api::Labels::Entry> entries;
  Get(entries);
  labels = api::Labels::FromUnsorted(std::move(entries));
}

void Decoder::Get(api::ResourceList& list) {
  std::vector<api::ResourceList::Entry> entries;
  Get(entries);
  for (auto& [name, quantity] : entries) list.Set(std::move(name), std::move(quantity));
}

void Decoder::Get(api::SourceText& source) {
  std::optional<std::string> text;
  Get(text);
  if (!text) return;
  if (!api::ParseJson(*text)) return Fail("the source of an object is not JSON");
  source = std::make_shared<const std::string>(*std::move(text));
}

}  // namespace berth::record
