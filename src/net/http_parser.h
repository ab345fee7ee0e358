// SPDX-License-Identifier: Apache-2.0
// HttpParser: turns the bytes of a connection into HTTP/1.1 messages.
//
// It reads requests or responses, one after another, and knows no sockets: bytes go in, events come out. Bodies are
// delivered without their chunked or gzip encoding. Interim answers (1xx) are skipped. After an error the connection is
// of no use.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/transport.h"

namespace berth::net {

struct MessageHead {
  std::string method;  // Of a request.
  std::string target;  // Of a request.
  int status = 0;      // Of a response.
  bool is_http_1_0 = false;
  std::vector<Header> headers;
};

struct ParserLimits {
  uint32_t header_bytes = 1 << 20;       // First line and headers, and any line of a chunked body.
  uint64_t body_bytes = UINT64_MAX;      // As sent.
  uint64_t unpacked_bytes = UINT64_MAX;  // Of a gzip body.
};

class HttpParser {
 public:
  enum class Kind : uint8_t { kRequest, kResponse };

  // Must neither feed nor destroy the parser.
  class Events {
   public:
    virtual ~Events() = default;
    virtual void OnHead(MessageHead head) = 0;
    virtual void OnBody(std::string_view piece) = 0;
    virtual void OnEnd() = 0;
  };

  HttpParser(Kind kind, ParserLimits limits, Events& events);
  ~HttpParser();
  HttpParser(const HttpParser&) = delete;
  HttpParser& operator=(const HttpParser&) = delete;

  // The next response answers a HEAD request, so it has no body whatever it says.
  void ExpectNoBody();

  // Takes bytes up to the end of the message and returns how many; the rest belongs to the next one and is to be fed
  // again. So does what follows the head of a request, which one may not want to read. Code::kLimit: the header or the
  // body is too large.
  Result<size_t> Feed(std::string_view bytes);

  // The message whose head was read last may have a body of so many bytes, sent and unpacked. Code::kLimit: it says
  // that it has more. Nothing happens if it has ended. REQUIRES: nothing of its body was fed.
  Result<void> LimitBody(uint64_t bytes);

  // The peer sends no more. An error if that cuts a message short.
  Result<void> FeedEnd();

  bool is_between_messages() const;  // Nothing of a message was read.
  bool is_in_body() const;           // The head is complete, the message is not.
  bool keep_alive() const;           // Whether the connection outlives the last message whose head was read.

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::net
