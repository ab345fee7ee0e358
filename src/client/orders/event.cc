// SPDX-License-Identifier: Apache-2.0
#include "client/orders/event.h"

#include <fmt/format.h>

#include "api/document/json_writer.h"
#include "api/parts/selector.h"
#include "base/uuid.h"

namespace berth::client {
namespace {

using api::JsonWriter;

void WriteReference(JsonWriter& out, const api::ObjectReference& reference) {
  out.BeginObject();
  out.Text("kind", reference.kind);
  out.Text("namespace", reference.ns);
  out.Text("name", reference.name);
  out.Text("uid", reference.uid);
  out.Text("apiVersion", reference.api_version);
  out.Text("resourceVersion", reference.resource_version);
  out.EndObject();
}

void WriteHead(JsonWriter& out, std::string_view api_version, const Event& event, const std::string& name) {
  out.BeginObject().Key("kind").String("Event").Key("apiVersion").String(api_version);
  out.Key("metadata").BeginObject().Key("name").String(name);
  out.Key("namespace").String(EventNamespace(event.regarding)).EndObject();
}

void WriteSeries(JsonWriter& out, const EventSeries& series) {
  out.Key("series").BeginObject().Key("count").Int(series.count);
  out.Key("lastObservedTime").String(FormatTimeMicro(series.last_observed)).EndObject();
}

std::string RandomUuid(Random& random) {
  const uint64_t high = random.Next();
  return MakeUuid(high, random.Next());
}

}  // namespace

const std::string& EventNamespace(const api::ObjectReference& regarding) {
  static const std::string kDefault = "default";
  return regarding.ns.empty() ? kDefault : regarding.ns;
}

std::string EventName(const std::string& object_name, Time time, Random& random) {
  std::string name = fmt::format("{}.{:x}", object_name, time.nanos);
  return api::ValidateDnsSubdomain(name).empty() ? name : RandomUuid(random);
}

api::Document EventBody(const Event& event, const std::string& name, Time time, const std::string& instance,
                        const std::optional<EventSeries>& series) {
  JsonWriter out = JsonWriter::OfTree();
  WriteHead(out, "events.k8s.io/v1", event, name);
  out.Key("eventTime").String(FormatTimeMicro(time));
  if (series) WriteSeries(out, *series);
  out.Text("reportingController", event.controller);
  out.Text("reportingInstance", instance);
  out.Text("action", event.action);
  out.Text("reason", event.reason);
  WriteReference(out.Key("regarding"), event.regarding);
  if (event.related) WriteReference(out.Key("related"), *event.related);
  out.Text("note", event.note);
  out.Text("type", event.type);
  return out.EndObject().TakeTree().value();
}

std::string SeriesPatch(const EventSeries& series) {
  JsonWriter out;
  WriteSeries(out.BeginObject(), series);
  return out.EndObject().Take();
}

api::Document CoreEventBody(const Event& event, const std::string& name, Time time) {
  JsonWriter out = JsonWriter::OfTree();
  WriteHead(out, "v1", event, name);
  WriteReference(out.Key("involvedObject"), event.regarding);
  out.Text("reason", event.reason);
  out.Text("message", event.note);
  out.Key("source").BeginObject().Key("component").String(event.controller).EndObject();
  out.Key("firstTimestamp").String(FormatTime(time)).Key("lastTimestamp").String(FormatTime(time));
  out.Key("count").Int(1);
  out.Text("type", event.type);
  out.Key("eventTime").Null();
  out.Key("reportingComponent").String(event.controller).Key("reportingInstance").String("");
  return out.EndObject().TakeTree().value();
}

}  // namespace berth::client
