// SPDX-License-Identifier: Apache-2.0
// Http2Session: the client's side of one HTTP/2 connection.
//
// It knows no sockets: requests and bytes of the server go in, events and bytes for the server come out. Many requests
// run side by side, each on a stream of its own. Interim answers (1xx) are skipped, bodies are unpacked if they are
// gzip, pushes are refused. After an error of Feed the connection is of no use.
//
// A stream that is paused is granted no more bytes, so at most a window of them (kWindow) still comes.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http_parser.h"
#include "net/transport.h"

namespace berth::net {

class Http2Session {
 public:
  using StreamId = int32_t;
  static constexpr int32_t kWindow = 1 << 20;  // Of a stream, in bytes.

  // May start, reset and pause streams, but neither feed nor destroy the session.
  class Events {
   public:
    virtual ~Events() = default;
    virtual void OnHead(StreamId stream, ResponseHead head) = 0;
    virtual void OnBody(StreamId stream, std::string_view piece) = 0;
    // The last word of a stream. Code::kUnavailable: the server says that it has not looked at the request.
    virtual void OnStreamEnd(StreamId stream, Result<void> end) = 0;
  };

  Http2Session(const ParserLimits& limits, Events& events);
  ~Http2Session();
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;

  // `path` is where the target of the request begins, or empty. The body must stay where it is until the stream has
  // ended or is reset. Fails if the session is at its end.
  Result<StreamId> Start(const Request& request, const std::string& authority, const std::string& path);
  // Gives the answer up; there are no more events of it.
  void Reset(StreamId stream);
  void Pause(StreamId stream, bool paused);
  // Asks the server for a sign of life: some bytes, which Feed takes.
  void Ping();

  Result<void> Feed(std::string_view bytes);
  // What is to be sent now.
  std::string TakeOutput();

  // How many more requests the server takes at present; 0 for good once it has said goodbye.
  size_t room() const;
  size_t streams() const;

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::net
