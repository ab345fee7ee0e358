// SPDX-License-Identifier: Apache-2.0
#include "record/input_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/checksum.h"
#include "record/fields.h"

namespace berth::record {
namespace {

constexpr std::string_view kMagic = "BERTHLOG";
constexpr uint32_t kVersion = 9;
constexpr size_t kNumberSize = 4;
constexpr size_t kChunkSize = size_t{1} << 16;

constexpr uint64_t kInputEntry = 0;
constexpr uint64_t kDigestEntry = 1;
constexpr uint64_t kEndEntry = 2;

std::string LittleEndian(uint32_t number) {
  std::string bytes;
  for (size_t i = 0; i < kNumberSize; ++i) bytes += static_cast<char>(number >> (8 * i));
  return bytes;
}

uint32_t FromLittleEndian(std::string_view bytes) {
  uint32_t number = 0;
  for (size_t i = 0; i < kNumberSize; ++i) number |= uint32_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return number;
}

// Up to `size` bytes: fewer at the end of the stream. Takes no more memory than there are bytes, whatever `size` says.
std::string ReadUpTo(std::istream& in, size_t size) {
  std::string bytes;
  while (bytes.size() < size && in.good()) {
    const size_t begin = bytes.size();
    bytes.resize(begin + std::min(size - begin, kChunkSize));
    in.read(bytes.data() + begin, static_cast<std::streamsize>(bytes.size() - begin));
    bytes.resize(begin + static_cast<size_t>(in.gcount()));
  }
  return bytes;
}

std::unexpected<Error> FailAt(uint64_t offset, std::string_view reason) {
  return Invalid(fmt::format("offset {}: {}", offset, reason));
}

}  // namespace

template <class Archive>
void Fields(Archive& archive, Subject<Archive, Digest>& digest) {
  archive(digest.value);
}
template <class Archive>
void Fields(Archive&, Subject<Archive, LogEnd>&) {}

Writer::Writer(std::ostream& out, const Settings& settings) : out_(out) {
  out_ << kMagic << LittleEndian(kVersion);
  size_ = kMagic.size() + kNumberSize;
  WriteFrame(EncodeSettings(settings));
}

void Writer::WriteInput(const scheduler::Input& input) {
  Encoder archive;
  archive(kInputEntry, input);
  WriteFrame(archive.Take());
}

void Writer::WriteDigest(uint64_t digest) {
  Encoder archive;
  archive(kDigestEntry, digest);
  WriteFrame(archive.Take());
}

void Writer::WriteEnd() {
  Encoder archive;
  archive(kEndEntry);
  WriteFrame(archive.Take());
}

void Writer::WriteFrame(std::string_view payload) {
  if (payload.size() > std::numeric_limits<uint32_t>::max()) return out_.setstate(std::ios::failbit);
  const std::string size = LittleEndian(static_cast<uint32_t>(payload.size()));
  out_ << size << LittleEndian(Crc32c(payload, Crc32c(size))) << payload;
  size_ += 2 * kNumberSize + payload.size();
}

Result<Reader> Reader::Open(std::istream& in, const framework::Registry& registry) {
  Reader reader(in);
  const std::string start = ReadUpTo(in, kMagic.size() + kNumberSize);
  if (!start.starts_with(kMagic)) return FailAt(0, "this is not an input log");
  if (start.size() < kMagic.size() + kNumberSize) return FailAt(kMagic.size(), "the log is cut off");
  const uint32_t version = FromLittleEndian(std::string_view(start).substr(kMagic.size()));
  if (version != kVersion) {
    return FailAt(kMagic.size(), fmt::format("the log has version {}, and only {} is known", version, kVersion));
  }
  const uint64_t begin = reader.offset_ = start.size();
  const std::optional<std::string> payload = BERTH_TRY(reader.ReadFrame());
  if (!payload) return FailAt(begin, "the log is cut off");
  Result<Settings> settings = DecodeSettings(*payload, registry);
  if (!settings) return FailAt(begin, settings.error().message);
  reader.settings_ = *std::move(settings);
  reader.registry_ = std::make_shared<const framework::Registry>(registry);
  return reader;
}

Result<std::optional<std::string>> Reader::ReadFrame() {
  const std::string head = ReadUpTo(*in_, 2 * kNumberSize);
  if (in_->bad()) return FailAt(offset_, "the log cannot be read");
  const auto cut_off = [&](size_t left) {
    unfinished_ = "it is still being written, or its writer died";
    if (left > 0) *unfinished_ += fmt::format("; the last {} bytes are no whole entry", left);
    return std::nullopt;
  };
  if (head.size() < 2 * kNumberSize) return cut_off(head.size());
  const std::string_view size = std::string_view(head).substr(0, kNumberSize);
  std::string payload = ReadUpTo(*in_, FromLittleEndian(size));
  if (payload.size() < FromLittleEndian(size)) return cut_off(head.size() + payload.size());
  if (Crc32c(payload, Crc32c(size)) != FromLittleEndian(std::string_view(head).substr(kNumberSize))) {
    return FailAt(offset_, "the log is damaged: the checksum does not match");
  }
  offset_ += head.size() + payload.size();
  return payload;
}

Result<std::optional<Entry>> Reader::Next() {
  if (ended_ || unfinished_) return std::nullopt;
  Entry entry{.offset = offset_, .what = {}};
  const std::optional<std::string> payload = BERTH_TRY(ReadFrame());
  if (!payload) return std::nullopt;
  Decoder archive(*payload);
  archive.set_read_configuration(
      [&](std::string_view bytes) { return DecodeConfiguration(bytes, settings_.gates, *registry_); });
  archive(entry.what);
  archive.Finish();
  if (!archive.ok()) return FailAt(entry.offset, archive.problem());
  if (!std::holds_alternative<LogEnd>(entry.what)) return entry;
  ended_ = true;
  if (in_->peek() != std::istream::traits_type::eof()) return FailAt(offset_, "something follows the end of the log");
  return std::nullopt;
}

}  // namespace berth::record
