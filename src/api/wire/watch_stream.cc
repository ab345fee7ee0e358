// SPDX-License-Identifier: Apache-2.0
#include "api/wire/watch_stream.h"

#include <algorithm>
#include <array>
#include <protozero/pbf_reader.hpp>
#include <utility>

#include "api/document/json_scan.h"
#include "api/wire/envelope.h"

namespace berth::api::wire {
namespace {

constexpr size_t kLengthSize = 4;

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

uint32_t ReadLength(std::string_view bytes) {
  uint32_t length = 0;
  for (size_t i = 0; i < kLengthSize; ++i) length = length << 8 | static_cast<unsigned char>(bytes[i]);
  return length;
}

std::optional<WatchEvent::Type> TypeOf(std::string_view name) {
  using enum WatchEvent::Type;
  constexpr std::array<std::pair<std::string_view, WatchEvent::Type>, 5> kTypes = {
      {{"ADDED", kAdded}, {"MODIFIED", kModified}, {"DELETED", kDeleted}, {"BOOKMARK", kBookmark}, {"ERROR", kError}}};
  const auto* const found = std::ranges::find(kTypes, name, [](const auto& type) { return type.first; });
  if (found == kTypes.end()) return std::nullopt;
  return found->second;
}

struct FrameParts {
  std::string_view type;
  std::string_view object;
};

FrameParts SplitJson(std::string_view frame) {
  FrameParts parts;
  parts.object = JsonMember(frame, "object");
  parts.type = JsonMember(frame, "type");
  // Of a string what stands between the quotes: no type has a character that must be escaped.
  if (parts.type.size() >= 2) parts.type = parts.type.substr(1, parts.type.size() - 2);
  if (!parts.object.starts_with('{')) parts.type = {};
  return parts;
}

// A metav1.WatchEvent: the type, and a RawExtension whose only field holds the object.
Result<FrameParts> SplitProtobuf(std::string_view frame) {
  using protozero::pbf_wire_type;
  const auto view = [](protozero::pbf_reader& reader) {
    const protozero::data_view bytes = reader.get_view();
    return std::string_view(bytes.data(), bytes.size());
  };
  FrameParts parts;
  try {
    protozero::pbf_reader event(frame.data(), frame.size());
    while (event.next()) {
      if (!event.has_wire_type(pbf_wire_type::length_delimited) || event.tag() > 2) {
        event.skip();
      } else if (event.tag() == 1) {
        parts.type = view(event);
      } else {
        protozero::pbf_reader raw = event.get_message();
        while (raw.next(1, pbf_wire_type::length_delimited)) parts.object = view(raw);
      }
    }
  } catch (const protozero::exception& error) {
    return Invalid(std::string("watch: ") + error.what());
  }
  return parts;
}

}  // namespace

void WatchStream::Feed(std::string_view bytes) {
  // What was taken is dropped only here, so that a frame stays in place until then.
  buffer_.erase(0, begin_);
  begin_ = 0;
  buffer_.append(bytes);
}

std::optional<std::string_view> WatchStream::Take(size_t size) {
  const std::string_view frame = std::string_view(buffer_).substr(begin_, size);
  begin_ += size;
  scan_ = {};
  return frame;
}

bool WatchStream::has_partial() const {
  const std::string_view rest = std::string_view(buffer_).substr(begin_);
  return encoding_ == Encoding::kJson ? !std::ranges::all_of(rest, IsSpace) : !rest.empty();
}

Result<std::optional<std::string_view>> WatchStream::Next() {
  return encoding_ == Encoding::kJson ? NextJson() : NextProtobuf();
}

Result<std::optional<std::string_view>> WatchStream::NextProtobuf() {
  const std::string_view bytes = std::string_view(buffer_).substr(begin_);
  if (bytes.size() < kLengthSize) return std::nullopt;
  const size_t length = ReadLength(bytes);
  if (length > frame_max_) return Fail(Code::kLimit, "watch: a frame is too long");
  if (bytes.size() - kLengthSize < length) return std::nullopt;
  begin_ += kLengthSize;
  return Take(length);
}

Result<std::optional<std::string_view>> WatchStream::NextJson() {
  if (scan_.depth == 0) {
    while (begin_ < buffer_.size() && IsSpace(buffer_[begin_])) ++begin_;
    if (begin_ == buffer_.size()) return std::nullopt;
    if (buffer_[begin_] != '{') return Invalid("watch: a frame does not begin with an object");
  }
  const std::string_view bytes = std::string_view(buffer_).substr(begin_);
  while (scan_.at < bytes.size()) {
    const char c = bytes[scan_.at++];
    if (scan_.escaped) {
      scan_.escaped = false;
    } else if (scan_.in_string) {
      scan_.escaped = c == '\\';
      scan_.in_string = c != '"';
    } else if (c == '"') {
      scan_.in_string = true;
    } else if (c == '{') {
      ++scan_.depth;
    } else if (c == '}' && --scan_.depth == 0) {
      if (scan_.at > frame_max_) break;
      return Take(scan_.at);
    }
  }
  if (scan_.at > frame_max_) return Fail(Code::kLimit, "watch: a frame is too long");
  return std::nullopt;
}

Result<WatchEvent> CutWatchFrame(Encoding encoding, std::string_view frame) {
  const bool is_json = encoding == Encoding::kJson;
  const FrameParts parts = is_json ? SplitJson(frame) : BERTH_TRY(SplitProtobuf(frame));
  const auto type = TypeOf(parts.type);
  if (!type) return Invalid("watch: the frame is no event");
  if (is_json) return WatchEvent{*type, {encoding, parts.object}};
  return WatchEvent{*type, {encoding, BERTH_TRY(OpenEnvelope(parts.object)).message}};
}

}  // namespace berth::api::wire
