// SPDX-License-Identifier: Apache-2.0
#include "net/message_body.h"

#include "base/ascii.h"
#include "net/header.h"

namespace berth::net {

MessageBody::MessageBody(const ParserLimits& limits, std::span<const Header> headers, bool is_absent)
    : remaining_(limits.body_bytes) {
  const bool is_gzip = EqualsIgnoringCase(FindHeader(headers, "content-encoding"), "gzip");
  if (is_gzip && !is_absent) gzip_.emplace(limits.unpacked_bytes);
}

void MessageBody::Limit(uint64_t bytes) {
  remaining_ = bytes;
  if (gzip_) gzip_.emplace(bytes);
}

Result<void> MessageBody::Announce(uint64_t bytes) const {
  if (bytes > remaining_) return Fail(Code::kLimit, "the HTTP body is too large");
  return {};
}

Result<void> MessageBody::Feed(std::string_view bytes, const Sink& sink) {
  if (bytes.empty()) return {};
  has_bytes_ = true;
  BERTH_CHECK_OK(Announce(bytes.size()));
  remaining_ -= bytes.size();
  if (gzip_) return gzip_->Feed(bytes, sink);
  sink(bytes);
  return {};
}

Result<void> MessageBody::Finish() const {
  if (!gzip_ || !has_bytes_) return {};
  return gzip_->Finish();
}

}  // namespace berth::net
