// SPDX-License-Identifier: Apache-2.0
// GzipDecoder: unpacks a gzip stream as its bytes arrive.
//
// A stream of several members is their concatenation. Output beyond the limit is an error, so that a small body cannot
// fill the memory.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "base/result.h"

namespace berth::net {

class GzipDecoder {
 public:
  explicit GzipDecoder(uint64_t output_limit);
  ~GzipDecoder();
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;

  // Gives what came out to `sink` in pieces.
  Result<void> Feed(std::string_view bytes, const std::function<void(std::string_view)>& sink);
  // An error if the stream ends in the middle of a member.
  Result<void> Finish() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::net
