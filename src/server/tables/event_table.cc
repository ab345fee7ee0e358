// SPDX-License-Identifier: Apache-2.0
#include "base/ascii.h"
#include "base/text.h"
#include "server/tables/cells.h"
#include "server/tables/printer.h"

namespace berth::server {
namespace {

std::string Target(const Json& object) {
  std::string target = Lower(object["kind"].text());
  if (const std::string& name = object["name"].text(); !name.empty()) target += '/' + name;
  return target;
}

// Old events say their source, new ones who reports them.
std::string Source(const Json& event) {
  std::string source = TextOr(event["source"]["component"], event["reportingComponent"].text());
  const std::string instance = TextOr(event["source"]["host"], event["reportingInstance"].text());
  if (!instance.empty()) source += ", " + instance;
  return source;
}

Json::List EventCells(const Json& event, Time now) {
  const Json& first = event[event["firstTimestamp"].is_string() ? "firstTimestamp" : "eventTime"];
  const Json& series = event["series"];
  const Json& last = series.is_map()                      ? series["lastObservedTime"]
                     : event["lastTimestamp"].is_string() ? event["lastTimestamp"]
                                                          : first;
  int64_t count = event["count"].IntOr(0);
  if (series.is_map()) {
    count = series["count"].IntOr(0);
  } else if (count == 0) {
    count = 1;  // New events that happened once do not say so.
  }
  const Json& object = event["involvedObject"];
  return Row(Since(last, now), event["type"], event["reason"], Target(object), object["fieldPath"], Source(event),
             std::string(Trim(event["message"].text())), Since(first, now), count, Name(event));
}

}  // namespace

std::span<const Printer> EventPrinters() {
  static const std::vector<Column> kColumns = {
      {"Last Seen"},
      {"Type"},
      {"Reason"},
      {"Object"},
      {"Subobject", "string", 1},
      {"Source", "string", 1},
      {"Message"},
      {"First Seen", "string", 1},
      {"Count", "string", 1},
      {"Name", "string", 1, "name"},
  };
  static const std::vector<Printer> kPrinters = {
      {"", "events", kColumns, EventCells},
  };
  return kPrinters;
}

}  // namespace berth::server
