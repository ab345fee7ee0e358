// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "net/parser_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  berth::net::CheckParser(berth::net::HttpParser::Kind::kResponse, {reinterpret_cast<const char*>(data), size});
  return 0;
}

extern const char* const kFuzzSeeds[] = {
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n0\r\n\r\n",
    "HTTP/1.0 200 OK\r\nServer: x\r\n\r\nuntil the end",
    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n\x1f\x8b\x08\r\n",
    "HTTP/1.1 204 No Content\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\n\r\n",
    nullptr};
