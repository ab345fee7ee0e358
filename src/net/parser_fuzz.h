// SPDX-License-Identifier: Apache-2.0
// What must hold for HttpParser whatever it is fed: events come in order, limits hold, and it does not matter how the
// bytes are cut.

#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "net/http_parser.h"

namespace berth::net {

// Writes down what it hears.
struct ParserLog : HttpParser::Events {
  std::string text;
  size_t bodies = 0;
  bool in_message = false;

  void OnHead(MessageHead head) override {
    BERTH_ASSERT(!in_message);
    in_message = true;
    text += "\nhead " + head.method + head.target + std::to_string(head.status);
    for (const Header& header : head.headers) text += "\n" + header.name + ":" + header.value;
    text += "\nbody ";
  }
  void OnBody(std::string_view piece) override {
    BERTH_ASSERT(in_message && !piece.empty());
    bodies += piece.size();
    text += piece;
  }
  void OnEnd() override {
    BERTH_ASSERT(in_message);
    in_message = false;
    text += "\nend";
  }
};

inline std::string LogOf(HttpParser::Kind kind, std::string_view bytes, size_t size) {
  ParserLog log;
  const ParserLimits limits{.header_bytes = 512, .body_bytes = 1024, .unpacked_bytes = 4096};
  HttpParser parser(kind, limits, log);
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, size);
    const auto used = parser.Feed(piece);
    if (!used) {
      BERTH_ASSERT(!used.error().message.empty());
      return log.text;
    }
    BERTH_ASSERT(*used > 0 && *used <= piece.size());
    bytes.remove_prefix(*used);
  }
  if (!parser.FeedEnd()) log.text += "\ncut";
  return log.text;
}

inline void CheckParser(HttpParser::Kind kind, std::string_view bytes) {
  const std::string whole = LogOf(kind, bytes, bytes.size());
  const std::string single = LogOf(kind, bytes, 1);
  // An error may come before or after the bytes in front of it are delivered.
  BERTH_ASSERT(std::string_view(single).starts_with(whole) || std::string_view(whole).starts_with(single));
}

}  // namespace berth::net
