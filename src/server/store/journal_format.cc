// SPDX-License-Identifier: Apache-2.0
#include "server/store/journal_format.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "api/document/field_error.h"
#include "base/assert.h"
#include "server/store/object_bounds.h"

namespace berth::server {
namespace {

constexpr std::string_view kMagic = "BERTHDAT";
constexpr std::string_view kHeader{"BERTHDAT\1\0\0\0", 12};
// Of a record: the size of the payload, its checksum, and a checksum of both. Without the last, a damaged size would
// look like a record that was cut off, and all that follows would be lost in silence.
constexpr size_t kFrameSize = 12;
// Of the payload: type, revision, sizes of resource and key.
constexpr size_t kFixedSize = 1 + 8 + 1 + 2;

template <class T>
void AppendInt(std::string& out, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) out += static_cast<char>(static_cast<uint64_t>(value) >> (8 * i) & 0xFF);
}

template <class T>
T ReadInt(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) value |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return static_cast<T>(value);
}

uint32_t Checksum(std::string_view bytes) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

size_t PayloadSize(const JournalRecord& record) {
  return kFixedSize + record.resource.size() + record.key.size() + record.text.size();
}

bool IsWhole(const JournalRecord& record) {
  const bool has_name = !record.resource.empty() && !record.key.empty();
  switch (record.type) {
    case JournalRecord::Type::kPut: return has_name && !record.text.empty();
    case JournalRecord::Type::kRemove: return has_name && record.text.empty();
    case JournalRecord::Type::kReached: return record.resource.empty() && record.key.empty() && record.text.empty();
  }
  return false;
}

// Nothing if these are no record.
std::optional<JournalRecord> ReadPayload(std::string_view payload) {
  if (payload.size() < kFixedSize) return std::nullopt;
  const size_t resource_size = ReadInt<uint8_t>(payload.substr(9));
  const size_t key_size = ReadInt<uint16_t>(payload.substr(10));
  const std::string_view rest = payload.substr(kFixedSize);
  if (rest.size() < resource_size + key_size) return std::nullopt;
  const JournalRecord record{.type = static_cast<JournalRecord::Type>(payload[0]),
                             .revision = ReadInt<Revision>(payload.substr(1)),
                             .resource = rest.substr(0, resource_size),
                             .key = rest.substr(resource_size, key_size),
                             .text = rest.substr(resource_size + key_size)};
  return record.revision > 0 && IsWhole(record) ? std::optional(record) : std::nullopt;
}

}  // namespace

std::string_view JournalHeader() { return kHeader; }

void AppendRecord(std::string& out, const JournalRecord& record) {
  const size_t size = PayloadSize(record);
  BERTH_ASSERT(size <= std::numeric_limits<uint32_t>::max());
  BERTH_ASSERT(record.resource.size() <= 0xFF && record.key.size() <= kObjectKeyBytesMax);
  const size_t begin = out.size();
  out.append(kFrameSize, '\0');
  AppendInt(out, static_cast<uint8_t>(record.type));
  AppendInt(out, record.revision);
  AppendInt(out, static_cast<uint8_t>(record.resource.size()));
  AppendInt(out, static_cast<uint16_t>(record.key.size()));
  out.append(record.resource).append(record.key).append(record.text);

  std::string frame;
  AppendInt(frame, static_cast<uint32_t>(size));
  AppendInt(frame, Checksum(std::string_view(out).substr(begin + kFrameSize)));
  AppendInt(frame, Checksum(frame));
  out.replace(begin, kFrameSize, frame);
}

void AppendRecord(std::string& out, JournalRecord::Type type, const StoredObject& object) {
  const std::string resource = object.resource().Qualified();
  const bool has_text = type == JournalRecord::Type::kPut;
  AppendRecord(out, JournalRecord{.type = type,
                                  .revision = object.revision(),
                                  .resource = resource,
                                  .key = object.key(),
                                  .text = has_text ? std::string_view(*object.json()) : std::string_view()});
}

size_t PutSize(const StoredObject& object) {
  const Resource& resource = object.resource();
  const size_t dot = resource.group.empty() ? 0 : 1;
  return kFrameSize + kFixedSize + resource.plural.size() + dot + resource.group.size() + object.key().size() +
         object.json()->size();
}

