// SPDX-License-Identifier: Apache-2.0
#include "conformance/scripted_extenders.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"

namespace berth::conformance {

ScriptedExtenders::ScriptedExtenders(net::EventLoop& loop, api::Value script) : loop_(loop), script_(script) {
  options_.body_bytes_max = uint64_t{1} << 30;
  Listen();
  url_ = fmt::format("http://127.0.0.1:{}", options_.port);
}

void ScriptedExtenders::Listen() {
  server_.reset();
  Result<std::unique_ptr<net::HttpServer>> server = net::HttpServer::Listen(loop_, options_, *this);
  BERTH_ASSERT(server.has_value());
  server_ = *std::move(server);
  options_.port = server_->port();
}

void ScriptedExtenders::OnRequest(net::ServerRequest request, net::Responder responder) {
  const std::string path = request.target;
  requests_.push_back(std::move(request));
  const api::Value answers = script_[path];
  const api::Value answer = answers[std::min(asked_[path]++, std::max(answers.size(), size_t{1}) - 1)];
  if (answer["hang"].AsBool().value_or(false)) {
    hanging_.push_back(std::move(responder));
  } else if (answer["close"].AsBool().value_or(false)) {
    hanging_.push_back(std::move(responder));
    loop_.Post([this] { Listen(); });  // Without a word to the old connections.
  } else if (answer.is_null()) {
    responder.Send(404, {}, "not in the script");
  } else {
    const std::string body = answer["body"].is_null() ? std::string(answer["text"].text()) : answer["body"].ToJson();
    responder.Send(static_cast<int>(answer["status"].AsInt().value_or(200)), {{"Content-Type", "application/json"}},
                   body);
  }
}

void ScriptedExtenders::WriteRequests(api::JsonWriter& json) const {
  json.Key("requests").BeginArray();
  for (const net::ServerRequest& request : requests_) {
    json.BeginObject().Key("method").String(request.method).Key("path").String(request.target);
    json.Key("contentType").String(request.Find("Content-Type")).Key("body");
    api::ParseJson(request.body) ? json.Raw(request.body) : json.String(request.body);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace berth::conformance
