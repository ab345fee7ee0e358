// SPDX-License-Identifier: Apache-2.0
// MessageBody: the body of an HTTP message as it comes in: counted, and unpacked if it is gzip.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "net/gzip_decoder.h"
#include "net/http_parser.h"

namespace berth::net {

class MessageBody {
 public:
  using Sink = std::function<void(std::string_view)>;

  // `headers` are those of the message; `is_absent`: they speak of a body that does not come, as in an answer to HEAD.
  MessageBody(const ParserLimits& limits, std::span<const Header> headers, bool is_absent);

  // So many bytes may come, and come out, from now on. REQUIRES: nothing was fed.
  void Limit(uint64_t bytes);
  // Code::kLimit if so many bytes are too many.
  Result<void> Announce(uint64_t bytes) const;

  // Gives what came out to `sink` in pieces. Code::kLimit: it is too much.
  Result<void> Feed(std::string_view bytes, const Sink& sink);
  // An error if the packed body was cut short.
  Result<void> Finish() const;

 private:
  uint64_t remaining_;
  std::optional<GzipDecoder> gzip_;
  bool has_bytes_ = false;
};

}  // namespace berth::net
