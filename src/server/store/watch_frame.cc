// SPDX-License-Identifier: Apache-2.0
#include "server/store/watch_frame.h"

#include <cstdint>

namespace berth::server {
namespace {

std::string JsonFrame(std::string_view type, std::string_view object) {
  constexpr std::string_view kBegin = R"({"type":")";
  constexpr std::string_view kMiddle = R"(","object":)";
  constexpr std::string_view kEnd = "}\n";
  std::string frame;
  frame.reserve(kBegin.size() + type.size() + kMiddle.size() + object.size() + kEnd.size());
  return frame.append(kBegin).append(type).append(kMiddle).append(object).append(kEnd);
}

size_t VarintSize(size_t value) {
  size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

// The tag of a length-delimited field, and the length.
void AppendHead(std::string& out, uint8_t field, size_t length) {
  constexpr uint8_t kLengthDelimited = 2;
  out += static_cast<char>(field << 3 | kLengthDelimited);
  for (; length >= 0x80; length >>= 7) out += static_cast<char>(0x80 | (length & 0x7F));
  out += static_cast<char>(length);
}

// The length, highest byte first, and a WatchEvent: the type, and a RawExtension whose only field holds the object.
std::string ProtobufFrame(std::string_view type, std::string_view object) {
  const size_t raw_size = 1 + VarintSize(object.size()) + object.size();
  const size_t size = 1 + VarintSize(type.size()) + type.size() + 1 + VarintSize(raw_size) + raw_size;
  std::string frame;
  frame.reserve(4 + size);
  for (int shift = 24; shift >= 0; shift -= 8) frame += static_cast<char>(size >> shift & 0xFF);
  AppendHead(frame, 1, type.size());
  frame += type;
  AppendHead(frame, 2, raw_size);
  AppendHead(frame, 1, object.size());
  return frame.append(object);
}

}  // namespace

std::string WatchFrame(Encoding encoding, std::string_view type, std::string_view object) {
  return encoding == Encoding::kJson ? JsonFrame(type, object) : ProtobufFrame(type, object);
}

Bytes Encoded(const StoredObject& object, Encoding encoding) {
  return encoding == Encoding::kJson ? object.json() : object.protobuf();
}

}  // namespace berth::server