std::string Describe(const JournalRecord& record) {
  const auto about = [&](std::string_view what) {
    return fmt::format("{} {} {} at revision {}", what, record.resource, api::GoQuote(record.key), record.revision);
  };
  switch (record.type) {
    case JournalRecord::Type::kPut: return about("write of");
    case JournalRecord::Type::kRemove: return about("removal of");
    case JournalRecord::Type::kReached: return fmt::format("revision {}", record.revision);
  }
  return {};
}

Result<JournalReader> JournalReader::Open(std::string_view bytes) {
  if (bytes.size() < kHeader.size() && kHeader.starts_with(bytes)) return JournalReader(bytes, 0);
  if (!bytes.starts_with(kMagic)) return Invalid("this is no journal of berth");
  if (!bytes.starts_with(kHeader)) {
    return Invalid("the journal was written by another version of berth; this one cannot read it");
  }
  return JournalReader(bytes, kHeader.size());
}

Result<JournalReader> JournalReader::OpenDamaged(std::string_view bytes) {
  Result<JournalReader> reader = Open(bytes);
  if (reader || bytes.starts_with(kMagic) || bytes.size() < kHeader.size()) return reader;
  const JournalReader guess(bytes, kHeader.size());
  if (guess.HasRecordAt(kHeader.size())) return guess;
  return reader;
}

// A file that grew but was not filled when the power went reads as zeros.
bool JournalReader::IsZeroFrom(size_t offset) const {
  return std::ranges::all_of(bytes_.substr(offset), [](char c) { return c == '\0'; });
}

std::unexpected<Error> JournalReader::Damage(std::string_view what) const {
  return Invalid(fmt::format("offset {}: {}", offset_, what));
}

bool JournalReader::HasHeadAt(size_t offset) const {
  if (bytes_.size() - offset < kFrameSize) return false;
  const std::string_view frame = bytes_.substr(offset, kFrameSize);
  return Checksum(frame.substr(0, 8)) == ReadInt<uint32_t>(frame.substr(8));
}

bool JournalReader::HasRecordAt(size_t offset) const {
  if (!HasHeadAt(offset)) return false;
  const size_t begin = offset + kFrameSize;
  const size_t size = ReadInt<uint32_t>(bytes_.substr(offset));
  if (bytes_.size() - begin < size) return true;  // Cut off; nothing can follow.
  return Checksum(bytes_.substr(begin, size)) == ReadInt<uint32_t>(bytes_.substr(offset + 4));
}

JournalReader::Gap JournalReader::Skip() {
  Gap gap{.offset = offset_, .size = 0, .record = std::nullopt};
  if (HasHeadAt(offset_)) {
    const size_t size = ReadInt<uint32_t>(bytes_.substr(offset_));
    gap.record = ReadPayload(bytes_.substr(offset_ + kFrameSize, size));
    offset_ = std::min(bytes_.size(), offset_ + kFrameSize + size);
  } else {
    do ++offset_;
    while (offset_ < bytes_.size() && !HasRecordAt(offset_));
  }
  gap.size = offset_ - gap.offset;
  return gap;
}

Result<std::optional<JournalRecord>> JournalReader::Next() {
  if (offset_ < kHeader.size() || bytes_.size() - offset_ < kFrameSize) return std::nullopt;
  const std::string_view frame = bytes_.substr(offset_, kFrameSize);
  const size_t begin = offset_ + kFrameSize;
  if (!HasHeadAt(offset_)) {
    if (IsZeroFrom(begin)) return std::nullopt;
    return Damage("the head of a record is damaged");
  }
  const size_t size = ReadInt<uint32_t>(frame);
  if (bytes_.size() - begin < size) return std::nullopt;
  const std::string_view payload = bytes_.substr(begin, size);
  if (Checksum(payload) != ReadInt<uint32_t>(frame.substr(4))) {
    if (IsZeroFrom(begin + size)) return std::nullopt;
    return Damage("a record is damaged");
  }
  const std::optional<JournalRecord> record = ReadPayload(payload);
  if (!record) return Damage("a record is none that this version of berth knows");
  offset_ = begin + size;
  return record;
}

}  // namespace berth::server
