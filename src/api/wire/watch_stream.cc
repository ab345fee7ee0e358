// SPDX-License-Identifier: Apache-2.0
#include "api/wire/watch_stream.h"

#include <algorithm>
#include <array>
#include <protozero/pbf_reader.hpp>
#include <utility>

#include "api/document_builder.h"
#include "api/wire/tree.h"

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

Result<WatchEvent> DecodeJson(std::string_view frame) {
  const Document document = BERTH_TRY(ParseJson(frame));
  const auto type = TypeOf(document.root()["type"].text());
  const Value object = document.root()["object"];
  if (!type || !object.is_map()) return Invalid("watch: the frame is no event");
  DocumentBuilder builder;
  Copy(object, builder);  // Cannot become too deep: it was deeper before.
  WatchEvent event{.type = *type, .object = {}};
  event.object = BERTH_TRY(builder.Finish());
  return event;
}

struct ProtobufFrame {
  std::string_view type;
  std::string_view object;
};

// A metav1.WatchEvent: the type, and a RawExtension whose only field holds the object.
Result<ProtobufFrame> SplitFrame(std::string_view frame) {
  using protozero::pbf_wire_type;
  const auto view = [](protozero::pbf_reader& reader) {
    const protozero::data_view bytes = reader.get_view();
    return std::string_view(bytes.data(), bytes.size());
  };
  ProtobufFrame parts;
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

Result<WatchEvent> DecodeProtobuf(std::string_view frame, const ProtobufOptions& options) {
  const ProtobufFrame parts = BERTH_TRY(SplitFrame(frame));
  const auto type = TypeOf(parts.type);
  if (!type) return Invalid("watch: the frame is no event");
  WatchEvent event{.type = *type, .object = {}};
  event.object = BERTH_TRY(ParseProtobuf(parts.object, options));
  return event;
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

Result<WatchEvent> DecodeWatchFrame(Encoding encoding, std::string_view frame, const ProtobufOptions& options) {
  return encoding == Encoding::kJson ? DecodeJson(frame) : DecodeProtobuf(frame, options);
}

}  // namespace berth::api::wire
