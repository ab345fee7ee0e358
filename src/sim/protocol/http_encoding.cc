// SPDX-License-Identifier: Apache-2.0
#include "sim/protocol/http_encoding.h"

#include <fmt/format.h>

#include <charconv>

#include "api/wire/backward_writer.h"
#include "api/wire/protobuf.h"
#include "client/rest_client.h"

namespace berth::sim {
namespace {

using api::wire::Encoding;

std::string Decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    int byte = 0;
    std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16);
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

template <class Take>
void Split(std::string_view text, char separator, Take take) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end > 0) take(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

Target ParseTarget(std::string_view target) {
  Target parsed;
  const size_t question = std::min(target.find('?'), target.size());
  Split(target.substr(0, question), '/', [&](std::string_view part) { parsed.path.push_back(Decoded(part)); });
  if (question == target.size()) return parsed;
  Split(target.substr(question + 1), '&', [&](std::string_view part) {
    const size_t equals = std::min(part.find('='), part.size());
    parsed.query[Decoded(part.substr(0, equals))] = Decoded(part.substr(std::min(equals + 1, part.size())));
  });
  return parsed;
}

std::string EncodeObject(Encoding encoding, const std::string& json) {
  if (encoding == Encoding::kJson) return json;
  return api::wire::ToProtobuf(api::ParseJson(json)->root()).value();
}

std::string EncodeEvent(Encoding encoding, std::string_view type, const std::string& object_json) {
  if (encoding == Encoding::kJson) return fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", type, object_json);
  api::wire::BackwardWriter out;
  out.BytesField(1, EncodeObject(encoding, object_json));
  out.Close(2, 0);
  out.BytesField(1, type);
  const size_t size = out.size();
  for (const int shift : {0, 8, 16, 24}) {
    const auto byte = static_cast<char>(size >> shift);
    out.Bytes({&byte, 1});
  }
  return out.Take();
}

net::Header ContentType(Encoding encoding, bool is_watch) {
  std::string type(encoding == Encoding::kJson ? client::kJson : client::kProtobuf);
  if (encoding == Encoding::kProtobuf && is_watch) type += ";stream=watch";
  return {"Content-Type", std::move(type)};
}

std::string StatusJson(int code, std::string_view reason, std::string_view message) {
  return fmt::format(
      R"({{"kind":"Status","apiVersion":"v1","metadata":{{}},"status":"{}","message":"{}","reason":"{}","code":{}}})",
      code < 300 ? "Success" : "Failure", message, reason, code);
}

void AnswerJson(Line* line, int code, std::string body) {
  if (line != nullptr) line->Answer(code, {ContentType(Encoding::kJson, false)}, std::move(body));
}

void Refuse(Line* line, int code, std::string_view reason, std::string_view message) {
  AnswerJson(line, code, StatusJson(code, reason, message));
}

Result<api::Document> ParseBody(const net::Request& request) {
  return api::wire::IsProtobuf(request.body) ? api::wire::ParseProtobuf(request.body) : api::ParseJson(request.body);
}

}  // namespace berth::sim
