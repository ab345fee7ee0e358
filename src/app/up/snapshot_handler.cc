// SPDX-License-Identifier: Apache-2.0
#include "app/up/snapshot_handler.h"

#include <string_view>
#include <utility>
#include <vector>

#include "server/model/json.h"
#include "server/model/status.h"
#include "server/objects/snapshot.h"

namespace berth::up {
namespace {

constexpr std::string_view kPath = "/berth/v1/snapshot";
const net::Header kIsJson = {"Content-Type", "application/json"};

void Refuse(net::Responder& responder, const server::StatusError& error, std::vector<net::Header> headers = {}) {
  headers.push_back(kIsJson);
  responder.Send(error.code, std::move(headers), error.ToJson().ToText());
}

server::Json ToJson(const server::RestoreReport& report) {
  server::Json json = server::Json::MakeMap();
  const auto set = [&](std::string_view name, size_t count) {
    json.Set(name, server::Json::Int(static_cast<int64_t>(count)));
  };
  set("created", report.created);
  set("changed", report.changed);
  set("removed", report.removed);
  set("unchanged", report.unchanged);
  server::Json& skipped = json.Make("skipped");
  skipped = server::Json::MakeList();
  for (const std::string& object : report.skipped) skipped.Append(server::Json::String(object));
  return json;
}

}  // namespace

bool SnapshotHandler::Takes(const net::ServerRequest& request) {
  return std::string_view(request.target).substr(0, request.target.find('?')) == kPath;
}

void SnapshotHandler::OnRequest(net::ServerRequest request, net::Responder responder) {
  if (request.method == "GET") return responder.Send(200, {kIsJson}, server::TakeSnapshot(objects_));
  if (request.method == "PUT") return Restore(std::move(responder));
  Refuse(responder, {.code = 405, .reason = "MethodNotAllowed", .message = "only GET and PUT are supported here"},
         {{"Allow", "GET, PUT"}});
}

void SnapshotHandler::Restore(net::Responder responder) {
  if (!restoring_.expired()) {
    return Refuse(responder,
                  {.code = 429, .reason = "TooManyRequests", .message = "another snapshot is being restored"},
                  {{"Retry-After", "1"}});
  }
  const auto place = std::make_shared<int>();
  restoring_ = place;
  const auto kept = std::make_shared<net::Responder>(std::move(responder));
  kept->ReadBody(kSnapshotBytesMax, [this, kept, place](const std::string& body) {
    const Result<server::RestoreReport> restored = server::RestoreSnapshot(objects_, body);
    if (restored) return kept->Send(200, {kIsJson}, ToJson(*restored).ToText() + "\n");
    Refuse(*kept, {.code = 400, .reason = "BadRequest", .message = "snapshot: " + restored.error().message});
  });
}

}  // namespace berth::up
