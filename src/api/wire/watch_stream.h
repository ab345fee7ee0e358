// SPDX-License-Identifier: Apache-2.0
// WatchStream: cuts the body of a watch response into frames; CutWatchFrame: makes an event of one.
//
// Bytes are fed as they arrive, in pieces of any size, and whole frames are taken. In JSON a frame is one object, with
// or without a line end behind it; in protobuf (";stream=watch") it follows its length, four bytes, highest first.
// After an error the stream is of no use: the watch starts anew.
//
// Thread: one at a time. Cost: each byte is looked at once and copied once.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/wire/encoded_object.h"
#include "base/result.h"

namespace berth::api::wire {

class WatchStream {
 public:
  static constexpr size_t kFrameMax = size_t{16} << 20;  // What upstream's clients take.

  explicit WatchStream(Encoding encoding, size_t frame_max = kFrameMax) : encoding_(encoding), frame_max_(frame_max) {}

  void Feed(std::string_view bytes);

  // The next whole frame, or nothing until more bytes come. The view is valid until the next call of Feed or Next.
  // Fails if a frame is longer than allowed, or the bytes between frames are none of JSON's.
  Result<std::optional<std::string_view>> Next();

  // Whether the bytes so far end in the middle of a frame: a response that ends like this was cut off.
  bool has_partial() const;

 private:
  Result<std::optional<std::string_view>> NextJson();
  Result<std::optional<std::string_view>> NextProtobuf();
  std::optional<std::string_view> Take(size_t size);

  // Where in an object the JSON scan stands, so that no byte is looked at twice.
  struct Scan {
    size_t at = 0;  // Behind begin_.
    uint32_t depth = 0;
    bool in_string = false;
    bool escaped = false;
  };

  Encoding encoding_;
  size_t frame_max_;
  std::string buffer_;
  size_t begin_ = 0;  // Of the first byte that was not taken.
  Scan scan_;
};

struct WatchEvent {
  enum class Type : uint8_t { kAdded, kModified, kDeleted, kBookmark, kError };

  Type type = Type::kError;
  EncodedObject object;  // A view of the frame; of kError a Status.
};

// Fails if the frame is no event, or holds no object.
Result<WatchEvent> CutWatchFrame(Encoding encoding, std::string_view frame);

}  // namespace berth::api::wire
