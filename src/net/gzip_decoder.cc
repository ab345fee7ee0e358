// SPDX-License-Identifier: Apache-2.0
#include "net/gzip_decoder.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>

namespace berth::net {
namespace {

constexpr int kGzipOnly = 15 + 16;  // The largest window, and a gzip header.

}  // namespace

struct GzipDecoder::Impl {
  z_stream stream{};
  uint64_t remaining;
  enum class State : uint8_t { kBetweenMembers, kInMember } state = State::kBetweenMembers;

  explicit Impl(uint64_t limit) : remaining(limit) {
    if (inflateInit2(&stream, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~Impl() { inflateEnd(&stream); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // One call of inflate.
  Result<void> Step(const std::function<void(std::string_view)>& sink, bool& blocked) {
    std::array<char, 32 * 1024> output;  // NOLINT: filled by zlib.
    if (state == State::kBetweenMembers) {
      inflateReset(&stream);
      state = State::kInMember;
    }
    stream.next_out = reinterpret_cast<Bytef*>(output.data());
    stream.avail_out = output.size();
    const int code = inflate(&stream, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) return Invalid("gzip: invalid data");
    const size_t size = output.size() - stream.avail_out;
    if (size > remaining) return Fail(Code::kLimit, "gzip: the unpacked body is too large");
    remaining -= size;
    if (size > 0) sink({output.data(), size});
    if (code == Z_STREAM_END) state = State::kBetweenMembers;
    // A full output may hide more of it.
    blocked = stream.avail_in == 0 && (stream.avail_out > 0 || code == Z_STREAM_END);
    return {};
  }
};

GzipDecoder::GzipDecoder(uint64_t output_limit) : impl_(std::make_unique<Impl>(output_limit)) {}
GzipDecoder::~GzipDecoder() = default;

Result<void> GzipDecoder::Feed(std::string_view bytes, const std::function<void(std::string_view)>& sink) {
  while (!bytes.empty()) {
    const size_t size = std::min<size_t>(bytes.size(), std::numeric_limits<uInt>::max());
    impl_->stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib does not write there.
    impl_->stream.avail_in = static_cast<uInt>(size);
    bytes.remove_prefix(size);
    for (bool blocked = false; !blocked;) BERTH_CHECK_OK(impl_->Step(sink, blocked));
  }
  return {};
}

Result<void> GzipDecoder::Finish() const {
  if (impl_->state == Impl::State::kInMember) return Fail(Code::kInternal, "gzip: unexpected EOF");
  return {};
}

}  // namespace berth::net
