// SPDX-License-Identifier: Apache-2.0
// BackwardWriter: writes protobuf from its end to its beginning.
//
// A message stands behind its length, so writing backwards knows the length when it is due: nothing is measured
// before and nothing moves after.

#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace berth::api::wire {

class BackwardWriter {
 public:
  // Bytes written so far; remembered before a message is written to know its length.
  size_t size() const { return size_; }

  void Bytes(std::string_view bytes) {
    if (bytes.empty()) return;  // It may have no address to copy from.
    Reserve(bytes.size());
    size_ += bytes.size();
    std::memcpy(Front(), bytes.data(), bytes.size());
  }

  void Varint(uint64_t number) {
    char digits[10];
    size_t count = 0;
    do {
      digits[count++] = static_cast<char>((number & 0x7F) | (number > 0x7F ? 0x80 : 0));
      number >>= 7;
    } while (number != 0);
    Bytes({digits, count});
  }

  // Tag and value of a field. A message is written first, then closed with the size() from before it.
  void VarintField(uint32_t field, uint64_t number) {
    Varint(number);
    Varint(field << 3);
  }
  void Fixed64Field(uint32_t field, uint64_t bits) {
    char bytes[8];
    for (size_t i = 0; i < sizeof(bytes); ++i) bytes[i] = static_cast<char>(bits >> (8 * i));
    Bytes({bytes, sizeof(bytes)});
    Varint(field << 3 | 1);
  }
  void BytesField(uint32_t field, std::string_view bytes) {
    Bytes(bytes);
    Close(field, size_ - bytes.size());
  }
  void Close(uint32_t field, size_t size_before) {
    Varint(size_ - size_before);
    Varint(field << 3 | 2);
  }

  std::string Take() { return std::string(Front(), size_); }

 private:
  char* Front() { return buffer_.data() + (buffer_.size() - size_); }

  void Reserve(size_t count) {
    if (buffer_.size() - size_ >= count) return;
    std::string larger(2 * buffer_.size() + count + 512, '\0');
    std::memcpy(larger.data() + (larger.size() - size_), Front(), size_);
    buffer_ = std::move(larger);
  }

  std::string buffer_;  // The last size_ bytes are written.
  size_t size_ = 0;
};

}  // namespace berth::api::wire
