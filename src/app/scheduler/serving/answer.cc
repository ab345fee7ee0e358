// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/serving/answer.h"

#include "api/document/json_writer.h"
#include "base/ascii.h"
#include "base/text.h"

namespace berth::scheduler_app {
namespace {

// What is not a valid escape stays as it is.
std::string Unescape(std::string_view text, bool plus_is_space) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && HexDigit(text[i + 1]) >= 0 && HexDigit(text[i + 2]) >= 0) {
      out += static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2]));
      i += 2;
    } else {
      out += text[i] == '+' && plus_is_space ? ' ' : text[i];
    }
  }
  return out;
}

}  // namespace

void SendAnswer(Answer answer, net::Responder responder) {
  if (answer.stream) return answer.stream(std::move(responder));
  responder.Send(answer.status, std::move(answer.headers), std::move(answer.body));
}

Answer TextAnswer(std::string body, std::string_view content_type) {
  return {.status = 200,
          .headers = {{"Content-Type", std::string(content_type)}, {"X-Content-Type-Options", "nosniff"}},
          .body = std::move(body)};
}

Answer ErrorAnswer(int status, std::string_view message) {
  Answer answer = TextAnswer(std::string(message) + '\n');
  answer.status = status;
  return answer;
}

Answer NotFoundAnswer() { return ErrorAnswer(404, "404 page not found"); }

Answer StatusAnswer(int status, std::string_view reason, std::string_view message, bool with_details) {
  api::JsonWriter json;
  json.BeginObject().Key("kind").String("Status").Key("apiVersion").String("v1");
  json.Key("metadata").BeginObject().EndObject().Key("status").String("Failure");
  json.Key("message").String(message).Key("reason").String(reason);
  if (with_details) json.Key("details").BeginObject().EndObject();
  json.Key("code").Int(status).EndObject();
  return {.status = status, .headers = {{"Content-Type", "application/json"}}, .body = json.Take() + '\n'};
}

RequestTarget ParseTarget(std::string_view target) {
  RequestTarget parsed;
  parsed.path = Unescape(TakeUntil(target, '?'), false);
  while (!target.empty()) {
    std::string_view pair = TakeUntil(target, '&');
    const std::string_view name = TakeUntil(pair, '=');
    if (!name.empty()) parsed.query.emplace(Unescape(name, true), Unescape(pair, true));
  }
  return parsed;
}

}  // namespace berth::scheduler_app
