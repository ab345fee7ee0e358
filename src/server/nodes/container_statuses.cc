// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/container_statuses.h"

#include <algorithm>
#include <utility>

namespace berth::server {

Json WaitingStatus(const Json& container, std::string_view reason) {
  return Json{{"name", container["name"]},    {"image", container["image"]},
              {"imageID", Json::String("")},  {"lastState", Json::MakeMap()},
              {"ready", Json::Bool(false)},   {"started", Json::Bool(false)},
              {"restartCount", Json::Int(0)}, {"state", Json{{"waiting", Json{{"reason", Json::String(reason)}}}}}};
}

void SetRunning(Json& status, const Json& container, const std::string& now, bool is_ready) {
  const Json ended = status["state"]["terminated"];
  if (!ended.is_null()) status.Set("lastState", Json{{"terminated", ended}});
  if (!status["lastState"].empty()) status.Set("restartCount", Json::Int(status["restartCount"].IntOr(0) + 1));
  status.Set("state", Json{{"running", Json{{"startedAt", Json::String(now)}}}});
  status.Set("started", Json::Bool(true));
  status.Set("ready", Json::Bool(is_ready));
  status.Set("image", container["image"]);
  GiveResources(status, container);
}

void SetBackOff(Json& status, std::string_view reason, std::string message) {
  const Json ended = status["state"]["terminated"];
  if (!ended.is_null()) status.Set("lastState", Json{{"terminated", ended}});
  status.Set("state",
             Json{{"waiting", Json{{"reason", Json::String(reason)}, {"message", Json::String(std::move(message))}}}});
}

void SetTerminated(Json& status, const ContainerEnd& end, bool is_ready) {
  status.Set("state", Json{{"terminated", Json{{"exitCode", Json::Int(end.exit_code)},
                                               {"reason", Json::String(end.exit_code == 0 ? "Completed" : "Error")},
                                               {"startedAt", Json::String(end.started)},
                                               {"finishedAt", Json::String(end.finished)}}}});
  status.Set("started", Json::Bool(false));
  status.Set("ready", Json::Bool(is_ready));
}

void GiveResources(Json& status, const Json& container) {
  const Json& resources = container["resources"];
  status.Set("resources", resources.is_null() ? Json::MakeMap() : resources);
  if (const Json& requests = resources["requests"]; !requests.empty()) {
    status.Set("allocatedResources", requests);
  } else {
    status.Erase("allocatedResources");
  }
}

Json* FindStatus(Json::List& statuses, std::string_view name) {
  const auto found = std::ranges::find_if(statuses, [&](const Json& status) { return status["name"].text() == name; });
  return found == statuses.end() ? nullptr : &*found;
}

const Json& FindStatus(const Json& statuses, std::string_view name) {
  static const Json kNone;
  const auto found =
      std::ranges::find_if(statuses.items(), [&](const Json& status) { return status["name"].text() == name; });
  return found == statuses.items().end() ? kNone : *found;
}

}  // namespace berth::server
