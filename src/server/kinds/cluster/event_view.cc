// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/cluster/event_view.h"

#include <string_view>

namespace berth::server {
namespace {

struct FieldNames {
  std::string_view core;
  std::string_view renamed;
};

constexpr FieldNames kFieldNames[] = {
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
    {"reportingComponent", "reportingController"},
};

void Rename(Json& object, std::string_view from, std::string_view to) {
  Json* member = object.Find(from);
  if (member == nullptr) return;
  Json value = std::move(*member);
  object.Erase(from);
  object.Set(to, std::move(value));
}

void DropEmpty(Json& object, std::string_view name) {
  if (const Json* member = object.Find(name); member != nullptr && member->text().empty()) object.Erase(name);
}

}  // namespace

Json ToCoreEvent(Json event) {
  for (const FieldNames& names : kFieldNames) Rename(event, names.renamed, names.core);
  if (event.Has("apiVersion")) event.Set("apiVersion", "v1");
  // The core group writes these even if they are empty.
  event.SetDefault("reportingComponent", Json::String(""));
  event.SetDefault("reportingInstance", Json::String(""));
  if (Json* series = event.Find("series"); series != nullptr && (*series)["count"].IntOr(0) == 0)
    series->Erase("count");
  return event;
}

Json ToNewEvent(Json event) {
  for (const FieldNames& names : kFieldNames) Rename(event, names.core, names.renamed);
  if (event.Has("apiVersion")) event.Set("apiVersion", "events.k8s.io/v1");
  DropEmpty(event, "reportingController");
  DropEmpty(event, "reportingInstance");
  if (Json* series = event.Find("series")) series->SetDefault("count", Json::Int(0));
  return event;
}

}  // namespace berth::server
