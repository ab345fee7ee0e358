// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "net/parser_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  berth::net::CheckParser(berth::net::HttpParser::Kind::kRequest, {reinterpret_cast<const char*>(data), size});
  return 0;
}

extern const char* const kFuzzSeeds[] = {
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "POST /api?x=%20 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhelloGET / HTTP/1.0\r\n\r\n",
    "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;e=\"x\"\r\nabc\r\n0\r\nT: v\r\n\r\n",
    "POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Encoding: gzip\r\nConnection: keep-alive, close\r\n"
    "Content-Length: 4\r\n\r\n\x1f\x8b\x08\x01",
    nullptr};
