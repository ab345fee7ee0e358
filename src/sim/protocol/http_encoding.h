// SPDX-License-Identifier: Apache-2.0
// What an API server puts on the wire: objects, watch events and statuses, as JSON or protobuf; and how it reads a
// request.

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/wire/watch_stream.h"
#include "net/transport.h"
#include "sim/protocol/line.h"

namespace berth::sim {

struct Target {
  std::vector<std::string> path;             // Without slashes.
  std::map<std::string, std::string> query;  // Decoded.

  std::string Get(const std::string& name) const {
    const auto found = query.find(name);
    return found == query.end() ? "" : found->second;
  }
};
Target ParseTarget(std::string_view target);

// A whole object, such as a list.
std::string EncodeObject(api::wire::Encoding encoding, const std::string& json);
// One frame of a watch.
std::string EncodeEvent(api::wire::Encoding encoding, std::string_view type, const std::string& object_json);
net::Header ContentType(api::wire::Encoding encoding, bool is_watch);

std::string StatusJson(int code, std::string_view reason, std::string_view message);
void AnswerJson(Line* line, int code, std::string body);
void Refuse(Line* line, int code, std::string_view reason, std::string_view message);

// The body of a request, in either form.
Result<api::Document> ParseBody(const net::Request& request);

}  // namespace berth::sim
