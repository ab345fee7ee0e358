// SPDX-License-Identifier: Apache-2.0
// What must hold for Http2Session whatever a server sends: each stream has at most one head, then pieces, then one end.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>

#include "base/assert.h"
#include "net/http2_session.h"

namespace berth::net {
namespace {

struct SessionLog : Http2Session::Events {
  struct Heard {
    bool head = false;
    bool end = false;
  };
  std::map<Http2Session::StreamId, Heard> streams;
  size_t bytes = 0;

  void OnHead(Http2Session::StreamId stream, ResponseHead head) override {
    BERTH_ASSERT(head.status >= 200 && !streams[stream].head && !streams[stream].end);
    streams[stream].head = true;
  }
  void OnBody(Http2Session::StreamId stream, std::string_view piece) override {
    BERTH_ASSERT(streams[stream].head && !streams[stream].end && !piece.empty());
    bytes += piece.size();
  }
  void OnStreamEnd(Http2Session::StreamId stream, Result<void> end) override {
    BERTH_ASSERT(!streams[stream].end && (!end || streams[stream].head));
    streams[stream].end = true;
  }
};

void CheckSession(std::string_view bytes, size_t size) {
  SessionLog log;
  const ParserLimits limits{.header_bytes = 512, .body_bytes = 1024, .unpacked_bytes = 4096};
  Http2Session session(limits, log);
  Request request;
  request.target = "/";
  for (int i = 0; i < 3; ++i) {
    if (i == 2) request.body = "body";
    BERTH_ASSERT(session.Start(request, "host", ""));
  }
  session.TakeOutput();
  while (!bytes.empty() && session.Feed(bytes.substr(0, size))) {
    bytes.remove_prefix(std::min(size, bytes.size()));
    session.TakeOutput();
  }
  BERTH_ASSERT(log.streams.size() <= 3 && log.bytes <= 3 * 4096);
}

}  // namespace
}  // namespace berth::net

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  berth::net::CheckSession(bytes, bytes.size());
  berth::net::CheckSession(bytes, 1);
  return 0;
}

// Seeds end at their first zero byte, which every frame has early, so they give little; libFuzzer finds the rest.
extern const char* const kFuzzSeeds[] = {"HTTP/1.1 400 Bad Request\r\n\r\n", nullptr};
